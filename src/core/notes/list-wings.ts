import * as z from 'zod';
import type { NoteRecord } from '../catalog/note-record';
import { operation } from '../operation';
import { addressOf } from '../rules/address';
import { isStale } from '../rules/envelope';
import type { Hall } from '../rules/hall';

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
    return {
      wings: brain.catalog
        .wings()
        .map((wing) => ({ wing, ...countNotes(brain.catalog.notesOfWing(wing), now) })),
    };
  },
});

/** The notes of a wing that stand at an address: how many, how many of them stale, and how many in each hall. */
function countNotes(notes: readonly NoteRecord[], now: Date) {
  const halls: Record<Hall, number> = { facts: 0, decisions: 0, failures: 0, hypotheses: 0, sources: 0 };
  let [all, stale] = [0, 0];
  for (const note of notes) {
    const { hall, ages } = factsOf(note);
    if (hall === null) continue;
    all += 1;
    halls[hall] += 1;
    if (ages && isStale(note.frontmatter, now)) stale += 1;
  }
  return { notes: all, stale, halls };
}

interface Facts {
  /** Of the note's address; null for one that stands at none. */
  readonly hall: Hall | null;
  /** False for a note that never gets stale, as most do not. */
  readonly ages: boolean;
}

/** A record never changes, so it is looked into once however often it is counted. */
const facts = new WeakMap<NoteRecord, Facts>();

function factsOf(note: NoteRecord): Facts {
  const known = facts.get(note);
  if (known !== undefined) return known;
  const ages = isStale(note.frontmatter, LAST_DAY);
  const found = { hall: addressOf(note.path)?.hall ?? null, ages };
  facts.set(note, found);
  return found;
}

/** Whatever gets stale is so by then. */
const LAST_DAY = new Date(8.64e15);
