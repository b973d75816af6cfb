import { BrainError } from '../base/errors';
import { sha256 } from '../base/hash';
import type { Store, VaultStore } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import {
  applyStep,
  completeStep,
  type Step,
  StepFailed,
  type StepState,
  stepState,
  takeBack,
} from './commit';
import { archive, historyPath } from './history';
import { journalOf, type OpenRecord } from './journal';
import { isOptional } from './plan';

/** What start-up did with the changes that an earlier run had begun; each is a sentence or a name for the owner. */
export interface RecoveryReport {
  /** Changes that were carried through: `promote wiki/homelab/facts/mtu.md`. */
  readonly finished: readonly string[];
  /** Changes that had not begun or had failed, and of which nothing is left. */
  readonly undone: readonly string[];
  /** What a person should look at: files that were changed by others while a change was interrupted. */
  readonly attention: readonly string[];
}

/**
 * Settles what an earlier run of this device left half done: a plan of which something stands is carried through, one of
 * which nothing stands is dropped, and one that finds someone else's text in its way goes no further. Runs alone, before
 * anything else writes. May be cut anywhere and run again; the second time it finds nothing to do.
 */
export async function recover(
  { vault, state, clock }: Pick<Store, 'vault' | 'state' | 'clock'>,
  device: string,
): Promise<RecoveryReport> {
  const journal = journalOf(state, device, clock);
  const finished: string[] = [];
  const undone: string[] = [];
  const attention: string[] = [];
  const settle = async (record: OpenRecord): Promise<void> => {
    const name = `${record.op} ${record.steps[0]?.path ?? ''}`;
    if (record.undo !== null) {
      const left = await takeBack({ vault, state }, record.steps.slice(0, record.undo), record.folders);
      for (const path of left) attention.push(changedMeanwhile(path, record));
      undone.push(name);
      return;
    }
    const states: StepState[] = [];
    for (const step of record.steps) states.push(await stepState(vault, step));
    if (states[0] === 'waiting' && !states.includes('done')) {
      // The run before may have begun and taken it back without bringing that to the disk, where it would come to life again.
      for (const [index, step] of record.steps.entries())
        if (states[index] === 'waiting') await bringBefore(vault, step);
      await vault.removeEmptyFolders(record.folders);
      undone.push(name);
    } else {
      const carried = await carryThrough({ vault, state }, record, states);
      attention.push(...carried.attention);
      if (carried.finished) finished.push(name);
    }
  };
  for (const record of await journal.read()) {
    try {
      await settle(record);
    } catch (error) {
      // A file that is held for a moment can be settled by the next start; what cannot be must not keep the vault closed.
      if (!(error instanceof BrainError) || error.code === 'busy') throw error;
      attention.push(await setAside(state, record, error.message));
    }
  }
  const damaged = await journal.keepDamage();
  if (damaged !== null) {
    attention.push(
      `The journal of interrupted changes holds lines that cannot be read, so a change may be half done. It is kept in .brain/${damaged}.`,
    );
  }
  await journal.clear();
  // Temporary files of writes that were cut. Nobody else writes into this folder, and nothing of ours runs yet.
  for (const path of await state.list(`local.${device}/tmp`)) await state.remove(path);
  return { finished, undone, attention };
}

/**
 * Does what is left of a plan; resolves with what a person should look at. `finished` is false when it ended early: a
 * note that was to be made or edited is someone else's. Whether ours ever stood there cannot be told, so nothing is
 * removed on the strength of it.
 */
async function carryThrough(
  ports: Pick<Store, 'vault' | 'state'>,
  record: OpenRecord,
  states: readonly StepState[],
): Promise<{ finished: boolean; attention: string[] }> {
  const attention: string[] = [];
  // A crash leaves behind what was done but not yet brought to the disk: nothing is added to it before that.
  for (const [index, step] of record.steps.entries())
    if (states[index] === 'done') await bringAfter(ports.vault, step);
  // Steps are done in order. What stands before the last one done was done too, and has been someone's since.
  const first = states.lastIndexOf('done') + 1;
  let foreign: VaultPath | null = null;
  for (const [index, step] of record.steps.entries()) {
    if (index < first) continue;
    if (foreign !== null) {
      if (step.kind === 'remove') attention.push(notRemoved(step.path, foreign, record));
      continue;
    }
    const stood = (await settleStep(ports, step, states[index])) || isOptional(step);
    if (stood) continue;
    attention.push(changedMeanwhile(step.path, record));
    if (step.kind !== 'remove') foreign = step.path;
  }
  return { finished: foreign === null, attention };
}

/** Makes durable what stands of a step that was done: asked to make or remove once more, the vault finds nothing to do. */
async function bringAfter(vault: VaultStore, step: Step): Promise<void> {
  if (step.kind !== 'remove') await vault.create(step.path, step.text);
  else if ((await vault.stat(step.path)) === null) await vault.remove(step.path);
}

/** The same of a step that has not been done: the file that is not there, or the text that it was to change. */
async function bringBefore(vault: VaultStore, step: Step): Promise<void> {
  const text = await vault.read(step.path);
  if (text !== null) await vault.create(step.path, text);
  else if (step.kind === 'create') await vault.remove(step.path, step.text);
}

/** Does one step that had not been done; resolves false, changing nothing, when the file is someone else's by now. */
async function settleStep(
  { vault, state }: Pick<Store, 'vault' | 'state'>,
  step: Step,
  reached: StepState | undefined,
): Promise<boolean> {
  if (reached === 'foreign') return false;
  if (step.kind !== 'create') {
    const text = await vault.read(step.path);
    if (text !== null && sha256(text) === step.before) await archive(state, step.before, text);
  }
  if (reached === 'begun' && step.kind !== 'remove') {
    await completeStep(vault, step);
    return true;
  }
  try {
    await applyStep(vault, step);
    return true;
  } catch (error) {
    if (error instanceof StepFailed) return false;
    throw error;
  }
}

/** Keeps the texts of a plan that cannot be settled, since the journal that holds them is emptied, and says where they are. */
async function setAside(state: Store['state'], record: OpenRecord, problem: string): Promise<string> {
  const kept: string[] = [];
  for (const step of record.steps) {
    if (step.kind === 'remove') continue;
    const hash = sha256(step.text);
    await archive(state, hash, step.text);
    kept.push(`.brain/${historyPath(hash)} (${step.path})`);
  }
  const where = kept.length === 0 ? '' : ` What it was to write: ${kept.join(', ')}.`;
  return `"${record.op}" was interrupted and can be neither finished nor undone. ${problem}${where}`;
}

function notRemoved(path: VaultPath, foreign: VaultPath, record: OpenRecord): string {
  return `"${record.op}" was interrupted and ${path} was not removed, as ${foreign} holds another text than planned. Compare the two and keep what you need.`;
}

function changedMeanwhile(path: VaultPath, record: OpenRecord): string {
  const kept = record.steps.flatMap((step) =>
    step.kind === 'create' ? [] : [`.brain/${historyPath(step.before)} (${step.path})`],
  );
  const where = kept.length === 0 ? '' : ` Former texts: ${kept.join(', ')}.`;
  return `"${record.op}" was interrupted and ${path} was changed by someone else meanwhile; it was left as it is.${where}`;
}
