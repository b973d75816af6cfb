/** The content hashes that a note may have, or `*` for any existing note (as in the HTTP header `If-Match`). */
export type IfMatch = readonly string[] | '*';

/**
 * Returns true when the current version of a note is one that the caller expects. Without an expectation every version is.
 * @param current the content hash of the note's current text
 */
export function isExpected(
  current: string,
  expected: string | undefined,
  ifMatch: IfMatch | undefined,
): boolean {
  if (expected !== undefined && expected !== current) return false;
  return ifMatch === undefined || ifMatch === '*' || ifMatch.includes(current);
}
