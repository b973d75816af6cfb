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
import { ChangeLog } from './change-log';
import { archive, historyPath } from './history';
import { Journal, type OpenRecord } from './journal';
import { isOptional, rightsOf } from './plan';

/** The results of a recovery. Each entry is a name or a sentence for the owner. */
export interface RecoveryReport {
  /** Plans that were carried out to the end: `promote wiki/homelab/facts/mtu.md`. */
  readonly finished: readonly string[];
  /** Plans that had not begun or had failed, and of which nothing is left. */
  readonly undone: readonly string[];
  /** Sentences about files that others changed while a plan was interrupted: a person has to compare them. */
  readonly attention: readonly string[];
}

/**
 * Settles the plans that an earlier run of this device left open: one whose undo was begun is taken back, one of which no step
 * is begun is dropped, any other is finished, and one that meets a foreign text ends there. Runs alone, before anything else writes. Idempotent, also after a crash.
 */
export async function recover(
  { vault, state, clock }: Pick<Store, 'vault' | 'state' | 'clock'>,
  device: string,
): Promise<RecoveryReport> {
  const journal = new Journal({ state, clock, device });
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
    if (record.isMade === true) {
      await logOnce(new ChangeLog({ state, clock, device }), record, record.steps);
      return;
    }
    const states: StepState[] = [];
    for (const step of record.steps) states.push(await stepState(vault, step));
    if (states[0] === 'waiting' && !states.includes('done')) {
      // An earlier run may have taken a step back without a sync: a power cut would bring its file back.
      for (const [index, step] of record.steps.entries())
        if (states[index] === 'waiting') await makeFormerDurable(vault, step);
      await vault.removeEmptyFolders(record.folders);
      undone.push(name);
    } else {
      const carried = await carryThrough({ vault, state }, record, states);
      await logOnce(new ChangeLog({ state, clock, device }), record, carried.done);
      attention.push(...carried.attention);
      if (carried.finished) finished.push(name);
    }
  };
  for (const record of await journal.read()) {
    try {
      await settle(record);
    } catch (error) {
      // `busy` may pass by the next start. A plan that can never be settled must not keep the vault closed.
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
  // These are temporary files of writes that were cut. Only this process writes into the folder, and it has not begun.
  for (const path of await state.list(`local.${device}/tmp`)) await state.remove(path);
  return { finished, undone, attention };
}

/** Logs the steps of a plan that were done, unless the run that was cut logged them. */
async function logOnce(log: ChangeLog, record: OpenRecord, steps: readonly Step[]): Promise<void> {
  if (steps.length === 0) return;
  const event = record.event ?? (await log.begin({}));
  if (!(await log.has(event))) await log.add({ ...record, steps }, event);
}

/**
 * Carries out what is left of a plan; resolves with the steps that are done, and with sentences for the owner. `finished` is false when
 * it ended early, because a note to create or edit has a foreign text. Our text may never have been there, so nothing is removed after that.
 */
async function carryThrough(
  ports: Pick<Store, 'vault' | 'state'>,
  record: OpenRecord,
  states: readonly StepState[],
): Promise<{ finished: boolean; done: Step[]; attention: string[] }> {
  const attention: string[] = [];
  const done: Step[] = [];
  // A crash may leave steps that are done but not synced: they are made durable before any other step.
  for (const [index, step] of record.steps.entries())
    if (states[index] === 'done') await makeDoneDurable(ports.vault, step);
  // Steps run in order: a file before the last done step was done too, and someone has changed it since.
  const first = states.lastIndexOf('done') + 1;
  let foreign: VaultPath | null = null;
  for (const [index, step] of record.steps.entries()) {
    if (index < first) {
      // An optional edit that is not done was skipped.
      if (!isOptional(step) || states[index] === 'done') done.push(step);
      continue;
    }
    if (foreign !== null) {
      if (step.kind === 'remove') attention.push(notRemoved(step.path, foreign, record));
      continue;
    }
    const like = rightsOf(record.steps, index);
    if (await settleStep(ports, step, states[index], like)) {
      done.push(step);
      continue;
    }
    if (isOptional(step)) continue;
    attention.push(changedMeanwhile(step.path, record));
    if (step.kind !== 'remove') foreign = step.path;
  }
  return { finished: foreign === null, done, attention };
}

/** Makes a done step durable: for a file that exists, or is gone, already, the vault only syncs. */
async function makeDoneDurable(vault: VaultStore, step: Step): Promise<void> {
  if (step.kind !== 'remove') await vault.create(step.path, step.text);
  else if ((await vault.stat(step.path)) === null) await vault.remove(step.path);
}

/** Makes the state before a step durable: the missing file, or the former text. */
async function makeFormerDurable(vault: VaultStore, step: Step): Promise<void> {
  const text = await vault.read(step.path);
  if (text !== null) await vault.create(step.path, text);
  else if (step.kind === 'create') await vault.remove(step.path, step.text);
}

/** Carries out one step that was not done. Resolves false, changing nothing, when the file has a foreign text. */
async function settleStep(
  { vault, state }: Pick<Store, 'vault' | 'state'>,
  step: Step,
  reached: StepState | undefined,
  like?: VaultPath,
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
    await applyStep(vault, step, [], like);
    return true;
  } catch (error) {
    if (error instanceof StepFailed) return false;
    throw error;
  }
}

/**
 * Archives the texts of a plan that cannot be settled, because the journal that holds them is emptied. Returns a sentence that
 * names their paths.
 */
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
