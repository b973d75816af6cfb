import { parseNote } from './frontmatter/parse-note';
import { splitNote } from './frontmatter/split';

/** YAML's spellings of true, and what a person types. */
const TRUE = /^true$/i;
/** The lock as a line by itself, for front matter of which nothing can be read. */
const LOCK_LINE = /^locked[ \t]*:[ \t]+(["']?)true\1[ \t]*(?:[ \t]#.*)?$/im;

/**
 * True when the owner of a note has locked it against changes by the service: `locked: true`. A mistake elsewhere in the
 * front matter does not open the lock. Links to a note that moves are no part of it: they follow, as they do in Obsidian.
 * Never throws.
 */
export function isLocked(text: string): boolean {
  const { frontmatter, problem } = parseNote(text);
  if (typeof frontmatter.locked === 'string') return TRUE.test(frontmatter.locked);
  return problem !== null && LOCK_LINE.test(splitNote(text)?.block ?? '');
}
