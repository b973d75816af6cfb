import { parseNote } from './parse';
import { splitNote } from './split';

/** What YAML 1.1 reads as true, and 1, which a person may mean by it. */
const TRUE = /^(?:true|yes|on|y|1)$/i;
/** The lock as a line by itself, for front matter of which nothing can be read. */
const LOCK_LINE =
  /^(?:locked|"locked"|'locked')[ \t]*:[ \t]+(["']?)(?:[Tt]rue|TRUE|[Yy]es|YES|[Oo]n|ON|[Yy]|1)\1[ \t]*\r?(?:[ \t]#.*)?$/m;

/**
 * True when the owner of a note has locked it against changes by the service: `locked: true`, in
 * any spelling of YAML 1.1, quoted too. Who writes with a token can neither set nor remove it. A mistake elsewhere in the
 * front matter does not open the lock. Links to a note that moves are no part of it: they follow, as they do in Obsidian.
 * Never throws.
 */
export function isLocked(text: string): boolean {
  const { frontmatter, problem } = parseNote(text);
  if (typeof frontmatter.locked === 'string') return TRUE.test(frontmatter.locked.trim());
  return problem !== null && LOCK_LINE.test(splitNote(text)?.block ?? '');
}
