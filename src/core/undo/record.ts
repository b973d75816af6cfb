import * as z from 'zod';
import { isSha, type Sha } from '../base/hash';
import { asciiJson, parsedJson } from '../base/json';
import { compareText } from '../base/text';
import type { Brain } from '../operation/context';
import { limitField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, timeShape } from '../operation/shapes';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import type { PastUndoScope } from './past';

const FOLDER = 'undo';

const sha = z.custom<Sha>(isSha);
const path = z.string().transform(vaultPath);

/** The record of an undo, from which it can be taken back: for each note the hashes before and after, and its new path. */
const undoRecord = z.object({
  v: z.literal(1),
  id: z.string(),
  ts: z.string(),
  by: z.string(),
  since: z.string(),
  actor: z.string(),
  taken_back: z.string().optional(),
  notes: z.array(
    z.object({
      path,
      before: sha,
      /** The new path; absent when the note did not move. */
      to: path.optional(),
      after: sha,
      /** The hash of the version that `after` was made from, when that is not `before`. */
      version: sha.optional(),
      root: z.literal(true).optional(),
    }),
  ),
});
export type UndoRecord = z.output<typeof undoRecord>;

/** An undone note, as far as its record needs it. */
interface Undone {
  readonly path: VaultPath;
  readonly before: Sha;
  readonly to?: VaultPath;
  readonly version?: Sha;
  readonly root?: unknown;
}

/** Returns the record of an item; `after` is the hash of the text that its first step writes. */
export function noteOf({ path, before, to, version, root }: Undone, after: Sha): UndoRecord['notes'][number] {
  return {
    path,
    before,
    after,
    ...(to && { to }),
    ...(version && { version }),
    ...(root !== undefined && { root: true as const }),
  };
}

/** Maps the hash of each text that an undo restored to the hash of its original. */
export function putBackTexts(records: readonly UndoRecord[]): Map<Sha, Sha> {
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
export function undoneDeeds(records: readonly UndoRecord[]): PastUndoScope[] {
  return records.flatMap(({ by, since, ts, taken_back: back }) =>
    back === undefined ? [{ by, since, until: ts }] : [],
  );
}

/** Saves a record durably, before its undo happens. */
export async function keepRecord({ state }: Pick<Brain, 'state'>, record: UndoRecord): Promise<void> {
  await state.write(recordPath(record.id), asciiJson(record));
}

/** Removes the record of a failed undo. */
export async function dropRecord({ state }: Pick<Brain, 'state'>, id: string): Promise<void> {
  await state.remove(recordPath(id));
}

/** Returns every recorded undo, newest first. Unreadable records are left out. */
export async function undoRecords({ state }: Pick<Brain, 'state'>): Promise<UndoRecord[]> {
  const records: UndoRecord[] = [];
  for (const file of await state.list(FOLDER)) {
    const record = parseRecord(await state.read(file));
    if (record !== null && recordPath(record.id) === file) records.push(record);
  }
  return records.sort((a, b) => compareText(b.ts, a.ts) || compareText(a.id, b.id));
}

function recordPath(id: string): string {
  return `${FOLDER}/${id}.json`;
}

function parseRecord(text: string | null): UndoRecord | null {
  // With a file that is torn or foreign nothing can be taken back.
  return undoRecord.safeParse(parsedJson(text ?? '')).data ?? null;
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
