import { BrainError } from '../base/errors';

/** What programs call a conflicted copy, in the languages that they speak; "(unconflicted copy …)" is something else. */
const COPY = [
  String.raw`(?<!\p{L})(?:conflict(?:ed|ing)? copy|konflikt(?: stehende |-)?kopi(?:e|a)?|(?:conflicterende|konfliktní|motstridende|modstridende|motstridig(?:a)?) kopi(?:e|a)?)`,
  'copie (?:en conflit|conflictuelle)|c[oó]pia (?:en conflicto|in conflitto|em conflito|conflictiva|conflitante)',
  'kopia (?:powodująca konflikt|konfliktu|w konflikcie|i konflikt)|salinan (?:konflik|bercanggah|bertentangan)',
  'конфликтующая копия|конфліктна копія|çakışan kopya(?:sı)?|競合(?:した|する)?コピー|衝突コピー',
  '충돌(?:된|하는)? ?사본|[冲衝]突(?:的)?(?:副本|複本|文件|檔案|版本)',
].join('|');
/** The word alone, where a time to the second stands beside it. */
const CONFLICT = String.raw`(?:conflict|konflikt|conflit|conflicto|conflitto|conflito|конфликт|конфлікт|競合|[冲衝]突|충돌)`;
const INNER = String.raw`(?:[^()]|\([^()]*\))*`;

/**
 * Names of conflict copies, which sync programs make of a file that two devices changed. The patterns match whole marks of these
 * programs, so that a note about conflict copies is a note. A name is compared in NFKC, which makes all brackets alike.
 */
const CONFLICTS = [
  /\.sync-conflict-\d{8}/i, // Syncthing
  // Dropbox, Nextcloud, and Obsidian Sync: "(Anna's conflicted copy 2026-11-20)", "(Conflicted copy laptop 202611201032)".
  // Names of persons and devices may have brackets: "(Conflicted copy MacBook (work) 202611201032)".
  new RegExp(String.raw`\(${INNER}(?:${COPY})${INNER}\d{4}-?\d{2}-?\d{2}${INNER}\)`, 'iu'),
  /[._]conflict[-_]\d{8}[-_]?\d{6}/i, // ownCloud
  // Synology Drive, and QNAP Qsync with a time: "plan_LAPTOP_Nov-20-103200-2026_Conflict", "plan_LAPTOP_Nov-20-2026_CaseConflict"
  new RegExp(
    String.raw`_[^/]+_(?:[\p{L}\p{M}\d.]{2,12}-\d{1,2}(?:-\d{4,6})?-\d{4}|\d{4}-\d{2}-\d{2}[-_T]\d{2}[-.]?\d{2}(?:[-.]?\d{2})?)_(?:case|unicode)?-?${CONFLICT}(?: ?\(\d+\)|_\d+)?(?:\.[^.]+)?$`,
    'iu',
  ),
  /\(SFConflict [^()]*\d{4}-\d{2}-\d{2}-\d{2}-\d{2}-\d{2}\)/, // Seafile
  /\(# [^()#]*(?:conflict|clash) [^()#]*#\)/i, // Proton Drive: "(# Edit conflict 2026-11-20 aBcD #)"
  // Nextcloud and Dropbox, for names that differ only in case or in the encoding of a letter
  /\((?:Case|Unicode Encoding|White ?Space|Selective Sync) Conflict(?: \d+)?\)/i,
  /\(case clash from [^()]*\)/i,
  /\.Conflict\d*(?=\.[^.]+$|$)/, // Resilio Sync
  /\.conflict\d{1,2}(?=\.[^.]+$|$)/, // rclone
  // Unison, Tresorit, and Sync.com: "(conflict 1 from laptop on 2026-11-20)", "(copy: conflict on 2026-11-20)",
  // "(Conflict 1, uploaded by Anna)", "(Conflict 2026-11-20 10_32)"
  /\((?:copy: )?conflict(?: #?\d+)?(?: from [^()]+)? on \d{4}-\d{2}-\d{2}[^()]*\)/i,
  /\(copy: conflict[^()]*\)|\(conflict #?\d+ from [^()]+\)/i,
  /\(conflict(?: \d+)?, (?:uploaded|created|modified|edited) by [^()]+\)|\(conflict \d{4}-\d{2}-\d{2}[ _-]\d{1,2}[^()\p{L}]*\)/iu,
  /[([]conflicted(?: \d+)?[)\]]\.[^.]+$/i, // pCloud
  /\[Conflict(?: \d+)?\]\.[^.]+$|_conf\(\d+\)\.[^.]+$/, // Google Drive
  // Box, FileCloud and others: the word and the time to the second. Their other names and those of OneDrive, such as
  // "plan (1).md" and "plan-LAPTOP.md", are names that a person may give a note, so they are notes.
  new RegExp(
    String.raw`\(${INNER}${CONFLICT}${INNER}\d{4}-\d{2}-\d{2}[-_ T]\d{2}[-.]?\d{2}[-.]?\d{2}\)`,
    'iu',
  ),
];

/** Matches every name that one of CONFLICTS matches, and few others. */
const MAY_BE_CONFLICT = /conf|konf|clash|kop|salinan|[^ -~]/i;

const IGNORED = [
  /^\./, // hidden: .obsidian, .trash, .git, .DS_Store, iCloud's placeholders, our own .~ temporaries
  /^~\$/, // lock files of office programs
  /^desktop\.ini$/i,
  /\.icloud$/i,
];

/**
 * Returns true for a file or folder name (one path segment) that listings, watchers and queues ignore: hidden, made by the
 * system, or a conflict copy.
 */
export function isIgnoredName(name: string): boolean {
  return IGNORED.some((pattern) => pattern.test(name)) || isConflictName(name);
}

/** Returns true for the name of a conflict copy. A person should compare it: it may have text that the note has lost. */
export function isConflictName(name: string): boolean {
  if (!MAY_BE_CONFLICT.test(name)) return false;
  const plain = name.normalize('NFKC');
  return CONFLICTS.some((pattern) => pattern.test(plain));
}

/** A path inside the vault: relative, `/`-separated, NFC, such as `wiki/homelab/facts/wireguard-mtu.md`. */
export type VaultPath = string & { readonly __brand: 'VaultPath' };

/** Normalises a path that the service itself listed or composed to NFC, the form in which paths are compared. */
export function vaultPath(text: string): VaultPath {
  return text.normalize('NFC') as VaultPath; // The brand exists for the compiler only.
}

/** The longest path from a caller (UTF-16 units); far above the length of a note's address. */
const MAX_PATH = 1000;
/** Unsafe characters: on Windows a backslash separates and a colon names a drive or a stream; surrogates have no UTF-8. */
const UNSAFE = /[\\:\p{Cc}\p{Cs}]/u;
/** The prefix of paths from the folder above the vault, as in the specification. Only the path's text decides. */
const BRAIN_PREFIX = /^brain\/(?=(?:wiki|knowledge|raw|inbox|sessions)\/|[^/]+\.[mM][dD]$)/;

/** Removes the prefix `brain/` of a path that is written from the folder above the vault. */
export function withoutBrain(path: string): string {
  return path.replace(BRAIN_PREFIX, '');
}

/**
 * Reads a vault path from a caller. It drops one leading `/` and then one leading `brain/`, unless a file is known at the path
 * with it, which then is one of a folder `brain` that the owner has; it decodes nothing. The result is
 * below the vault on every file system: no `.` or `..`, no empty segment, no backslash, colon or control character, and no
 * segment that Windows reads as another one because of its trailing dot or space. Only an existing file may have such a name.
 * @param rootNote the path of the root note in the settings, which may lie in any folder
 * @param exists tells whether a file is known at exactly this path
 * @throws BrainError `path_not_allowed`.
 */
export function inputPath(
  text: string,
  rootNote?: string,
  exists: (path: VaultPath) => boolean = () => false,
): VaultPath {
  // The length comes first: normalising a long run of accents takes quadratic time.
  if (text.length > MAX_PATH + '/brain/'.length) throw refused(`is longer than ${MAX_PATH} characters`);
  const plain = text.normalize('NFC').replace(/^\//, '');
  const isRoot = rootNote !== undefined && plain === `brain/${rootNote.normalize('NFC')}`;
  const written = vaultPath(plain);
  const short = vaultPath(isRoot ? plain.slice('brain/'.length) : withoutBrain(plain));
  const path = short !== written && exists(written) ? written : short;
  const problem = pathProblem(path);
  if (problem === null || (isOddName(path) && exists(path))) return path;
  throw refused(problem);
}

function refused(problem: string): BrainError {
  return new BrainError(
    'path_not_allowed',
    `The path ${problem}. Give a path inside the vault such as "wiki/homelab/facts/wireguard-mtu.md".`,
  );
}

function pathProblem(path: string): string | null {
  if (path === '') return 'is empty';
  if (path.length > MAX_PATH) return `is longer than ${MAX_PATH} characters`;
  if (UNSAFE.test(path)) return 'contains a backslash, a colon or a control character';
  const segments = path.split('/');
  if (segments.includes('')) return 'has an empty segment';
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return 'contains "." or ".." as a segment';
  if (segments.some((segment) => /[ .]$/.test(segment))) return 'has a segment that ends in a space or a dot';
  return null;
}

/** Returns true for a path whose names are odd but safe: every reading of it leads to one place below the vault. */
function isOddName(path: string): boolean {
  // A backslash separates where a system takes it for a slash.
  const segments = path.split(/[\\/]/);
  const leaves = segments.includes('.') || segments.includes('..');
  return path.length <= MAX_PATH && !/\0|^\/|\/\/|\/$|^$/.test(path) && !leaves && zoneOf(path) !== 'hidden';
}

/** The use of a place in the vault; `hidden` is a file whose name, or a folder's above it, starts with a dot. */
export type Zone =
  | 'wiki'
  | 'knowledge'
  | 'raw'
  | 'rejected'
  | 'inbox'
  | 'processed'
  | 'quarantine'
  | 'sessions'
  | 'hidden'
  | 'other';

/** The folder of what the owner has brought from elsewhere: each import has one in it. */
export const IMPORTS = 'imports';

/** Returns the name of the import in whose folder a file is, as hits have it; nothing for any other file. */
export function importIn(path: string): { readonly import?: string } {
  const [top, name, rest] = path.split('/', 3);
  return top === IMPORTS && name !== undefined && rest !== undefined ? { import: name } : {};
}

/** Returns the zone of a vault path. Folder names are exact, but `rejected` and `quarantine` match in any case. */
export function zoneOf(path: string): Zone {
  if (path.startsWith('.') || path.includes('/.')) return 'hidden';
  const [top = '', sub = ''] = path.split('/', 2);
  switch (top) {
    case 'raw':
      return fold(sub) === 'rejected' ? 'rejected' : 'raw';
    case 'inbox':
      if (sub === 'processed') return 'processed';
      return fold(sub) === 'quarantine' ? 'quarantine' : 'inbox';
    case 'wiki':
    case 'knowledge':
    case 'sessions':
      return top;
    default:
      return 'other';
  }
}

/**
 * Folds a name for the comparison of file names: equal for names that are one on Windows or macOS, and for names that look
 * alike. Not for display. Idempotent.
 */
export function fold(text: string): string {
  if (!/[^ -~]/.test(text)) return text.toLowerCase();
  // Invisible characters go first: one between a letter and its accent would prevent their composition.
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
  // Lower case alone distinguishes "ß" from "ss" and the final sigma from others; upper case makes them equal.
  // It may decompose a letter before an accent, so the text is composed again.
  return visible.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}

/** Returns the last segment of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the last segment without its extension. */
export function stemOf(path: string): string {
  const name = fileName(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Returns true for a Markdown file, whatever the case of its ending. */
export function isMarkdown(path: string): boolean {
  return /\.md$/i.test(path);
}

/** Returns true for the path of a note; a wing's map is none. */
export function isNoteName(path: string): boolean {
  return isMarkdown(path) && fold(stemOf(path)) !== '_index';
}

/** Returns the folder of a file without a trailing `/`; '' for a file in the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns a path as a wikilink's target: a note without `.md`, any other file with its extension. */
export function linkPath(path: string): string {
  return path.replace(/\.md$/i, '');
}

/** The root note where the one of the settings is missing. It is no note of the owner in any case, as it guides agents. */
export const OTHER_ROOT_NOTE = 'CLAUDE.md';

/** The folders of a vault, in their order for people. */
export const LAYOUT: readonly string[] = ['wiki', 'knowledge', 'raw', 'inbox', 'sessions'];

/**
 * Returns the folders that a disk which folds case takes for those of the service: `Raw` where there is no `raw`.
 * @param names the names in the root of the vault
 */
export function foldedTwins(names: readonly string[]): { readonly name: string; readonly of: string }[] {
  return LAYOUT.filter((of) => !names.includes(of)).flatMap((of) =>
    names.filter((name) => fold(name) === of).map((name) => ({ name, of })),
  );
}
