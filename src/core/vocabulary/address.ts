import { BrainError, type ErrorCode } from '../base/errors';
import { type Sha, utf8Length } from '../base/hash';
import { foldLatin } from '../base/text';
import { fold, isIgnoredName, linkPath, stemOf, type VaultPath, vaultPath } from './paths';

/**
 * Converts text to lower-case words of letters, marks and numbers with single dashes between them; '' for a text without letters
 * and numbers. Idempotent.
 */
export function dashed(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return dashedAscii(text);
  // Variation selectors are marks and fillers are letters, but both are invisible in a file name.
  const visible = text.replace(/(?=[\p{L}\p{M}])\p{Default_Ignorable_Code_Point}/gu, '');
  return (
    foldLatin(visible.normalize('NFKC').toLowerCase())
      // A mark without a letter before it becomes part of the dash.
      .replace(/(?:^|[^\p{L}\p{M}\p{N}])[^\p{L}\p{N}]*/gu, '-')
      .replace(/^-|-$/g, '')
  );
}

/** Computes `dashed` for ASCII, many times faster. */
function dashedAscii(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Returns the longest prefix of a text within both limits that ends at a character's end. */
export function prefixWithin(text: string, codePoints: number, bytes: number): string {
  let end = 0;
  for (const character of text) {
    codePoints -= 1;
    bytes -= utf8Length(character);
    if (codePoints < 0 || bytes < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The longest derived and supplied names. Both leave room for a number, `.md` and a temporary suffix. */
const MAX_SLUG = { codePoints: 80, bytes: 180 };
const MAX_STEM = { codePoints: 120, bytes: 200 };

/**
 * Derives a file stem from a title: Latin and Greek without accents, other scripts kept, cut at a dash to 80 code points and 180
 * bytes. A text without letters and numbers becomes `note-` and the beginning of `contentHash`.
 */
export function slugify(text: string, contentHash: Sha): string {
  const slug = cutAtDash(dashed(text));
  if (slug === '') return `note-${contentHash.slice(0, 8)}`;
  return slug === 'index' || isDeviceName(slug) ? `${slug}-note` : withoutInstructionName(slug);
}

function cutAtDash(slug: string): string {
  const head = prefixWithin(slug, MAX_SLUG.codePoints, MAX_SLUG.bytes);
  if (head.length === slug.length || slug[head.length] === '-') return head;
  const dash = head.lastIndexOf('-');
  return dash > 0 ? head.slice(0, dash) : head;
}

/** Returns true for a device name of Windows, with any extension: such a file cannot exist there. */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i.test(name);
}

/** The names of files that coding agents load as instructions, without extensions, in the form of `dashed`. */
const INSTRUCTIONS: ReadonlySet<string> = new Set(
  (
    'agent agents claude gemini skill copilot-instructions cursorrules windsurfrules clinerules roorules kilocoderules ' +
    'goosehints augment-guidelines codex qwen warp opencode crush junie iflow codebuddy replit'
  ).split(' '),
);

/** Returns true for the name of a file that coding agents load as instructions, with any extension, such as `CLAUDE.local.md`. */
export function isInstructionName(name: string): boolean {
  const [first = ''] = fold(name).trim().replace(/^\.+/, '').split('.', 1);
  return INSTRUCTIONS.has(dashed(first));
}

/** Returns a derived stem as another name when coding agents would load the file as instructions: a note on Claude is none. */
function withoutInstructionName(stem: string): string {
  return isInstructionName(stem) ? `${stem}-note` : stem;
}

const TOO_LONG = `is longer than ${MAX_STEM.codePoints} characters or ${MAX_STEM.bytes} bytes`;

/**
 * Validates a file name from a caller and returns its stem, in NFC and without one `.md`. It is not rewritten, so that the caller
 * finds the note again.
 * @throws BrainError with `code`, naming the fault.
 */
export function fileStem(
  supplied: string,
  code: Extract<ErrorCode, 'invalid_filename' | 'invalid_slug'>,
): string {
  // The length comes first: normalising a long run of accents takes quadratic time.
  const tooLong = supplied.length > MAX_STEM.bytes + '.md'.length;
  const stem = tooLong ? '' : supplied.normalize('NFC').replace(/\.md$/i, '');
  const problem = tooLong ? TOO_LONG : stemProblem(stem);
  if (problem === null) return stem;
  const field = code === 'invalid_slug' ? 'slug' : 'filename';
  throw new BrainError(code, `The ${field} ${problem}. Use a plain file name such as "wireguard-mtu".`);
}

function stemProblem(stem: string): string | null {
  if (fold(stem).trim() === '') return 'is empty';
  if (/[/\\]/.test(stem)) return 'contains a path separator; the folder follows from wing and hall';
  if (stem.includes('..')) return 'contains ".."';
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(stem)) return 'contains a control character';
  const special = /[:*?"<>|#^[\]]/.exec(stem);
  if (special) return `contains ${special[0]}, which breaks links or cannot be stored on every system`;
  if (/^[.-]/.test(stem)) return 'starts with a dot or a dash';
  if (/[. ]$/.test(stem)) return 'ends with a dot or a space';
  if (isDeviceName(stem)) return 'is the name of a device on Windows';
  if (fold(stem) === '_index') return 'is "_index", which the service writes itself';
  // A note of this name would be found only until the next start.
  if (isIgnoredName(`${stem}.md`))
    return 'is one that programs give to lock files or conflict copies, which are passed over';
  if (prefixWithin(stem, MAX_STEM.codePoints, MAX_STEM.bytes) !== stem) {
    return TOO_LONG;
  }
  return null;
}

/** Returns the n-th name to try: the stem itself, then `stem-2`, `stem-3` … */
export function numbered(stem: string, n: number): string {
  return n === 1 ? stem : `${stem}-${n}`;
}

/** Removes one leading `YYYY-MM-DD-` of a stem. */
export function withoutDatePrefix(stem: string): string {
  return stem.replace(/^\d{4}-\d{2}-\d{2}-/, '');
}

/**
 * Returns the default slug of a queued note for its promotion: its own file name without the date.
 * @throws BrainError `invalid_slug` when that is no usable name; the caller then has to give one.
 */
export function promoteSlug(path: VaultPath): string {
  return withoutInstructionName(fileStem(withoutDatePrefix(stemOf(path)), 'invalid_slug'));
}

/** The kinds of memory, a closed set, in the order of indexes and lists. */
export const HALLS = ['facts', 'decisions', 'failures', 'hypotheses', 'sources'] as const;

export type Hall = (typeof HALLS)[number];

/** The names of the halls for people. */
export const HALL_TITLES: Readonly<Record<Hall, string>> = {
  facts: 'Facts',
  decisions: 'Decisions',
  failures: 'Failures',
  hypotheses: 'Hypotheses',
  sources: 'Sources',
};

/** What belongs in each hall, for people and models. */
export const HALL_MEANINGS: Readonly<Record<Hall, string>> = {
  facts: 'what is so, with how it is known',
  decisions: 'what was chosen, why, and what was not',
  failures: 'what went wrong, its cause, what changed since',
  hypotheses: 'guesses, with what speaks for and against them',
  sources: 'where knowledge came from',
};

/** Returns true for one of the five names, case-sensitive. */
export function isHall(text: unknown): text is Hall {
  return HALLS.some((hall) => hall === text);
}

/** The name of a wing: a sanitised name, or the name of an existing folder under `wiki/`. */
export type Wing = string & { readonly __brand: 'Wing' };

/** The address of a structured note. */
interface Address {
  readonly wing: Wing;
  readonly hall: Hall;
  readonly slug: string;
}

/** The longest name of a wing. Bytes are limited too, because 64 characters of four bytes do not fit into a file name. */
const MAX_WING = { codePoints: 64, bytes: 180 };

/** The longest name that is normalised (UTF-16 units): a long run of accents takes quadratic time. */
const MAX_WING_INPUT = 1000;

/**
 * Returns the one name of a wing for all its spellings: "Home Lab" and "home-lab" are equal. Only letters, marks, numbers and
 * single dashes remain. Idempotent.
 * @throws BrainError `invalid_wing` for a path, a hidden or reserved name, and a name of which nothing remains.
 */
export function sanitiseWing(name: string): Wing {
  // NFKC comes first, because it maps lookalikes to "/" and ".": a path in a wing is an attack, not a typing error.
  if (name.length > MAX_WING_INPUT) throw invalidWing(`is longer than ${MAX_WING_INPUT} characters`);
  const plain = name.normalize('NFKC').trim();
  if (/[/\\\0]/.test(plain)) throw invalidWing('may not contain "/", "\\" or NUL');
  if (/^[._]/.test(plain)) throw invalidWing('may not start with "." or "_"');
  const wing = prefixWithin(dashed(plain), MAX_WING.codePoints, MAX_WING.bytes).replace(/-$/, '');
  if (wing === '') throw invalidWing('must contain a letter or a number');
  if (isDeviceName(wing)) throw invalidWing(`may not be "${wing}", the name of a device on Windows`);
  return wing as Wing; // The brand exists for the compiler only.
}

/** Signs that tell subjects apart, which the name of a folder does not have, and their words. */
const SIGNS: Readonly<Record<string, string>> = {
  '+': 'plus',
  '#': 'sharp',
  '&': 'and',
  '*': 'star',
  '%': 'percent',
  '@': 'at',
  $: 'dollar',
  '€': 'euro',
  '£': 'pound',
  '§': 'section',
  '°': 'degree',
};
const SIGN = /[+#&*%@$€£§°]/gu;

/** Returns true for the name of a wing with a sign that `sanitiseWing` drops, such as "C#". */
export function hasSigns(name: string): boolean {
  return name.normalize('NFKC').search(SIGN) >= 0;
}

/** Returns the name of a wing as people write it, for the title of its map: words with their signs, on one line. */
export function writtenWing(name: string): string {
  const words = name.normalize('NFKC').replace(/[^\p{L}\p{M}\p{N}+#&*%@$€£§°._-]+/gu, ' ');
  // A heading loses the "#" behind a blank at its end.
  return prefixWithin(words.trim(), MAX_WING.codePoints, MAX_WING.bytes).replace(/ +(?=#+$)/, '');
}

/** Returns true when two names of a wing differ in no sign, whatever their case, blanks, dashes and accents. */
export function areOneWing(one: string, other: string): boolean {
  const spelling = (name: string): string =>
    foldLatin(writtenWing(name).toLowerCase()).replace(/[^\p{L}\p{M}\p{N}+#&*%@$€£§°]+/gu, '');
  return spelling(one) === spelling(other);
}

/** Returns the name of a wing with its signs as words: `c-plus-plus` for "C++". */
export function spelledWing(name: string): Wing {
  return sanitiseWing(name.normalize('NFKC').replace(SIGN, (sign) => ` ${SIGNS[sign] ?? ''} `));
}

function invalidWing(problem: string): BrainError {
  return new BrainError('invalid_wing', `The wing ${problem}. Use a plain topic name such as "homelab".`);
}

/** Returns `wiki/<wing>/<hall>/<slug>.md`. */
export function notePath({ wing, hall, slug }: Address): VaultPath {
  return vaultPath(`wiki/${wing}/${hall}/${slug}.md`);
}

/** Returns the address of a path `wiki/<wing>/<hall>/<slug>.md`; null for every other path and for `_index.md`. */
export function addressOf(path: string): Address | null {
  const wing = wingOfPath(path);
  const [, , hall, file = '', ...deeper] = path.split('/');
  if (wing === null || !isHall(hall) || deeper.length > 0) return null;
  const slug = linkPath(file);
  if (!file.endsWith('.md') || slug === '' || slug.startsWith('.') || fold(slug) === '_index') return null;
  return { wing, hall, slug };
}

/** Returns the wing of a path as its folder is spelt; null outside `wiki/<wing>/` and for hidden folders. */
export function wingOfPath(path: string): Wing | null {
  const match = /^wiki\/([^/.][^/]*)\/./.exec(path);
  return match?.[1] === undefined ? null : (match[1] as Wing); // A folder under wiki/ is a wing by its name.
}

/** Returns the path of a wing's map. */
export function wingIndexPath(wing: Wing): VaultPath {
  return vaultPath(`wiki/${wing}/_index.md`);
}

/**
 * Refuses half an address, with which the note would silently land among the notes without an address.
 * @throws BrainError `wing_and_hall_required_together`.
 */
export function requireBothOrNone(wing: string | undefined, hall: Hall | undefined): void {
  if ((wing === undefined) === (hall === undefined)) return;
  const [given, missing] = wing === undefined ? ['hall', 'wing'] : ['wing', 'hall'];
  throw new BrainError(
    'wing_and_hall_required_together',
    `"${given}" is given but "${missing}" is not. Give both, or neither for a note without an address.`,
  );
}

/** Returns the n-th path to try in the review queue: `raw/YYYY-MM-DD-slug.md`, then with `-2`, `-3` …; `date` is local. */
export function rawPath(date: string, slug: string, n: number): VaultPath {
  return vaultPath(`raw/${date}-${numbered(slug, n)}.md`);
}
