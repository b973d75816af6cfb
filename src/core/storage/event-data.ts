import * as z from 'zod';
import { isSha, type Sha } from '../base/hash';
import { parseTime } from '../base/time';
import { type VaultPath, vaultPath } from '../vocabulary/paths';

const path = z.string().transform(vaultPath);
const sha = z.custom<Sha>(isSha);

/**
 * An edit of the root note, which has no stamps: who changed it and why. `undo` is true for one that reverted the edits of a writer.
 * An `id` and `undone` are in logs of earlier versions alone: an edit that was recorded before it was made, and that it failed.
 */
const rootEdit = z.object({
  path,
  before: sha.optional(),
  after: sha,
  actor: z.string(),
  reason: z.string(),
  undo: z.literal(true).optional(),
  id: z.string().optional(),
  undone: z.boolean().optional(),
});

/**
 * A note that was forgotten: the hashes of the texts that it had alone, slow hashes of its paths with a salt, and the ids of the
 * changes that were about it.
 */
const forgotten = z.object({
  salt: z.string(),
  paths: z.array(z.string()),
  hashes: z.array(sha),
  lines: z.array(z.string()).optional(),
});

/**
 * Sources that a change added to a note. The stamps of the note name the writer of its text and do not change. `id` and `undone` as
 * of an edit of the root note.
 */
const addition = z.object({
  path,
  before: sha,
  after: sha,
  sources: z.array(z.string()),
  origin: z.string(),
  written_by: z.string(),
  id: z.string().optional(),
  undone: z.boolean().optional(),
});

/**
 * An undo: whose deeds of what time were undone, and of each note the version from which its text was made, where that is not the one
 * before. Texts that came after `until` it has not seen.
 */
const undo = z.object({
  by: z.string(),
  since: z.string(),
  until: z.string(),
  versions: z.record(z.string(), sha),
});

/** Where a note was in the queue, in logs of earlier versions alone: the note of a change says where it was. */
const origin = z.object({ path, from: path.refine((from) => from.startsWith('raw/')) });

/** Until when the note that it saw is put off, as long as its text stays; null for a note that is woken. */
const snooze = z.object({
  until: z
    .string()
    .refine((time) => parseTime(time) !== null)
    .nullable(),
});

/**
 * A note that a person moved by hand, and some notes whose links to it open another file since. In `moved` it is about the note with
 * this path in `saw`; in `left` the moves are known already, and the notes are those whose links a mending found to lead.
 */
const moved = z.object({ path, from: path, astray: z.array(path).optional() });

/** The import that a change belongs to. */
const imported = z.object({ id: z.string(), name: z.string() });

/**
 * What the line of a change says besides its notes, under a name for each kind. What has another shape, as from a later version, is
 * no evidence of anything.
 */
const eventData = z.object({
  root: rootEdit.optional().catch(undefined),
  added: z.array(addition).optional().catch(undefined),
  undo: undo.optional().catch(undefined),
  origin: origin.optional().catch(undefined),
  snooze: snooze.optional().catch(undefined),
  forgotten: forgotten.optional().catch(undefined),
  moved: moved.optional().catch(undefined),
  import: imported.optional().catch(undefined),
  left: z.array(moved).optional().catch(undefined),
});
export type EventData = z.output<typeof eventData>;

/** The fields by which a change says more than which notes it changed. */
export const toldShape = {
  data: eventData.optional().catch(undefined),
  /** The ids of the changes that it takes back. */
  of: z.array(z.string()).optional().catch(undefined),
  /** The notes that it is about and did not change. */
  saw: z
    .array(z.object({ path, hash: sha }))
    .optional()
    .catch(undefined),
};
const told = z.object(toldShape);

/** What a change says besides the notes that it changed. */
export type Told = Readonly<z.output<typeof told>>;

/** Returns true for a change that says something which nothing else tells. */
export function isTelling({ data, of }: Told): boolean {
  return data !== undefined || of !== undefined;
}

/** Returns what a parsed line says besides its notes. */
export function toldIn(value: Readonly<Record<string, unknown>>): Told {
  const { data, of, saw } = value;
  // Most lines have none.
  return data === undefined && of === undefined && saw === undefined ? {} : told.parse(value);
}

/** Returns the names under which the data of a change is found: that of each kind, and those of what some of them name. */
export function dataNames({ data, saw = [] }: Told): string[] {
  const names: string[] = [];
  for (const [kind, value] of Object.entries(data ?? {})) if (value !== undefined) names.push(dataName(kind));
  for (const { before, after } of data?.added ?? [])
    names.push(dataName('added', before), dataName('added', after));
  if (data?.origin !== undefined) names.push(dataName('origin', data.origin.path));
  if (data?.moved !== undefined) names.push(dataName('moved', data.moved.path));
  if (data?.snooze !== undefined) for (const { path } of saw) names.push(dataName('snooze', path));
  return names;
}

/** Returns the name of a kind of data, and of a hash or path in it. No path and no hash has a colon first. */
export function dataName(kind: string, of?: Sha | VaultPath): string {
  return of === undefined ? `:${kind}` : `:${kind} ${of}`;
}

/** Returns the data as far as it is about files that a caller may read. */
export function dataSeen(data: EventData, sees: (path: string) => boolean): EventData {
  const { root, added } = data;
  return {
    root: root && sees(root.path) ? root : undefined,
    added: added?.filter(({ path }) => sees(path)),
  };
}
