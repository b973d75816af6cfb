import * as z from 'zod';
import { BrainError } from '../base/errors';
import type { Sha } from '../base/hash';
import { parseTime, type Timestamp, timestamp } from '../base/time';
import { changeVault } from '../operation/change';
import { dryRunField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { pathShape, timeShape } from '../operation/shapes';
import type { PastReader } from '../past/past';
import type { VaultPath } from '../vocabulary/paths';
import { expectedHashField, readReviewNote } from './review-note';

const DAY_MS = 86_400_000;
/** A note is put off for at most this long, so that none is out of sight for ever. */
const MAX_DAYS = 30;

/**
 * Puts a queued note off until a time, by default a day from now; null ends that. The note does not change: it stays in the
 * queue, where screens hide it until then, or until its text changes. Fails with `not_in_queue`, `source_missing` or
 * `hash_mismatch`, and with `invalid_field` for a time that has passed or is more than 30 days away.
 */
export const snoozeNote = operation({
  name: 'snooze',
  scope: 'review',
  mutates: true,
  input: z.strictObject({
    path: pathField,
    until: z
      .string()
      .max(40)
      .nullable()
      .optional()
      .describe('When it comes back, at most 30 days from now, by default a day; null: at once'),
    expected_hash: expectedHashField,
    dry_run: dryRunField,
  }),
  output: z.object({ path: pathShape, snoozed_until: timeShape.nullable() }),
  run(brain, { path: given, until, expected_hash: expected, dry_run: dryRun }, _caller, watch) {
    return changeVault(
      brain,
      async () => {
        const { path, hash } = await readReviewNote(brain, given, 'raw', expected, watch?.ifMatch);
        const end = until === null ? null : endOf(until, brain.clock.now());
        return {
          plan: { op: 'snooze', steps: [], saw: [{ path, hash }], data: { snooze: { until: end } } },
          result: { path, snoozed_until: end },
          isIndependent: true,
        };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});

/** Resolves with the time until which a queued note is put off; null for one that is not, or has changed since. */
export async function snoozedUntil(
  past: PastReader,
  { path, content_hash: hash }: { readonly path: VaultPath; readonly content_hash: Sha },
  now: Date,
): Promise<Timestamp | null> {
  const last = (await past.telling('snooze', path)).at(-1);
  const until = last?.data?.snooze?.until ?? null;
  const isSame = last?.saw?.some((note) => note.path === path && note.hash === hash) === true;
  return isSame && until !== null && until > timestamp(now) ? until : null;
}

/** @throws BrainError `invalid_field` for a text that is no time, for a time that has passed, and for one more than 30 days away */
function endOf(until: string | undefined, now: Date): Timestamp {
  if (until === undefined) return timestamp(new Date(now.getTime() + DAY_MS));
  const time = parseTime(until);
  if (time === null || time <= now) {
    throw new BrainError(
      'invalid_field',
      `"until" must be a time to come, such as ${timestamp(new Date(now.getTime() + DAY_MS))}; leave it out for a day from now.`,
      { field: 'until' },
    );
  }
  if (time.getTime() > now.getTime() + MAX_DAYS * DAY_MS) {
    throw new BrainError(
      'invalid_field',
      `"until" must be at most ${MAX_DAYS} days from now; put the note off again then.`,
      { field: 'until' },
    );
  }
  return timestamp(time);
}
