import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import type { Watch } from '../base/steps';
import { timestamp } from '../base/time';
import { inertLine } from '../frontmatter/block';
import { parseNote } from '../frontmatter/parse';
import { linkedPath, noSuchNote } from '../notes/targets';
import type { Brain } from '../operation/context';
import { type Change, changeVault } from '../operation/change';
import { freePath, withOwn } from '../operation/limits';
import { dryRunField, MAX_REASON, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { pathShape, timeShape } from '../operation/shapes';
import { stemOf, type VaultPath, vaultPath } from '../vocabulary/paths';
import { isWriter, stampName, stampOf } from '../vocabulary/envelope';
import { numbered } from '../vocabulary/address';
import { pastProposals } from './mine';
import { decisionOf, expectedHashField, markedText, readReviewNote, type ReviewNote } from './review-note';

const input = z.strictObject({
  path: pathField,
  reason: z.string().max(MAX_REASON).optional().describe('Why; kept with the note'),
  expected_hash: expectedHashField,
  dry_run: dryRunField,
});

const output = z.object({
  path: pathShape,
  rejected_path: pathShape,
  rejected_at: timeShape,
  linked_from: z.array(pathShape),
});

/**
 * Rejects a raw note: it moves to `raw/rejected/` with who rejected it and why. It overwrites nothing there, and links to it
 * are listed, not changed. Fails with `not_in_queue`, `source_missing` or `hash_mismatch`.
 */
export const rejectNote = operation({
  name: 'reject',
  scope: 'review',
  mutates: true,
  input,
  output,
  run(brain, { path, expected_hash: expected, ...rest }, caller, watch) {
    const read = () => readReviewNote(brain, path, 'raw', expected, watch?.ifMatch);
    return decline(brain, caller, watch, { op: 'reject', read, ...rest });
  },
});

/**
 * Takes back a note of the queue that the caller has proposed: it moves to `raw/rejected/`, from where a person can restore it, and its
 * text may be proposed again. Fails with `note_not_found`, `forbidden_scope` for a note of another writer, `not_in_queue` for one that
 * was decided, or `hash_mismatch`.
 */
export const withdrawNote = operation({
  name: 'withdraw',
  scope: 'propose',
  mutates: true,
  input,
  output,
  async run(brain, { path: given, expected_hash: expected, ...rest }, caller, watch) {
    const path = linkedPath(brain, given);
    const own = withOwn(brain, caller, path);
    if (own.catalog.record(path)?.status !== 'raw') throw await notQueued(brain, caller, given, path);
    const read = () => readOwn(caller, () => readReviewNote(own, path, 'raw', expected, watch?.ifMatch));
    const answer = await decline(own, caller, watch, { op: 'withdraw', read, ...rest });
    return {
      ...answer,
      linked_from: answer.linked_from.filter((source) => brain.limits?.sees(source) !== false),
    };
  },
});

/** Reads a note of the queue that the caller may see. @throws BrainError as `withdrawNote` unless the caller has proposed it */
async function readOwn(caller: Caller, read: () => Promise<ReviewNote>): Promise<ReviewNote> {
  const note = await read();
  if (isWriter(parseNote(note.text).frontmatter.written_by, stampName(caller))) return note;
  const { path } = note;
  throw new BrainError(
    'forbidden_scope',
    `Another writer has proposed ${path}, and only that one takes it back. A person can reject it.`,
    { path },
  );
}

/** Resolves with the error for a path at which no note of the queue is for the caller. */
async function notQueued(brain: Brain, caller: Caller, given: string, path: VaultPath): Promise<BrainError> {
  const decided = (await pastProposals(brain, caller)).find(
    (each) => each.decision !== 'waiting' && (each.proposed_as === path || each.path === path),
  );
  if (decided === undefined) return noSuchNote(brain, given, path);
  const { decision, path: now } = decided;
  return new BrainError(
    'not_in_queue',
    `${path} waits no more: it was ${decision}${now === undefined || now === path ? '' : `, and is at ${now} now`}. Nothing was changed.`,
    { path, decision },
  );
}

/** Moves a note of the queue to the rejected ones. */
function decline(
  brain: Brain,
  caller: Caller,
  watch: Watch | undefined,
  asked: {
    readonly op: 'reject' | 'withdraw';
    readonly read: () => Promise<ReviewNote>;
    readonly reason?: string | undefined;
    readonly dry_run?: boolean | undefined;
  },
): Promise<z.input<typeof output>> {
  const { op, reason = '', dry_run: dryRun } = asked;
  return changeVault(
    brain,
    async (): Promise<Change<z.input<typeof output>>> => {
      const { path, text, hash } = await asked.read();
      const to = await freePath(brain, (n) => vaultPath(`raw/rejected/${numbered(stemOf(path), n)}.md`));
      const rejectedAt = timestamp(brain.clock.now());
      const rejected = markedText(text, {
        rejected_at: rejectedAt,
        rejected_by: stampOf(caller).written_by,
        ...(op === 'withdraw' && { withdrawn_at: rejectedAt }),
        ...(inertLine(reason) !== '' && { reject_reason: inertLine(reason) }),
      });
      const result = {
        path,
        rejected_path: to,
        rejected_at: rejectedAt,
        linked_from: brain.catalog.backlinks(path),
      };
      if (dryRun) return { plan: null, result };
      const steps = [
        { kind: 'create', path: to, text: rejected } as const,
        { kind: 'remove', path, before: hash } as const,
      ];
      const decision = decisionOf(caller, text, inertLine(reason));
      return { plan: { op, decision, steps }, result, isIndependent: true };
    },
    { dryRun, signal: watch?.signal },
  );
}
