import * as z from 'zod';
import type { Sha } from '../base/hash';
import { compareText } from '../base/text';
import type { Brain } from '../operation/context';
import { limitField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, timeShape } from '../operation/shapes';
import { type UndoRecord, undosOfEarlier } from '../past/old-forms';
import type { PastChange } from '../storage/change-log';
import type { PastUndoScope } from './past';

/** An undo, as far as it is needed to take it back: for each note the hashes before and after, and its new path. */
export interface PastUndo extends UndoRecord {
  /** The texts that came after this time it has not seen. */
  readonly until: string;
}

/** Maps the hash of each text that an undo restored to the hash of its original. */
export function putBackTexts(records: readonly PastUndo[]): Map<Sha, Sha> {
  return new Map(
    records.flatMap(({ notes }) =>
      notes.flatMap(({ after, before, version = before }): [Sha, Sha][] =>
        // A note may move unchanged.
        after === version ? [] : [[after, version]],
      ),
    ),
  );
}

/** Returns the scopes of the undos that are in effect. */
export function undoneDeeds(records: readonly PastUndo[]): PastUndoScope[] {
  return records.flatMap(({ by, since, until, taken_back: back }) =>
    back === undefined ? [{ by, since, until }] : [],
  );
}

/** Resolves with every undo of all devices, newest first. */
export async function pastUndos({ state, past }: Pick<Brain, 'state' | 'past'>): Promise<PastUndo[]> {
  const reader = await past.read();
  const back = new Map<string, string>();
  for (const { of = [], ts } of await reader.of(['undo-back']))
    for (const id of of) if (!back.has(id)) back.set(id, ts);
  const made = (await reader.telling('undo')).flatMap(undoIn).sort((a, b) => b.at - a.at);
  const earlier = await undosOfEarlier(state);
  const all = [...made, ...earlier.map((record) => ({ ...record, until: record.ts }))];
  // The sort is stable: those of one second keep their order.
  return all
    .map(({ taken_back: at, ...undo }) => ({ ...undo, taken_back: at ?? back.get(undo.id) }))
    .sort((a, b) => compareText(b.ts, a.ts));
}

/** Returns the undo that a change was. */
function undoIn({ id, at, ts, notes, decision, data }: PastChange): (PastUndo & { readonly at: number })[] {
  if (id === undefined || data?.undo === undefined) return [];
  const { versions, ...scope } = data.undo;
  const undone = notes.flatMap(({ path: now, from, before, after }) => {
    const path = from ?? now;
    const left = from === undefined ? { before } : notes.find((note) => note.path === from);
    const former = left?.before ?? null;
    // A queued note that came back was not there before, and stays when the undo is taken back.
    if (former === null || after === null) return [];
    const version = versions[path];
    const isRoot = data.root?.path === path;
    return [
      {
        ...{ path, before: former, after },
        ...(from !== undefined && { to: now }),
        ...(version !== undefined && { version }),
        ...(isRoot && { root: true as const }),
      },
    ];
  });
  return [{ id, at, ts, actor: decision?.by ?? '', ...scope, notes: undone }];
}

/** Lists the undos of all devices that share the vault, newest first. Each can be taken back by its `undo`. */
export const listUndos = operation({
  name: 'undos',
  scope: 'admin',
  mutates: false,
  whole: true,
  input: z.strictObject({ limit: limitField(200, 20) }),
  output: z.object({
    count: countShape,
    total: countShape,
    undos: z.array(
      z.object({
        undo: z.string(),
        at: timeShape,
        by: z.string().describe('Whose doings were undone'),
        since: timeShape,
        actor: z.string().describe('Who undid them'),
        notes: countShape,
        taken_back: timeShape.optional(),
      }),
    ),
  }),
  async run(brain, { limit }) {
    const records = await pastUndos(brain);
    const undos = records.slice(0, limit).map(({ id, ts, by, since, actor, notes, taken_back }) => ({
      undo: id,
      at: ts,
      by,
      since,
      actor,
      notes: notes.length,
      ...(taken_back !== undefined && { taken_back }),
    }));
    return { count: undos.length, total: records.length, undos };
  },
});
