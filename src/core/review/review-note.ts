import type { Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { type IfMatch, isExpected } from '../base/if-match';
import type { NoteRecord } from '../catalog/record';
import { setKeys } from '../frontmatter/compose';
import { parseNote } from '../frontmatter/parse';
import { linkedPath, readKnown } from '../notes/targets';
import type { Brain } from '../operation/context';
import { hashField } from '../operation/fields';
import type { Decision } from '../storage/plan';
import { stampOf } from '../vocabulary/envelope';
import { type VaultPath, type Zone, zoneOf } from '../vocabulary/paths';

/** The version of a queued note that a decision is about. */
export const expectedHashField = hashField
  .optional()
  .describe('content_hash of the note as it was looked at; refused when it has changed since');

/** A note of the review flow, as it was read. */
export interface ReviewNote {
  readonly path: VaultPath;
  readonly text: string;
  readonly hash: Sha;
}

/**
 * Reads the note of the review flow that a caller names. The steps of the change have its `hash` as `before`, so a later save
 * makes the plan fail, and the note is read and compared again.
 * @throws BrainError `not_in_queue` for a path elsewhere, `path_not_allowed` instead for the zone `other`, `source_missing` when there is no file, `hash_mismatch` when the note
 * is not at the version `expected`, or at none of `ifMatch`
 */
export async function readReviewNote(
  brain: Pick<Brain, 'catalog' | 'vault'>,
  given: string,
  zone: Extract<Zone, 'raw' | 'rejected' | 'wiki' | 'knowledge' | 'other'>,
  expected?: string,
  ifMatch?: IfMatch,
): Promise<ReviewNote> {
  const path = linkedPath(brain, given);
  if (zone === 'other' && brain.catalog.statusOf(path) !== 'vault') {
    throw new BrainError('path_not_allowed', ELSEWHERE.other, { path });
  }
  if (zoneOf(path) !== zone) throw new BrainError('not_in_queue', ELSEWHERE[zone], { path });
  const text = await readKnown(brain, path);
  if (text === null) {
    throw new BrainError(
      'source_missing',
      `There is no note at ${path}. It may have been decided already; ${called('pending', 'the queue')} shows what waits.`,
      {
        path,
      },
    );
  }
  const hash = sha256(text);
  if (!isExpected(hash, expected, ifMatch)) {
    throw new BrainError(
      'hash_mismatch',
      `${path} has changed since it was looked at, and nothing was done. Read it again with ${called('note', 'a read')}; if the decision still holds, repeat it with its present content_hash as expected_hash.`,
      { path, content_hash: hash },
    );
  }
  return { path, text, hash };
}

/** Returns what the change log keeps of a decision about a note with this text. */
export function decisionOf(caller: Caller, text: string, reason = ''): Decision {
  const { frontmatter, body } = parseNote(text);
  const heading = /^ {0,3}#{1,6}[ \t]+(.+)$/m.exec(body.slice(0, 4096))?.[1];
  const title = typeof frontmatter.title === 'string' ? frontmatter.title : heading;
  return {
    by: stampOf(caller).written_by,
    ...(title !== undefined && { title: title.trim().slice(0, MAX_TITLE) }),
    ...(reason !== '' && { reason }),
  };
}

/** The longest title in the change log (UTF-16 units). */
const MAX_TITLE = 200;

const ELSEWHERE = {
  raw: `Only a note in raw/ that has not been rejected can be promoted or rejected; ${called('pending', 'the queue')} shows which there are.`,
  rejected: 'Only a note in raw/rejected/ can be restored.',
  wiki: 'Only a promoted note in wiki/ can go back to the queue.',
  knowledge: 'Only a note of knowledge/ that was replaced from the queue can be taken back.',
  other:
    'Only a note of the owner can be adopted: one outside the folders of the service that is not left out. A note in raw/ is promoted.',
} as const;

/** The keys of a promotion, which a note loses that returns to the queue. Wing and hall stay as the suggestion there. */
export const PROMOTE_KEYS = ['promoted_at', 'promoted_by', 'tunnels'];
/** The keys of a rejection, which a restored note loses. */
export const REJECT_KEYS = ['rejected_at', 'rejected_by', 'reject_reason', 'withdrawn_at'];

/** Sets or removes the marks of a rejection, where the front matter can be edited. */
export function markedText(
  text: string,
  set: Readonly<Record<string, string>>,
  remove: readonly string[] = [],
): string {
  return editedIfPossible(text, () => setKeys(text, set, remove).text);
}

/** Returns what `edit` makes of a text; the text as it is when its front matter cannot be edited: the note moves all the same. */
export function editedIfPossible(text: string, edit: () => string): string {
  try {
    return edit();
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return text;
    throw error;
  }
}

/** The type of a queued note that asks for another one to be forgotten. */
export const FORGET_REQUEST = 'forget';

/** Returns the path of the note that a queued note asks to be forgotten; null for a note that asks nothing. */
export function forgetTarget({
  frontmatter: { type, target },
}: Pick<NoteRecord, 'frontmatter'>): string | null {
  return type === FORGET_REQUEST && typeof target === 'string' ? target : null;
}

/** @throws BrainError `not_in_queue` for a request, which is no text for the wiki */
export function refuseRequest({ path, text }: ReviewNote): void {
  const target = forgetTarget(parseNote(text));
  if (target === null) return;
  throw new BrainError(
    'not_in_queue',
    `${path} asks that ${target} is forgotten. Have its owner do so with ${called('forget', 'the history of that note')}, or reject the request.`,
    { path, target },
  );
}
