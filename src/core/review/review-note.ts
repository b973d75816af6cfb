import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { type IfMatch, isExpected } from '../base/if-match';
import { setKeys } from '../frontmatter/compose';
import { resolveNotePath } from '../notes/targets';
import type { Brain } from '../operation/context';
import { hashField } from '../operation/fields';
import { type VaultPath, type Zone, zoneOf } from '../vocabulary/paths';

/** The version of a queued note that a decision is about. */
export const expectedHashField = hashField
  .optional()
  .describe('content_hash of the note as it was looked at; refused when it has changed since');

/**
 * Reads the note of the review flow that a caller names. The change is planned from this very text (`hash` goes into the
 * steps as `before`), so a save that comes later makes the plan fail and the note is read and compared anew.
 * @throws BrainError `not_in_queue` when the path lies elsewhere, `source_missing` when nothing is there, `hash_mismatch`
 * when the note is not at the version `expected`, or at none of `ifMatch`.
 */
export async function readReviewNote(
  brain: Pick<Brain, 'catalog' | 'vault'>,
  given: string,
  zone: Extract<Zone, 'raw' | 'rejected' | 'wiki'>,
  expected?: string,
  ifMatch?: IfMatch,
): Promise<{ path: VaultPath; text: string; hash: Sha }> {
  const path = resolveNotePath(brain, given);
  if (zoneOf(path) !== zone) throw new BrainError('not_in_queue', ELSEWHERE[zone], { path });
  const text = await brain.vault.read(path);
  if (text === null) {
    throw new BrainError(
      'source_missing',
      `There is no note at ${path}. It may have been decided already; list the queue again.`,
      {
        path,
      },
    );
  }
  const hash = sha256(text);
  if (!isExpected(hash, expected, ifMatch)) {
    throw new BrainError(
      'hash_mismatch',
      `${path} has changed since it was looked at, and nothing was done. Read it again; if the decision still holds, repeat it with its present content_hash as expected_hash.`,
      { path, content_hash: hash },
    );
  }
  return { path, text, hash };
}

const ELSEWHERE = {
  raw: 'Only a note in raw/ that has not been rejected can be promoted or rejected. List the queue to see which there are.',
  rejected: 'Only a note in raw/rejected/ can be restored.',
  wiki: 'Only a promoted note in wiki/ can go back to the queue.',
} as const;

/**
 * A note with the marks of its rejection set or removed; as it is when its front matter cannot be edited, for that is no
 * reason to keep it where it is.
 */
export function markedText(
  text: string,
  set: Readonly<Record<string, string>>,
  remove: readonly string[] = [],
): string {
  try {
    return setKeys(text, set, remove).text;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return text;
    throw error;
  }
}
