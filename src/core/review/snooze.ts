import * as z from 'zod';
import { BrainError } from '../base/errors';
import { isSha, type Sha } from '../base/hash';
import { asciiJson, isRecord } from '../base/json';
import { compareText } from '../base/text';
import { parseTime, type Timestamp, timestamp } from '../base/time';
import type { NoteRecord } from '../catalog/record';
import type { Brain } from '../operation/context';
import { dryRunField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { pathShape, timeShape } from '../operation/shapes';
import type { StateStore } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import { expectedHashField, readReviewNote } from './review-note';

const FOLDER = 'snoozed';
const DAY_MS = 86_400_000;
/** A note is put off for at most this long, so that none is out of sight for ever. */
const MAX_DAYS = 30;

/** A note that was put off: until when, and in which version. A line without `until` ends it. */
interface Snooze {
  readonly path: VaultPath;
  readonly hash: Sha;
  readonly until: Timestamp | null;
  readonly at: Timestamp;
}

/** The number of lines that this process has added to the state of a vault. */
const added = new WeakMap<StateStore, number>();

/** Returns a number that grows whenever a note is put off or woken here: the vault itself does not change then. */
export function snoozeRevision({ whole }: Pick<Brain, 'whole'>): number {
  return added.get(whole.state) ?? 0;
}

/** Returns a function that tells until when a queued note is put off; null for one that is not, or has changed since. */
export async function snoozesOf({
  whole: { state },
  clock,
}: Pick<Brain, 'whole' | 'clock'>): Promise<(note: NoteRecord) => Timestamp | null> {
  const files = await state.list(FOLDER);
  const text = (await Promise.all(files.map((file) => state.read(file)))).join('\n');
  const known = parsed.get(state);
  const last = known?.text === text ? known.last : lastSnoozes(text);
  parsed.set(state, { text, last });
  const now = timestamp(clock.now());
  return ({ path, content_hash: hash }) => {
    const snooze = last.get(path);
    if (snooze === undefined || snooze.hash !== hash || snooze.until === null) return null;
    return snooze.until > now ? snooze.until : null;
  };
}

/** What was parsed last of the state of a vault: every listing of the queue asks for it. */
const parsed = new WeakMap<StateStore, { readonly text: string; readonly last: Map<VaultPath, Snooze> }>();

/** Returns the last snooze of each note. */
function lastSnoozes(text: string): Map<VaultPath, Snooze> {
  const last = new Map<VaultPath, Snooze>();
  for (const line of text.split('\n')) {
    const snooze = parseLine(line);
    if (snooze !== null && compareText(last.get(snooze.path)?.at ?? '', snooze.at) <= 0)
      last.set(snooze.path, snooze);
  }
  return last;
}

function parseLine(line: string): Snooze | null {
  if (line === '') return null;
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value)) return null;
    const { path, hash, until, at } = value;
    const isTimed = (until === null || parseTime(until) !== null) && parseTime(at) !== null;
    if (typeof path !== 'string' || !isSha(hash) || !isTimed || typeof at !== 'string') return null;
    return { path: vaultPath(path), hash, until: typeof until === 'string' ? until : null, at };
  } catch {
    return null; // The line is torn: the note is not put off.
  }
}

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
    if (dryRun !== true) {
      const { state, device } = brain.whole;
      // The leading line feed ends a line that a crash or a full disk left incomplete.
      const line = asciiJson({ path, hash, until: end, at: timestamp(now) });
      await state.append(`${FOLDER}/${device}.jsonl`, `\n${line}\n`, false);
      added.set(state, snoozeRevision(brain) + 1);
    }
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
