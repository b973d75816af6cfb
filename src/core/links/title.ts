import type { MarkdownFacts } from '../markdown/facts';
import { wingIndexPath, wingOfPath, withoutDatePrefix } from '../vocabulary/address';
import { stemOf, type VaultPath } from '../vocabulary/paths';
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

/** Returns a note's own title: the front matter's `title`, else its first heading of level 1; null for neither. */
export function noteTitle(frontmatter: Readonly<Record<string, unknown>>, h1: string | null): string | null {
  const own = typeof frontmatter.title === 'string' ? trimmed(frontmatter.title) : '';
  return own || trimmed(h1 ?? '') || null;
}

/** Returns a note's title: its own, else its file name without the date, with spaces for dashes. At most 200 code points. */
export function titleOf(
  frontmatter: Readonly<Record<string, unknown>>,
  facts: Pick<MarkdownFacts, 'h1'>,
  path: string,
): string {
  const stem = stemOf(path);
  return (
    noteTitle(frontmatter, facts.h1) ?? (trimmed(withoutDatePrefix(stem).replace(/[-_]+/g, ' ')) || stem)
  );
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
