import type { MarkdownFacts } from '../markdown/facts';
import { wingIndexPath, wingOfPath, withoutDatePrefix } from '../vocabulary/address';
import { stemOf, type VaultPath, zoneOf } from '../vocabulary/paths';
import { titleKey } from './resolve';

/** The longest word of a title (UTF-16 units). */
const MAX_WORD = 100;

/**
 * Returns the words of a text with single spaces between them, folded like titles and without punctuation, so that a title equals
 * its mention in prose. It folds word by word, because normalising a long run of marks takes quadratic time.
 */
export function phrase(text: string): string {
  const pieces = text.split(/[\s_-]+/).map((piece) => (piece.length > MAX_WORD ? '' : titleKey(piece)));
  return (pieces.join(' ').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}

/** The longest title (code points). */
const MAX_TITLE = 200;

/** Returns a note's own title: the front matter's `title`, else a heading; null for neither. */
export function noteTitle(
  frontmatter: Readonly<Record<string, unknown>>,
  heading: string | null,
): string | null {
  const own = typeof frontmatter.title === 'string' ? trimmed(frontmatter.title) : '';
  return own || trimmed(heading ?? '') || null;
}

/**
 * Returns what a note is called: the front matter's `title`, else the heading of level 1 with which it begins, else its file name. At
 * most 200 code points.
 */
export function titleOf(
  frontmatter: Readonly<Record<string, unknown>>,
  facts: Pick<MarkdownFacts, 'title'>,
  path: string,
): string {
  return noteTitle(frontmatter, facts.title) ?? titleOfName(path);
}

/** The form of a slug: no blanks and no capitals. */
const SLUG = /^[\p{Ll}\p{Lo}\p{M}\p{N}_-]+$/u;

/** Returns a file name as a title: as written, but in the folders of the service without the date, and a slug as words. */
function titleOfName(path: string): string {
  const stem = stemOf(path);
  if (zoneOf(path) === 'other') return trimmed(stem) || stem;
  const name = withoutDatePrefix(stem);
  return SLUG.test(name) ? wordsOfName(stem) : trimmed(name) || stem;
}

/** Returns the words of a file name. */
export function wordsOfName(stem: string): string {
  return trimmed(withoutDatePrefix(stem).replace(/[-_]+/g, ' ')) || stem;
}

/** Returns the title of a file by its path alone: the wing for the wing's map, the file's name for any other. */
export function titleOfPath(path: VaultPath): string {
  const wing = wingOfPath(path);
  return wing !== null && path === wingIndexPath(wing) ? wing : stemOf(path);
}

function trimmed(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_TITLE) return line;
  return Array.from(line.slice(0, 2 * MAX_TITLE))
    .slice(0, MAX_TITLE)
    .join('')
    .trimEnd();
}
