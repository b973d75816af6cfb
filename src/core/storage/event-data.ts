import * as z from 'zod';
import { isSha, type Sha } from '../base/hash';
import { vaultPath } from '../vocabulary/paths';

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
 * What the line of a change says besides its notes, under a name for each kind. What has another shape, as from a later version, is
 * no evidence of anything.
 */
const eventData = z.object({ root: rootEdit.optional().catch(undefined) });
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

/** Returns what a parsed line says besides its notes. */
export function toldIn(value: Readonly<Record<string, unknown>>): Told {
  const { data, of, saw } = value;
  // Most lines have none.
  return data === undefined && of === undefined && saw === undefined ? {} : told.parse(value);
}

/** Returns the names under which the data of a change is found: that of each kind, and those of the hashes in it. */
export function dataNames({ data }: Told): string[] {
  const names: string[] = [];
  for (const [kind, value] of Object.entries(data ?? {})) if (value !== undefined) names.push(dataName(kind));
  return names;
}

/** Returns the name of a kind of data. No path and no hash has a colon first. */
export function dataName(kind: string): string {
  return `:${kind}`;
}

/** Returns the data as far as it is about files that a caller may read. */
export function dataSeen(data: EventData, sees: (path: string) => boolean): EventData {
  return { root: data.root && sees(data.root.path) ? data.root : undefined };
}
