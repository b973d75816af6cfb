import { BrainError } from '../base/errors';
import { sha256 } from '../base/hash';
import { finish, LONG_TEXT, type Steps } from '../base/steps';
import type { FileStat, StateStore, Store, VaultChange, VaultStore } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import { logChange } from './change-log';
import { archive, readHistory } from './history';
import { journalOf } from './journal';
import { type CommitOptions, type EditStep, isOptional, type Plan, type Step, StepFailed } from './plan';

export { type Plan, type Step, StepFailed };

/** What a change of the vault needs of the brain. */
export interface CommitPorts extends Store {
  readonly catalog: ChangedFiles;
  /** Told of every change, right after it stands; must not throw. */
  readonly committed?: (plan: Plan) => void;
}

/** Who is told of the files that a change makes, edits and removes. */
interface ChangedFiles {
  /** Work that may be done ahead for a text that is about to stand, in pieces of several steps. */
  expect(path: VaultPath, text: string): Steps<void>[];
  /** A file stands with this text. */
  put(path: VaultPath, text: string, stat: FileStat): void;
  /** No file stands at the path. */
  drop(path: VaultPath): void;
  /** What stands at the path only the disk can tell. */
  markDirty(change: VaultChange): void;
}

/**
 * Carries out a plan, in a turn of the writer or in flight after it. Before the vault is touched, every text that a step takes away is in the
 * history, and a plan that a crash could cut in two is in the journal. Resolves, when all of it is durable and the
 * catalog knows, with the paths of the optional edits that were skipped.
 * @throws StepFailed when the vault is not as the plan expects, or what a port throws; then the vault is as it was.
 */
export async function commit(
  brain: CommitPorts,
  plan: Plan,
  { meanwhile, isConcurrent = false, usesWait: isAhead = true, later }: CommitOptions = {},
): Promise<VaultPath[]> {
  const { steps, skipped, folders } = await inspect(brain, plan);
  const journal = journalOf(brain.state, brain.device, brain.clock);
  const tearable = !brain.vault.atomicWrites && steps.some(({ kind }) => kind !== 'remove');
  const journaled = steps.length > 1 || folders.length > 0 || tearable;
  const [first] = steps;
  if (journaled && isConcurrent && first !== undefined) throw new StepFailed(first, 'changed');
  const id = journaled ? await journal.begin({ op: plan.op, steps }, folders) : null;
  let isWhole = true;

  let checked = 0;

  for (const [index, step] of steps.entries()) {
    // The next start does what comes after the last step that stands, so nothing may stand after half a file.
    if (!isWhole && isOptional(step)) {
      skipped.push(step.path);
      continue;
    }
    try {
      if (step.kind === 'remove') {
        await verifyCreated(brain.vault, steps.slice(checked, index));
        checked = index;
      }
      const isShort = step.kind === 'create' && step.text.length < LONG_TEXT;
      const pieces = isAhead && isShort ? brain.catalog.expect(step.path, step.text) : [];
      const ahead = pieces.map((piece) => () => finish(piece));
      if (index === 0 && meanwhile !== undefined) ahead.unshift(meanwhile);
      await applyStep(
        brain.vault,
        step,
        ahead.map((piece) => () => orWarn(brain, piece)),
      );
    } catch (error) {
      if (isOptional(step)) {
        const stands = error instanceof StepFailed ? false : await mend(brain, step);
        if (stands === null) isWhole = false;
        if (stands === true) continue;
        brain.log.warn('commit.skipped', { op: plan.op, path: step.path, message: String(error) });
        skipped.push(step.path);
        continue;
      }
      // A step that refused did not happen; one that broke may have.
      const happened = error instanceof StepFailed ? index : index + 1;
      await undo(brain, { op: plan.op, steps: steps.slice(0, happened) }, folders, id);
      throw error;
    }
  }

  // From here on the plan stands: what fails now can be repaired, so it is logged and not thrown.
  // Where half a file is left, the record stays open, and the next start completes it.
  if (id !== null && isWhole) await orLog(brain, 'commit.journal', () => journal.done(id));
  const left = new Set(skipped);
  for (const step of steps) if (!left.has(step.path)) await tellCatalog(brain, step);
  // What stands in the file of an edit that did not come off only the file can tell.
  for (const path of skipped) brain.catalog.markDirty({ kind: 'changed', path });
  const stand = steps.filter(({ path }) => !left.has(path));
  const logged = orLog(brain, 'commit.change_log', () => logChange(brain, { op: plan.op, steps: stand }));
  if (later === undefined) await logged;
  else later.push(logged);
  return skipped;
}

/** Refuses a plan that the vault does not fit, archives what it will take away, and finds the folders it will make. */
async function inspect(
  { vault, state }: CommitPorts,
  plan: Plan,
): Promise<{ steps: Step[]; skipped: VaultPath[]; folders: string[] }> {
  const steps: Step[] = [];
  const skipped: VaultPath[] = [];
  const folders = new Set<string>();
  for (const step of plan.steps) {
    if (step.kind === 'create') {
      if ((await vault.stat(step.path)) !== null) throw new StepFailed(step, 'taken');
      for (const folder of await vault.missingFolders(step.path)) folders.add(folder);
    } else {
      const text = await vault.read(step.path);
      if (text === null || sha256(text) !== step.before) {
        if (!isOptional(step)) {
          throw new StepFailed(step, text === null ? 'absent' : 'changed');
        }
        skipped.push(step.path);
        continue;
      }
      await archive(state, step.before, text);
    }
    steps.push(step);
  }
  return { steps, skipped, folders: [...folders] };
}

/**
 * Carries out one step; durable when it resolves. `meanwhile` is work that may be done while the disk is busy with a new note.
 * @throws StepFailed, with nothing changed, when the vault is not as the step expects.
 */
export async function applyStep(
  vault: VaultStore,
  step: Step,
  meanwhile: readonly (() => void)[] = [],
): Promise<void> {
  if (step.kind === 'create') {
    if (!(await vault.create(step.path, step.text, meanwhile))) throw new StepFailed(step, 'taken');
  } else if (step.kind === 'edit') {
    const edited = await vault.edit(step.path, (old) => (sha256(old) === step.before ? step.text : null));
    if (!edited) throw new StepFailed(step, (await vault.stat(step.path)) === null ? 'absent' : 'changed');
  } else {
    const text = await vault.read(step.path);
    if (text === null) throw new StepFailed(step, 'absent');
    const isAsRead = sha256(text) === step.before && (await vault.remove(step.path, text));
    if (!isAsRead) throw new StepFailed(step, 'changed');
  }
}

/** Nothing is removed on the word of the file system alone: what was made before reads back as it was written. */
async function verifyCreated(vault: VaultStore, earlier: readonly Step[]): Promise<void> {
  for (const step of earlier) {
    if (step.kind !== 'create') continue;
    const text = await vault.read(step.path);
    if (text !== step.text) throw new StepFailed(step, 'changed');
  }
}

/** How far a step has come: not begun, begun (a part of its text stands there), done, or someone else's text is there. */
export type StepState = 'waiting' | 'begun' | 'done' | 'foreign';

/** Looks at the vault to tell how far a step of an interrupted plan has come. */
export async function stepState(vault: VaultStore, step: Step): Promise<StepState> {
  const text = await readText(vault, step.path);
  if (text === undefined) return 'foreign';
  const hash = text === null ? null : sha256(text);
  if (step.kind === 'remove') return hash === null ? 'done' : hash === step.before ? 'waiting' : 'foreign';
  if (hash === sha256(step.text)) return 'done';
  if (hash === (step.kind === 'create' ? null : step.before)) return 'waiting';
  return text !== null && step.text.startsWith(text) ? 'begun' : 'foreign';
}

/** The text, null when there is none, undefined when what stands there is no text. */
async function readText(vault: VaultStore, path: VaultPath): Promise<string | null | undefined> {
  try {
    return await vault.read(path);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return undefined;
    throw error;
  }
}

/**
 * Completes a file that holds only the beginning of what the step was to write; resolves false, leaving it alone, when it
 * holds anything else.
 */
export function completeStep(vault: VaultStore, step: Exclude<Step, { kind: 'remove' }>): Promise<boolean> {
  return vault.edit(step.path, (old) => (step.text.startsWith(old) ? step.text : null));
}

/**
 * Takes back the steps, last first, then the folders made for them. What someone else has changed meanwhile is left
 * alone; resolves with the paths of such files. May be cut anywhere and done again.
 */
export async function takeBack(
  { vault, state }: { vault: VaultStore; state: StateStore },
  steps: readonly Step[],
  folders: readonly string[],
): Promise<VaultPath[]> {
  const left: VaultPath[] = [];
  for (const step of [...steps].reverse()) {
    if (!(await takeBackStep(vault, state, step))) left.push(step.path);
  }
  await vault.removeEmptyFolders(folders);
  return left;
}

/**
 * Takes one step back, whether it was done, begun or not; resolves false, changing nothing, when the file is someone else's
 * by now. Where a crash can cut a file, one may hold the beginning of the step's text or, when taking it back was cut, of the
 * former one: both are ours.
 */
async function takeBackStep(vault: VaultStore, state: StateStore, step: Step): Promise<boolean> {
  const text = await readText(vault, step.path);
  if (text === undefined) return false;
  if (step.kind === 'create') {
    if (text !== null && !step.text.startsWith(text)) return false;
    // Also where there seems to be none: a host may not have heard yet of what a failed call left on disk, and then says so.
    await vault.remove(step.path);
    return true;
  }
  if (text !== null && sha256(text) === step.before) {
    // It may have been taken back by a run that was cut before the disk had it: asked to make it, the vault sees to that.
    await vault.create(step.path, text);
    return true;
  }
  if (text === null && step.kind === 'edit') return false;
  const old = await readHistory(state, step.before);
  const isOurs = (now: string): boolean =>
    (step.kind === 'edit' && step.text.startsWith(now)) || old?.startsWith(now) === true;
  if (text !== null && !isOurs(text)) return false;
  if (old === null) throw new Error(`The history lacks ${step.before}, the former text of ${step.path}.`);
  return text === null
    ? vault.create(step.path, old)
    : vault.edit(step.path, (now) => (isOurs(now) ? old : null));
}

/** Takes a failed plan back. When even that fails, the journal keeps it and the next start does it. */
async function undo(
  brain: CommitPorts,
  done: Plan,
  folders: readonly string[],
  id: string | null,
): Promise<void> {
  const journal = journalOf(brain.state, brain.device, brain.clock);
  if (id !== null) await orLog(brain, 'commit.journal', () => journal.undoing(id, done.steps.length));
  await orLog(brain, 'commit.undo', async () => {
    const left = await takeBack(brain, done.steps, folders);
    for (const path of left) brain.log.warn('commit.undo_left', { op: done.op, path });
    for (const path of left) await expectText(brain.vault, path);
    if (id !== null) await journal.done(id);
  });
  for (const { path } of done.steps) brain.catalog.markDirty({ kind: 'changed', path });
}

/**
 * An optional edit broke, so half of it may stand: the rest is written. It is not taken back, as a cut would then leave half
 * of the former text, which nobody looks for. Resolves true when the edit stands, false when nothing of it does, and null,
 * when that failed as well: the next start has to look at it.
 */
function mend(brain: CommitPorts, step: EditStep): Promise<boolean | null> {
  return orLog(brain, 'commit.mend', async () => {
    const reached = await stepState(brain.vault, step);
    if (reached === 'begun' || reached === 'done') return completeStep(brain.vault, step);
    if (reached === 'foreign') await expectText(brain.vault, step.path);
    return false;
  });
}

/** @throws Error when the file is no text: it may be ours, cut within a character, which only the next start can tell. */
async function expectText(vault: VaultStore, path: VaultPath): Promise<void> {
  if ((await readText(vault, path)) === undefined) throw new Error(`${path} holds no text.`);
}

/** What the work resolves with; null, and why is logged, when it failed. */
async function orLog<T>({ log }: CommitPorts, event: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    log.error(event, { message: String(error) });
    return null;
  }
}

/** Work that was only to be done ahead: where it fails, it is done again when its time has come, and then heard. */
function orWarn({ log }: CommitPorts, piece: () => void): void {
  try {
    piece();
  } catch (error) {
    log.warn('commit.ahead', { message: String(error) });
  }
}

async function tellCatalog({ vault, catalog, log }: CommitPorts, step: Step): Promise<void> {
  if (step.kind === 'remove') return catalog.drop(step.path);
  try {
    const stat = await vault.stat(step.path);
    if (stat !== null) return catalog.put(step.path, step.text, stat);
  } catch (error) {
    log.warn('commit.stat', { path: step.path, message: String(error) });
  }
  catalog.markDirty({ kind: 'changed', path: step.path });
}
