import * as z from 'zod';
import { limitField } from '../fields';
import { operation } from '../operation';
import { countShape, timeShape } from '../shapes';
import { undoRecords } from './undo-record';

/** What was undone, newest first, by any device that shares the vault; each can be taken back by its `undo`. */
export const listUndos = operation({
  name: 'undos',
  scope: 'admin',
  mutates: false,
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
    const records = await undoRecords(brain);
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
