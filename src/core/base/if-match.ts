/** Hashes of which a note has to have one, or `*` for any note that is there. */
export type IfMatch = readonly string[] | '*';

/**
 * True when a note that a call is about to change is at a version that the caller expects; `current` is the hash of what
 * stands there. Without any expectation every version will do.
 */
export function isExpected(
  current: string,
  expected: string | undefined,
  ifMatch: IfMatch | undefined,
): boolean {
  if (expected !== undefined && expected !== current) return false;
  return ifMatch === undefined || ifMatch === '*' || ifMatch.includes(current);
}
