import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { isSha, type Sha, sha256 } from '../base/hash';
import { compareText } from '../base/text';
import { timestamp } from '../base/time';
import type { Brain } from '../operation/context';
import type { StateStore } from '../ports/ports';
import { appendLines, valuesIn } from '../storage/lines';
import type { EditStep } from '../storage/plan';
import { vaultPath } from '../vocabulary/paths';
import { stampOf } from '../vocabulary/envelope';

/**
 * A line of the log of sources that were added to existing notes. The stamps of the note name the writer of its text and do not
 * change, so this log keeps who added which `sources`. `undone` marks a recorded addition that failed.
 */
const addedSources = z.object({
  v: z.literal(1),
  ts: z.string(),
  id: z.string(),
  path: z.string().transform(vaultPath),
  before: z.custom<Sha>(isSha),
  after: z.custom<Sha>(isSha),
  sources: z.array(z.string()),
  origin: z.string(),
  written_by: z.string(),
  reason: z.string(),
  undone: z.boolean().optional(),
});
export type AddedSources = z.output<typeof addedSources>;

const FOLDER = 'sources';
const LOG_FILE = /^sources\/\d{4}-\d{2}\.[0-9a-z-]{1,32}\.jsonl$/;

/** Returns the log lines for planned additions. */
export function recordsOf(
  { clock }: Pick<Brain, 'clock'>,
  additions: readonly { readonly edit: EditStep; readonly added: readonly string[] }[],
  caller: Caller,
): AddedSources[] {
  const now = clock.now();
  const { origin, written_by } = stampOf(caller);
  return additions.map(({ edit: { path, before, text }, added }) => {
    const after = sha256(text);
    const id = sha256(`${path}${before}${after}${now.getTime()}`).slice(0, 16);
    return {
      v: 1,
      ts: timestamp(now),
      id,
      path,
      before,
      after,
      sources: [...added],
      origin,
      written_by,
      reason: 'Source added',
    };
  });
}

/** Records additions durably. It runs before the change, so every addition has a record. */
export async function recordAddedSources(
  { state, device, clock }: Pick<Brain, 'state' | 'device' | 'clock'>,
  records: readonly AddedSources[],
): Promise<void> {
  if (records.length === 0) return;
  const month = timestamp(clock.now()).slice(0, 7);
  await appendLines(state, `${FOLDER}/${month}.${device}.jsonl`, records, true);
}

/** Returns every recorded addition that was made, from all devices, by time. Lines that do not parse are left out. */
export async function recordedAdditions(state: Pick<StateStore, 'read' | 'list'>): Promise<AddedSources[]> {
  const records = new Map<string, AddedSources>();
  // The addition of a torn line was never made.
  const recordOf = (value: unknown) => addedSources.safeParse(value).data ?? null;
  for (const record of await valuesIn(state, FOLDER, LOG_FILE, recordOf)) {
    if (record.undone === true) records.delete(record.id);
    else records.set(record.id, record);
  }
  return [...records.values()].sort((a, b) => compareText(a.ts, b.ts));
}

/** Returns the additions by the hash of their result. */
export async function additionsByText(
  state: Pick<StateStore, 'read' | 'list'>,
): Promise<ReadonlyMap<Sha, AddedSources>> {
  return new Map((await recordedAdditions(state)).map((record) => [record.after, record]));
}
