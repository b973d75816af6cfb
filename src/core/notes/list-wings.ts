import * as z from 'zod';
import { operation } from '../operation';
import { addressOf } from '../rules/address';
import { isStale } from '../rules/envelope';
import { HALLS, type Hall } from '../rules/hall';

const count = z.number().int();
const output = z.object({
  wings: z.array(
    z.object({
      wing: z.string(),
      notes: count,
      stale: count,
      halls: z.object({ facts: count, decisions: count, failures: count, hypotheses: count, sources: count }),
    }),
  ),
});

/** What the brain holds: every wing with its notes per hall, and how many of them are past their half-life. */
export const listWings = operation({
  name: 'wings',
  scope: 'read',
  mutates: false,
  input: z.strictObject({}),
  output,
  async run(brain) {
    const now = brain.clock.now();
    const wings = brain.catalog.wings().map((wing) => {
      const notes = brain.catalog.notesOfWing(wing).filter((note) => addressOf(note.path) !== null);
      const perHall = (hall: Hall) => notes.filter((note) => addressOf(note.path)?.hall === hall).length;
      const [facts, decisions, failures, hypotheses, sources] = HALLS.map(perHall);
      return {
        wing,
        notes: notes.length,
        stale: notes.filter((note) => isStale(note.frontmatter, now)).length,
        halls: {
          facts: facts ?? 0,
          decisions: decisions ?? 0,
          failures: failures ?? 0,
          hypotheses: hypotheses ?? 0,
          sources: sources ?? 0,
        },
      };
    });
    return { wings };
  },
});
