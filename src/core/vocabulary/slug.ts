import { BrainError, type ErrorCode } from '../base/errors';
import { type Sha, utf8Length } from '../base/hash';
import { foldLatin } from '../base/text';
import { fold, isIgnoredName, stemOf, type VaultPath } from './paths';

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
  return slug === 'index' || isDeviceName(slug) ? `${slug}-note` : slug;
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
  return fileStem(withoutDatePrefix(stemOf(path)), 'invalid_slug');
}
