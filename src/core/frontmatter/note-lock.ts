import { parseNote } from './parse';
import { splitNote } from './split';

/** The words for true in YAML 1.1, and 1. */
const TRUE = /^(?:true|yes|on|y|1)$/i;
/** The lock as a line, for front matter that cannot be read. */
const LOCK_LINE =
  /^(?:locked|"locked"|'locked')[ \t]*:[ \t]+(["']?)(?:[Tt]rue|TRUE|[Yy]es|YES|[Oo]n|ON|[Yy]|1)\1[ \t]*\r?(?:[ \t]#.*)?$|[{,]\s*"locked"\s*:\s*("?)(?:[Tt]rue|TRUE|[Yy]es|YES|[Oo]n|ON|[Yy]|1)\2\s*(?:[,}]|$)/m;

/**
 * Returns true when a note's owner has locked it against changes by the service: `locked: true`, in any spelling of YAML 1.1,
 * quoted or not. A writer with a token can neither set nor remove it. A mistake elsewhere in the front matter does not open the
 * lock. Links in it to a note that a person moves are updated, as in Obsidian. Never throws.
 */
export function isLocked(text: string): boolean {
  const { frontmatter, problem } = parseNote(text);
  if (typeof frontmatter.locked === 'string') return TRUE.test(frontmatter.locked.trim());
  return problem !== null && LOCK_LINE.test(splitNote(text)?.block ?? '');
}
