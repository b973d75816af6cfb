import * as z from 'zod';
import { BrainError } from '../base/errors';
import { parseTime, type Timestamp, timestamp } from '../base/time';
import { dryRunField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { pathShape, timeShape } from '../operation/shapes';
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
  async run(brain, { path: given, until, expected_hash: expected, dry_run: dryRun }, _caller, watch) {
    const { path, hash } = await readReviewNote(brain, given, 'raw', expected, watch?.ifMatch);
    const now = brain.clock.now();
    const end = until === null ? null : endOf(until, now);
    if (dryRun !== true) await brain.whole.snoozes.add({ path, hash, until: end, at: timestamp(now) });
    return { path, snoozed_until: end };
  },
});

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
