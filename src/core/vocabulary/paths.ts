import { BrainError } from '../base/errors';

/**
 * The copies that sync programs put beside a file which two devices changed, by all that these programs write: a note whose
 * name only speaks of such copies is a note.
 */
const CONFLICTS = [
  /\.sync-conflict-\d{8}/i, // Syncthing
  // Dropbox, Nextcloud, and Obsidian Sync: "(Anna's conflicted copy 2026-11-20)", "(Conflicted copy laptop 202611201032)",
  // where the names of persons and devices may have brackets of their own: "(Conflicted copy MacBook (work) 202611201032)"
  /\((?:(?:[^()]|\([^()]*\))* )?conflicted copy (?:[^()]|\([^()]*\))*\d{4}-?\d{2}-?\d{2}(?:[^()]|\([^()]*\))*\)/i,
  /_conflict-\d{8}-\d{6}/i, // ownCloud
  /\(SFConflict [^()]*\d{4}-\d{2}-\d{2}-\d{2}-\d{2}-\d{2}\)/, // Seafile
  // Nextcloud and Dropbox, for names that differ in case alone, or in how a letter is spelled
  /\((?:Case|Unicode Encoding|White ?Space|Selective Sync) Conflict(?: \d+)?\)/i,
  /\(case clash from [^()]*\)/i,
  /\.Conflict\d*(?=\.[^.]+$|$)/, // Resilio Sync
  // Unison: "(conflict 1 from laptop on 2026-11-20)", "(copy: conflict on 2026-11-20)"
  /\((?:copy: )?conflict(?: #?\d+)?(?: from [^()]+)? on \d{4}-\d{2}-\d{2}[^()]*\)/i,
  /\(copy: conflict[^()]*\)|\(conflict #?\d+ from [^()]+\)/i,
  /[([]conflicted(?: \d+)?[)\]]\.[^.]+$/i, // pCloud
  /\[Conflict(?: \d+)?\]\.[^.]+$|_conf\(\d+\)\.[^.]+$/, // Google Drive
  // Box, FileCloud and others: the word and the very second. What these and OneDrive also write, such as "plan (1).md" and
  // "plan-LAPTOP.md", is what a person may call a note, and so is one.
  /\((?:[^()]|\([^()]*\))*conflict(?:[^()]|\([^()]*\))*\d{4}-\d{2}-\d{2}[-_ T]\d{2}[-.]?\d{2}[-.]?\d{2}\)/i,
];

const IGNORED = [
  /^\./, // hidden: .obsidian, .trash, .git, .DS_Store, iCloud's placeholders, our own .~ temporaries
  /^~\$/, // lock files of office programs
  /^desktop\.ini$/i,
  /\.icloud$/i,
  ...CONFLICTS,
];

/**
 * True for a file or folder name (one path segment) that is no note of the person's: hidden, made by the
 * system, or the conflict copy of a sync program. Listings, watchers and queues all pass over these.
 */
export function isIgnoredName(name: string): boolean {
  return IGNORED.some((pattern) => pattern.test(name));
}

/** True for the name of a conflict copy, which a person should look at: it may hold what the note has lost. */
export function isConflictName(name: string): boolean {
  return CONFLICTS.some((pattern) => pattern.test(name));
}

/** A path inside the vault: relative, `/`-separated, NFC, such as `wiki/homelab/facts/wireguard-mtu.md`. */
export type VaultPath = string & { readonly __brand: 'VaultPath' };

/** Brings a path that the service itself listed or composed into the one form in which paths are compared. */
export function vaultPath(text: string): VaultPath {
  return text.normalize('NFC') as VaultPath; // The brand exists for the compiler only.
}

/** Longest path taken from a caller, in UTF-16 units; far above what a note's address needs. */
const MAX_PATH = 1000;
/** A backslash separates on Windows, a colon opens a drive or a stream there, and lone surrogates have no UTF-8. */
const UNSAFE = /[\\:\p{Cc}\p{Cs}]/u;
/** The specification writes paths from the folder above the vault. What may follow decides, never what the disk holds. */
const BRAIN_PREFIX = /^brain\/(?=(?:wiki|knowledge|raw|inbox|sessions)\/|[^/]+\.[mM][dD]$)/;

/** The path from the vault's own folder, when it is written from the folder above; every other path as it is. */
export function withoutBrain(path: string): string {
  return path.replace(BRAIN_PREFIX, '');
}

/**
 * The vault path that a caller means. One leading `/` and then one leading `brain/` are dropped; nothing is decoded.
 * The result names something below the vault on every file system: no `.` or `..`, no empty segment, no backslash,
 * colon or control character, and no segment that Windows would read as another by its trailing dot or space. Only a file
 * that stands may have such characters in its name, or such a segment.
 * @param rootNote where the settings have the root note, which may lie in a folder that is none of the service's
 * @param stands whether a file is known at exactly this path
 * @throws BrainError `path_not_allowed`.
 */
export function inputPath(
  text: string,
  rootNote?: string,
  stands: (path: VaultPath) => boolean = () => false,
): VaultPath {
  // Before anything else: normalising a long run of accents takes quadratic time.
  if (text.length > MAX_PATH + '/brain/'.length) throw refused(`is longer than ${MAX_PATH} characters`);
  const plain = text.normalize('NFC').replace(/^\//, '');
  const isRoot = rootNote !== undefined && plain === `brain/${rootNote.normalize('NFC')}`;
  const path = vaultPath(isRoot ? plain.slice('brain/'.length) : withoutBrain(plain));
  const problem = pathProblem(path);
  if (problem === null || (isOddName(path) && stands(path))) return path;
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

/** True for a path that is refused for the names in it alone: however it is read, it leads to one place below the vault. */
function isOddName(path: string): boolean {
  // A backslash would separate where one of them is taken for a slash.
  const segments = path.split(/[\\/]/);
  const leaves = segments.includes('.') || segments.includes('..');
  return path.length <= MAX_PATH && !/\0|^\/|\/\/|\/$|^$/.test(path) && !leaves && zoneOf(path) !== 'hidden';
}

/** What a place in the vault is for; `hidden` is everything below a folder or in a file whose name starts with a dot. */
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

/** The zone of a vault path. Only exact folder names open a zone; a folder that may not be read is known in any case. */
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
 * The form in which two names are compared when the question is whether a name is taken: equal for names that
 * Windows and macOS take for one and for names that look the same. Not for display. Idempotent.
 */
export function fold(text: string): string {
  if (!/[^ -~]/.test(text)) return text.toLowerCase();
  // Invisible characters go first: one between a letter and its accent would keep NFKC from joining the two.
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
  // Lower case alone keeps "ß" apart from "ss" and the final sigma from the others; the way over upper case joins them.
  // What it takes apart may meet an accent, so the text is composed again.
  return visible.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}

/** The last segment of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The last segment without its extension. */
export function stemOf(path: string): string {
  const name = fileName(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** True when the name is that of a note, and not of the map of a wing. */
export function isNoteName(path: string): boolean {
  return path.endsWith('.md') && fold(stemOf(path)) !== '_index';
}

/** The folder that holds the file, without a trailing `/`; '' for a file in the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The path as a wikilink writes it: a note without `.md`, any other file with its extension. */
export function linkPath(path: string): string {
  return path.replace(/\.md$/i, '');
}

/** The folders of a vault, in the order in which a person meets them. */
export const LAYOUT: readonly string[] = ['wiki', 'knowledge', 'raw', 'inbox', 'sessions'];
