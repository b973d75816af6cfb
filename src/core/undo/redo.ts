import * as z from 'zod';
import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { sha256 } from '../base/hash';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField } from '../operation/fields';
import { operation } from '../operation/operation';
import { mayChangeText } from '../operation/owner';
import { countShape, pathShape, warningsShape } from '../operation/shapes';
import { readHistory } from '../storage/history';
import type { EventData } from '../storage/event-data';
import type { Step } from '../storage/plan';
import { wingOfPath } from '../vocabulary/address';
import { stampOf } from '../vocabulary/envelope';
import { zoneOf } from '../vocabulary/paths';
import { refreshWings } from '../wings/refresh';
import { type PastUndo, pastUndos } from './record';

const output = z.object({
  undo: z.string(),
  count: countShape,
  restored: z.array(pathShape).describe('Notes that are, byte for byte, as they were before the undo'),
  left: z
    .array(z.object({ path: pathShape, why: z.string() }))
    .describe('Notes that were changed or moved since; they are left as they are'),
  warnings: warningsShape,
});

type Note = PastUndo['notes'][number];

/**
 * Takes an undo back: every note that is unchanged since the undo gets its former text and path. A note that was changed,
 * promoted or moved since is listed and left unchanged. Needs `review` in addition to `admin`. Fails with `note_not_found` for
 * an unknown undo.
 */
export const redo = operation({
  name: 'undo_back',
  scope: 'admin',
  besides: 'review',
  mutates: true,
  whole: true,
  input: z.strictObject({
    undo: z.string().max(100).describe('The undo, as its answer or the list of undos names it'),
    dry_run: dryRunField,
  }),
  output,
  run(brain, { undo: id, dry_run: dryRun = false }, caller, watch) {
    const actor = stampOf(caller).written_by;
    return changeVault(
      brain,
      async (): Promise<Change<z.input<typeof output>>> => {
        const record = (await pastUndos(brain)).find((one) => one.id === id);
        if (record === undefined) {
          throw new BrainError(
            'note_not_found',
            `No undo of this name is on record; ${called('undos', 'the list of undos')} names those that are.`,
            {
              undo: id,
            },
          );
        }
        const steps: Step[] = [];
        const restored: Note[] = [];
        const left: { path: string; why: string }[] = [];
        for (const note of record.notes) {
          const back = await stepsBack(brain, note, caller);
          if (typeof back === 'string') left.push({ path: note.to ?? note.path, why: back });
          else {
            steps.push(...back);
            restored.push(note);
          }
        }
        const warnings: string[] = [];
        const result = {
          undo: id,
          count: restored.length,
          restored: restored.map(({ path }) => path),
          left,
          warnings,
        };
        // Where every note is back already, the undo is taken back all the same.
        const isBack =
          steps.length > 0 || (record.taken_back === undefined && (await areBack(brain, record.notes)));
        if (dryRun || !isBack) return { plan: null, result };
        const root = rootEditOf(restored, steps, { actor, reason: `Took back the undo ${id}` });
        return {
          plan: { op: 'undo-back', steps, of: [id], ...(root && { data: { root } }) },
          forOwner: actsForOwner(caller) || restored.some(({ root }) => root === true),
          result,
          finish: () =>
            refreshWings(
              brain,
              restored.map(({ path }) => wingOfPath(path)),
              warnings,
            ),
        };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});

async function areBack({ vault }: Brain, notes: readonly Note[]): Promise<boolean> {
  for (const { path, before } of notes) if (sha256((await vault.read(path)) ?? '') !== before) return false;
  return true;
}

/** Returns the steps that restore a note, or the reason why it cannot be restored. */
async function stepsBack(
  brain: Brain,
  { path, before, to, after, root }: Note,
  caller: Caller,
): Promise<Step[] | string> {
  const stands = await brain.vault.read(to ?? path);
  if (stands === null) return 'is not there any more';
  if (sha256(stands) === before && to === undefined) return 'is as it was already';
  if (sha256(stands) !== after) return 'was changed since';
  const isTheirs = zoneOf(path) === 'other' || !mayChangeText(caller, to ?? path, stands);
  if (isTheirs && root !== true && !actsForOwner(caller))
    return 'is a note of the owner: only the owner puts it back';
  const text = await readHistory(brain.state, before);
  if (text === null) return 'has lost its former text from the history';
  if (to === undefined) return [{ kind: 'edit', path, before: after, text }];
  const taken = brain.catalog.taken(path) ?? ((await brain.vault.stat(path)) === null ? null : path);
  if (taken !== null) return `cannot go back: something stands at ${taken} now`;
  return [
    { kind: 'create', path, text },
    { kind: 'remove', path: to, before: after },
  ];
}

/** Returns what the past keeps of the edit of the root note; undefined when it is not restored. */
function rootEditOf(
  restored: readonly Note[],
  steps: readonly Step[],
  by: { readonly actor: string; readonly reason: string },
): EventData['root'] {
  const path = restored.find(({ root }) => root === true)?.path;
  const step = steps.find((one) => one.path === path);
  if (step?.kind !== 'edit') return undefined;
  return { ...by, path: step.path, before: step.before, after: sha256(step.text) };
}
