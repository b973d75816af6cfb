import type { Caller } from '../access/tokens';
import { type Sha, sha256 } from '../base/hash';
import type { Timestamp } from '../base/time';
import type { PastReader } from '../past/past';
import type { EventData } from '../storage/event-data';
import type { EditStep } from '../storage/plan';
import { stampOf } from '../vocabulary/envelope';

type Addition = NonNullable<EventData['added']>[number];

/** Sources that were added to a note, by whom and when. */
export type AddedSources = Addition & { readonly ts: Timestamp };

/** Returns what the past keeps of planned additions. */
export function dataOfAdditions(
  additions: readonly { readonly edit: EditStep; readonly added: readonly string[] }[],
  caller: Caller,
): EventData | undefined {
  const stamp = stampOf(caller);
  const added = additions.map(({ edit: { path, before, text }, added: sources }): Addition => ({
    ...{ path, before, after: sha256(text), sources: [...sources] },
    ...stamp,
  }));
  return added.length === 0 ? undefined : { added };
}

/**
 * Resolves with every recorded addition that was made, from all devices, by time.
 * @param text only those that it came from or led to, and perhaps some more
 */
export async function recordedAdditions(
  past: Pick<PastReader, 'telling'>,
  text?: Sha,
): Promise<AddedSources[]> {
  let made: AddedSources[] = [];
  for (const { ts, notes, data: { added = [] } = {} } of await past.telling('added', text)) {
    for (const each of added) {
      if (each.undone === true) made = made.filter(({ id }) => id !== each.id);
      // Of a change that was cut and could not be finished, the past has the notes that it reached.
      else if (notes.length === 0 || notes.some(({ after }) => after === each.after))
        made.push({ ...each, ts });
    }
  }
  return made;
}

/** Resolves with the addition that made a text; undefined for any other text. */
export async function additionTo(
  past: Pick<PastReader, 'telling'>,
  text: Sha,
): Promise<AddedSources | undefined> {
  return (await recordedAdditions(past, text)).filter(({ after }) => after === text).at(-1);
}
