import * as z from 'zod';
import { isSha, type Sha } from '../base/hash';
import { isRecord, parsedJson } from '../base/json';
import { parseTime, timestamp } from '../base/time';
import { changeIn, type LoggedChange } from '../storage/change-log';
import type { StateStore } from '../ports/ports';
import { toldIn } from '../storage/event-data';
import { vaultPath } from '../vocabulary/paths';

/** The folders of the logs: the segments of the past, and the logs of earlier versions, which are read where they are. */
export const LOG_FOLDERS = ['past', 'changes', 'audit', 'sources', 'origins', 'snoozed'] as const;

const DEVICE = '[0-9a-z-]{1,32}';

/** The logs of earlier versions that held what the line of a change says now, and how a line of each is read. */
const OLD_FORMS: readonly (readonly [
  RegExp,
  (line: Readonly<Record<string, unknown>>) => LoggedChange | null,
])[] = [
  [/^audit\/root-edits\.[^/]+\.jsonl$/, rootEditIn],
  [new RegExp(`^sources/\\d{4}-\\d{2}\\.${DEVICE}\\.jsonl$`), additionIn],
  [/^origins\/[^/]+\.jsonl$/, originIn],
  [/^snoozed\/[^/]+\.jsonl$/, snoozeIn],
];

const CHANGES = new RegExp(`^past/[^/]+\\.jsonl$|^changes/\\d{4}-\\d{2}\\.${DEVICE}\\.jsonl$`);

/** Returns true for the path of a log below the folder of the state, and for the copy of a segment that a sync program made. */
export function isLog(path: string): boolean {
  return CHANGES.test(path) || OLD_FORMS.some(([files]) => files.test(path));
}

/**
 * Returns the change that a parsed line of a log tells; null for a torn one. That of an old form but the change log has no notes: the
 * change of these notes has a line of its own.
 */
export function eventIn(log: string, value: unknown): LoggedChange | null {
  // Nearly all lines are of these.
  if (CHANGES.test(log)) return changeIn(value);
  const [, read] = OLD_FORMS.find(([files]) => files.test(log)) ?? [];
  return read !== undefined && isRecord(value) ? read(value) : null;
}

function rootEditIn(line: Readonly<Record<string, unknown>>): LoggedChange | null {
  const { ts, before_hash: before, after_hash: after, undo, ...rest } = line;
  const root = { ...rest, before, after, ...(undo === true && { undo }) };
  return eventWith('edit-root', ts, { data: { root } });
}

function additionIn({ ts, ...addition }: Readonly<Record<string, unknown>>): LoggedChange | null {
  return eventWith('ingest', ts, { data: { added: [addition] } });
}

function originIn(origin: Readonly<Record<string, unknown>>): LoggedChange | null {
  // These lines have no time: what lines with one say came later or is the same.
  return eventWith('origin', 0, { data: { origin } });
}

function snoozeIn({ path, hash, until, at }: Readonly<Record<string, unknown>>): LoggedChange | null {
  return eventWith('snooze', at, { saw: [{ path, hash }], data: { snooze: { until } } });
}

/** Returns an event without notes; null when its time or its data is not what the service writes. */
function eventWith(op: string, ts: unknown, said: Readonly<Record<string, unknown>>): LoggedChange | null {
  const time = parseTime(ts);
  const told = toldIn(said);
  if (time === null || Object.values(told.data ?? {}).every((value) => value === undefined)) return null;
  return { op, at: time.getTime(), ts: timestamp(time), notes: [], ...told };
}

const sha = z.custom<Sha>(isSha);
const path = z.string().transform(vaultPath);

/** The record of an undo: for each note the hashes before and after, and its new path. */
const undoRecord = z.object({
  id: z.string(),
  ts: z.string(),
  by: z.string(),
  since: z.string(),
  actor: z.string(),
  taken_back: z.string().optional(),
  notes: z.array(
    z.object({
      path,
      before: sha,
      /** The new path; absent when the note did not move. */
      to: path.optional(),
      after: sha,
      /** The hash of the version that `after` was made from, when that is not `before`. */
      version: sha.optional(),
      root: z.literal(true).optional(),
    }),
  ),
});
export type UndoRecord = z.output<typeof undoRecord>;

/** Returns the undos that earlier versions recorded, each in a file of its own. Those that are torn or foreign are left out. */
export async function undosOfEarlier(state: Pick<StateStore, 'read' | 'list'>): Promise<UndoRecord[]> {
  const records: UndoRecord[] = [];
  for (const file of await state.list('undo')) {
    const record = undoRecord.safeParse(parsedJson((await state.read(file)) ?? '')).data;
    if (record !== undefined && file === `undo/${record.id}.json`) records.push(record);
  }
  return records;
}
