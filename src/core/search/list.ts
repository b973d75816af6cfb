import * as z from 'zod';
import { compareText } from '../base/text';
import { noteTime, timestamp } from '../base/time';
import type { SearchableNote } from '../catalog/note-search';
import { hallField, limitField, offsetField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, readingShape, timeShape } from '../operation/shapes';
import { isStale } from '../vocabulary/envelope';
import { existingWing } from '../wings/operations';
import { searchResultShape } from './query';

const listedShape = searchResultShape
  .pick({
    path: true,
    title: true,
    wing: true,
    hall: true,
    origin: true,
    written_by: true,
    status: true,
    stale: true,
  })
  .extend({
    changed_at: timeShape.describe('The last write that its front matter names, else the time of the file'),
  });

const output = z.object({
  count: countShape,
  total: countShape,
  reading: readingShape.optional(),
  notes: z.array(listedShape),
});

/**
 * Lists the reviewed notes, those of one wing or one hall where asked, by path or the last changed first. Fails with
 * `invalid_wing` for a wing that does not exist.
 */
export const listNotes = operation({
  name: 'notes',
  scope: 'read',
  mutates: false,
  early: true,
  input: z.strictObject({
    wing: wingField.optional(),
    hall: hallField.optional(),
    order: z.enum(['path', 'recent']).default('path').describe('recent = the last changed first'),
    limit: limitField(500, 100),
    offset: offsetField,
  }),
  output,
  async run(brain, { wing, hall, order, limit, offset }): Promise<z.input<typeof output>> {
    const reading = brain.reading();
    const name = wing === undefined ? null : existingWing(brain.catalog.wings(), wing);
    const all = [...brain.catalog.notes('wiki'), ...brain.catalog.notes('knowledge')];
    const listed = all
      .filter((note): note is SearchableNote => note.status !== 'rejected')
      .filter((note) => (name === null || note.wing === name) && (hall === undefined || note.hall === hall));
    listed.sort(order === 'path' ? byPath : (a, b) => changeTime(b) - changeTime(a) || byPath(a, b));
    const now = brain.clock.now();
    const notes = listed.slice(offset, offset + limit).map((note) => listedNote(note, now));
    return { count: notes.length, total: listed.length, ...(reading && { reading }), notes };
  },
});

function byPath(a: SearchableNote, b: SearchableNote): number {
  return compareText(a.path, b.path);
}

/** Times by record: a record never changes, and a list is sorted by them. */
const changeTimes = new WeakMap<SearchableNote, number>();

function changeTime(note: SearchableNote): number {
  const known = changeTimes.get(note);
  if (known !== undefined) return known;
  const time = noteTime(note.updated_at)?.getTime() ?? note.mtime;
  changeTimes.set(note, time);
  return time;
}

function listedNote(note: SearchableNote, now: Date): z.input<typeof listedShape> {
  const { path, title, wing, hall, origin, written_by, status } = note;
  return {
    path,
    title,
    ...(wing !== null && { wing }),
    ...(hall !== null && { hall }),
    ...(origin !== undefined && { origin }),
    ...(written_by !== undefined && { written_by }),
    status,
    stale: isStale(note.frontmatter, now),
    changed_at: timestamp(new Date(changeTime(note))),
  };
}
