import * as z from 'zod';
import { compareText } from '../base/text';
import { noteTime, timeSince, timestamp } from '../base/time';
import type { SearchableNote } from '../catalog/note-search';
import { wingKey } from '../catalog/wings';
import { hallField, limitField, offsetField, sinceField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { dateOf } from '../notes/trust';
import { countShape, readingShape, timeShape } from '../operation/shapes';
import { isStale, isWriter, lastVerified } from '../vocabulary/envelope';
import { existingWing } from '../wings/operations';
import { type PlaceFilter, readPlace, underField } from './filters';
import { searchResultShape, STATUSES } from './query';

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
    what: z
      .enum(['new', 'promoted', 'updated'])
      .optional()
      .describe('With `since`: what its last stamp says happened then'),
    by: z.string().optional().describe('With `since`: who did that'),
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
 * Lists the reviewed notes and those of the owner, by path or the last changed first; only those of a wing, a hall or a folder, and those
 * that changed since a time, where asked. Fails with `invalid_wing` for a wing that does not exist, `path_not_allowed` for a folder outside the vault.
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
    since: sinceField
      .optional()
      .describe('Only notes that changed from then on: a time, a date, or a span such as 24h'),
    status: z.enum(STATUSES).optional().describe('Only notes in this state; raw = those that await review'),
    include_raw: z.boolean().default(false).describe('Also those that await review'),
    written_by: z.string().max(200).optional().describe('Only notes of this writer'),
    order: z.enum(['path', 'recent']).default('path').describe('recent = the last changed first'),
    limit: limitField(500, 100),
    offset: offsetField,
  }),
  output,
  async run(
    brain,
    { wing, hall, under, stale, status, order, limit, offset, ...rest },
  ): Promise<z.input<typeof output>> {
    const reading = brain.reading();
    const now = brain.clock.now();
    const place = readPlace(brain, wing, under);
    const since = rest.since === undefined ? null : timeSince(rest.since, now).getTime();
    const listed = (
      status === undefined ? [...LISTED, ...(rest.include_raw ? (['raw'] as const) : [])] : [status]
    )
      .flatMap((each) => brain.catalog.notes(each))
      .filter((note): note is SearchableNote => note.status !== 'rejected')
      .filter((note) => isAt(note, place) && (hall === undefined || note.hall === hall))
      .filter((note) => stale === undefined || isOutdated(note, now))
      .filter((note) => rest.written_by === undefined || isWriter(note.written_by, rest.written_by))
      .filter((note) => since === null || dateOf(note) >= since);
    // The error for a wing that does not exist names those that do.
    if (wing !== undefined && listed.length === 0) existingWing(brain.catalog.wings(), wing);
    listed.sort(stale === true ? byVerification : order === 'path' ? byPath : byChange);
    const notes = listed.slice(offset, offset + limit).map((note) => ({
      ...listedNote(note, now),
      ...(since !== null && happened(note)),
    }));
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

/** Returns what the last stamp of a note says; nothing for a note of the owner, whose file alone has a time. */
function happened({
  status,
  written_by,
  frontmatter,
}: SearchableNote): Pick<z.input<typeof listedShape>, 'what' | 'by'> {
  if (status === 'vault') return {};
  const { updated_at: updated, promoted_at: promoted, promoted_by } = frontmatter;
  const what = noteTime(updated) !== null ? 'updated' : noteTime(promoted) !== null ? 'promoted' : 'new';
  const by = what === 'promoted' ? promoted_by : written_by;
  return { what, ...(typeof by === 'string' && { by }) };
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
