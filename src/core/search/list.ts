import * as z from 'zod';
import { compareText } from '../base/text';
import { timestamp } from '../base/time';
import type { SearchableNote } from '../catalog/note-search';
import { wingKey } from '../catalog/wings';
import { hallField, limitField, offsetField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { dateOf } from '../notes/trust';
import { countShape, readingShape, timeShape } from '../operation/shapes';
import { isStale, lastVerified } from '../vocabulary/envelope';
import { existingWing } from '../wings/operations';
import { type PlaceFilter, readPlace, underField } from './filters';
import { searchResultShape } from './query';

/** The notes that are listed; those that await review have a list of their own. */
const LISTED = ['wiki', 'knowledge', 'vault'] as const;

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
    changed_at: timeShape.describe(
      'The last write that its stamps name; of a note outside the folders of the service, the time of its file',
    ),
  });

const output = z.object({
  count: countShape,
  total: countShape,
  reading: readingShape.optional(),
  notes: z.array(listedShape),
});

/**
 * Lists the reviewed notes and those of the owner, by path or the last changed first; only those of a wing, a hall or a folder
 * where asked. Fails with `invalid_wing` for a wing that does not exist, `path_not_allowed` for a folder outside the vault.
 */
export const listNotes = operation({
  name: 'notes',
  scope: 'read',
  mutates: false,
  early: true,
  input: z.strictObject({
    wing: wingField.optional(),
    hall: hallField.optional(),
    under: underField,
    stale: z
      .literal(true)
      .optional()
      .describe('Only notes past their half-life, the longest unverified first'),
    order: z.enum(['path', 'recent']).default('path').describe('recent = the last changed first'),
    limit: limitField(500, 100),
    offset: offsetField,
  }),
  output,
  async run(brain, { wing, hall, under, stale, order, limit, offset }): Promise<z.input<typeof output>> {
    const reading = brain.reading();
    const now = brain.clock.now();
    const place = readPlace(brain, wing, under);
    const listed = LISTED.flatMap((status) => brain.catalog.notes(status))
      .filter((note): note is SearchableNote => note.status !== 'rejected')
      .filter((note) => isAt(note, place) && (hall === undefined || note.hall === hall))
      .filter((note) => stale === undefined || isOutdated(note, now));
    // The error for a wing that does not exist names those that do.
    if (wing !== undefined && listed.length === 0) existingWing(brain.catalog.wings(), wing);
    listed.sort(stale === true ? byVerification : order === 'path' ? byPath : byChange);
    const notes = listed.slice(offset, offset + limit).map((note) => listedNote(note, now));
    return { count: notes.length, total: listed.length, ...(reading && { reading }), notes };
  },
});

function isAt(note: SearchableNote, { wing, under }: PlaceFilter): boolean {
  if (under !== undefined && !note.path.startsWith(`${under}/`)) return false;
  return wing === undefined || (note.wing !== null && wingKey(note.wing) === wing);
}

function byPath(a: SearchableNote, b: SearchableNote): number {
  return compareText(a.path, b.path);
}

function byChange(a: SearchableNote, b: SearchableNote): number {
  return dateOf(b) - dateOf(a) || byPath(a, b);
}

function byVerification(a: SearchableNote, b: SearchableNote): number {
  return (lastVerified(a.frontmatter) ?? 0) - (lastVerified(b.frontmatter) ?? 0) || byPath(a, b);
}

/** Returns true for a reviewed note past its half-life. A note of the owner is none that the service asks about. */
function isOutdated({ status, frontmatter }: SearchableNote, now: Date): boolean {
  return status !== 'vault' && isStale(frontmatter, now);
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
    changed_at: timestamp(new Date(dateOf(note))),
  };
}
