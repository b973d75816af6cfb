import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { finish, LONG_TEXT, type Steps } from '../base/steps';
import {
  type FileStat,
  type StateStore,
  type Store,
  type VaultChange,
  type VaultStore,
} from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import type { Acting, ChangeLog } from './change-log';
import { isTelling } from './event-data';
import { archive, readHistory } from './history';
import type { Journal } from './journal';
import {
  type CommitOptions,
  type EditStep,
  isOptional,
  rightsOf,
  type Plan,
  type Step,
  StepFailed,
} from './plan';

export { type Plan, type Step, StepFailed };

/** The parts of the brain that a commit uses. */
export interface CommitPorts extends Store {
  readonly catalog: ChangedFiles;
  readonly journal: Journal;
  readonly changeLog: ChangeLog;
  /** Who makes the changes, and the key of the call; empty for changes of the service itself. */
  readonly acting: Acting;
  /** Runs right after a change is durable. Must not throw. */
  readonly committed?: (plan: Plan) => void;
}

/** The receiver of the files that a change creates, edits and removes. */
interface ChangedFiles {
  /** Returns work that may be done before the text is on the disk, in pieces of several steps. */
  prepare(path: VaultPath, text: string): Steps<void>[];
  /** Records that the file has this text. */
  put(path: VaultPath, text: string, stat: FileStat): void;
  /** Records that there is no file at the path. */
  drop(path: VaultPath): void;
  /** Records that the file must be read again. */
  markDirty(change: VaultChange): void;
}

/**
 * Carries out a plan, under the writer lock or concurrently. Before the vault changes, every text that a step replaces or
 * removes is in the history, and a plan that a crash could cut in two is in the journal. Resolves when all of it is durable and
 * the catalog is updated, with the paths of the optional edits that were skipped.
 * @throws StepFailed when the vault differs from what the plan expects, or the error of a port. The vault is as before then.
 */
export async function commit(
  brain: CommitPorts,
  plan: Plan,
  options: CommitOptions = {},
): Promise<VaultPath[]> {
  const { isConcurrent = false, later } = options;
  if (brain.vault.together !== undefined) return commitTogether(brain, plan, brain.vault.together, options);
  if (plan.steps.length === 0) return commitLine(brain, plan, options);
  const { steps, skipped, folders, former } = await inspect(brain, plan);
  const { journal } = brain;
  const journaled = isJournaled(brain, { ...plan, steps }, folders);
  const [first] = steps;
  if (journaled && isConcurrent && first !== undefined) throw new StepFailed(first, 'changed');
  const event = await brain.changeLog.begin(brain.acting, plan.eventId);
  await options.intend?.(brain.state, event.at);
  const begun = journaled ? journal.begin({ ...plan, steps }, folders, event) : null;
  const id = await archived(brain, former, begun, journal);
  const takeBackAll = (happened: Plan): Promise<void> => undo(brain, happened, folders, id);
  const isComplete = await carryOut(brain, { ...plan, steps }, skipped, options, takeBackAll);

  // The change is durable from here on: later failures can be repaired, so they are logged and not thrown. While a file is
  // incomplete, the record stays open, and the next start completes the file.
  const left = new Set(skipped);
  const done = steps.filter(({ path }) => !left.has(path));
  const log = (): Promise<boolean | null> =>
    orLog(brain, 'commit.change_log', async () => {
      await brain.changeLog.add({ ...plan, steps: done }, event);
      return true;
    });
  // The log comes before the end of the record: a change that is cut in between is logged by the next start.
  const isTold = id === null || (await log()) === true || !isTelling(plan);
  if (id !== null && isComplete) await endRecord(brain, id, isTold, skipped);
  for (const step of done) await updateCatalog(brain, step);
  // The content of a skipped file is unknown: the edit may have broken.
  for (const path of skipped) brain.catalog.markDirty({ kind: 'changed', path });
  if (id === null) {
    const logged = log();
    if (later === undefined) await logged;
    else later.push(logged);
  }
  return skipped;
}

/** Carries out a plan without steps: its line is all that it changes. */
async function commitLine(brain: CommitPorts, plan: Plan, { intend }: CommitOptions): Promise<VaultPath[]> {
  const event = await brain.changeLog.begin(brain.acting, plan.eventId);
  await intend?.(brain.state, event.at);
  await brain.changeLog.add(plan, event);
  return [];
}

/** Returns true for a plan that a crash could cut in two, or part from what its line in the change log has to say. */
function isJournaled({ vault }: CommitPorts, plan: Plan, folders: readonly string[]): boolean {
  const { steps } = plan;
  const isTearable = !vault.atomicWrites && steps.some(({ kind }) => kind !== 'remove');
  return steps.length > 1 || folders.length > 0 || isTearable || isTelling(plan);
}

/** Ends the record of a plan that is made. One that the log lacks is left to the next start, because nothing else tells its data. */
async function endRecord(
  brain: CommitPorts,
  id: string,
  isTold: boolean,
  skipped: readonly VaultPath[],
): Promise<void> {
  const { journal } = brain;
  await orLog(brain, 'commit.journal', () => (isTold ? journal.done(id) : journal.made(id, skipped)));
}

/**
 * Carries out steps in order and adds the optional edits that fail to `skipped`. When another step fails, `takeBackAll` gets the
 * steps so far, and the error is thrown. Resolves false when an optional edit is half written and could not be completed.
 */
async function carryOut(
  brain: CommitPorts,
  { op, steps }: Plan,
  skipped: VaultPath[],
  { meanwhile, usesWait = true }: CommitOptions,
  takeBackAll: (happened: Plan) => Promise<void>,
): Promise<boolean> {
  let isComplete = true;
  let checked = 0;
  for (const [index, step] of steps.entries()) {
    // Recovery carries out what follows the last done step, so no step may be done after an incomplete file.
    if (!isComplete && isOptional(step)) {
      skipped.push(step.path);
      continue;
    }
    try {
      if (step.kind === 'remove') {
        await verifyCreated(brain.vault, steps.slice(checked, index));
        checked = index;
      }
      const isShort = step.kind === 'create' && step.text.length < LONG_TEXT;
      const pieces = usesWait && isShort ? brain.catalog.prepare(step.path, step.text) : [];
      const earlyWork = pieces.map((piece) => () => finish(piece));
      if (index === 0 && meanwhile !== undefined) earlyWork.unshift(meanwhile);
      const tried = earlyWork.map((piece) => () => orWarn(brain, piece));
      await applyStep(brain.vault, step, tried, rightsOf(steps, index));
    } catch (error) {
      // A step that found a conflict changed nothing; one that broke may have.
      const isUnchanged = error instanceof StepFailed;
      if (!isOptional(step)) {
        await takeBackAll({ op, steps: steps.slice(0, isUnchanged ? index : index + 1) });
        throw error;
      }
      const stands = isUnchanged ? false : await mend(brain, step);
      if (stands === true) continue;
      if (stands === null) isComplete = false;
      brain.log.warn('commit.skipped', { op, path: step.path, message: String(error) });
      skipped.push(step.path);
    }
  }
  return isComplete;
}

/** Carries out a plan in a vault that makes changes together. Nothing can be cut in two, so there is no record of the plan. */
async function commitTogether(
  brain: CommitPorts,
  plan: Plan,
  together: NonNullable<VaultStore['together']>,
  { meanwhile, intend }: CommitOptions,
): Promise<VaultPath[]> {
  if (meanwhile !== undefined) orWarn(brain, meanwhile);
  // Another server may change a file right after the commit, and that may be told before the catalog has this change.
  const told = new Set<VaultPath>();
  const unsubscribe = brain.vault.changes(({ path }) => told.add(path));
  const attempt = together(async ({ vault, state }) => {
    const event = await brain.changeLog.begin(brain.acting, plan.eventId, state);
    await intend?.(state, event.at);
    const done: { readonly step: Step; readonly stat: FileStat | null }[] = [];
    const skipped: VaultPath[] = [];
    for (const step of plan.steps) {
      try {
        if (step.kind !== 'create') {
          const text = await vault.read(step.path);
          if (text !== null && sha256(text) === step.before) await archive(state, step.before, text);
        }
        await applyStep(vault, step);
        done.push({ step, stat: await vault.stat(step.path) });
      } catch (error) {
        // A file that is no text any more is left as it is, as one with another text.
        const isLeft = error instanceof StepFailed || (error instanceof BrainError && error.code !== 'busy');
        if (!isLeft || !isOptional(step)) throw error;
        skipped.push(step.path);
      }
    }
    const steps = done.map(({ step }) => step);
    await brain.changeLog.add({ ...plan, steps }, event, state);
    return { done, skipped };
  });
  try {
    const { done, skipped } = await attempt;
    for (const { step, stat } of done) {
      if (step.kind === 'remove' || stat === null) brain.catalog.drop(step.path);
      else brain.catalog.put(step.path, step.text, stat);
      if (told.has(step.path)) brain.catalog.markDirty({ kind: 'changed', path: step.path });
    }
    for (const path of skipped) brain.catalog.markDirty({ kind: 'changed', path });
    return skipped;
  } catch (error) {
    brain.changeLog.rolledBack();
    for (const { path } of plan.steps) brain.catalog.markDirty({ kind: 'changed', path });
    throw error;
  } finally {
    unsubscribe();
  }
}

/** Resolves with the folders that must be there before the file; none where a change and its folders are made together. */
export async function foldersFirst(vault: VaultStore, path: VaultPath): Promise<readonly string[]> {
  return vault.together === undefined ? vault.missingFolders(path) : [];
}

/** A plan that the vault allows, without the optional edits that it does not. */
interface Inspected {
  readonly steps: Step[];
  readonly skipped: VaultPath[];
  /** The folders that it creates. */
  readonly folders: string[];
  /** The texts that it replaces or removes. */
  readonly former: ReadonlyMap<Sha, string>;
}

/**
 * Archives the former texts while the plan is recorded: no step begins before both are durable, and a start drops a recorded plan
 * without a done step. Resolves with the id of the record. When it rejects, it has ended the record; where that fails too, as on a
 * full disk, the log has the error, and the record stays open until the next start.
 */
async function archived(
  brain: CommitPorts,
  former: ReadonlyMap<Sha, string>,
  begun: Promise<string> | null,
  journal: Pick<Journal, 'done'>,
): Promise<string | null> {
  const archiving = (async () => {
    for (const [sha, text] of former) await archive(brain.state, sha, text);
  })();
  const [kept, recorded] = await Promise.allSettled([archiving, begun]);
  if (recorded.status === 'rejected') throw recorded.reason;
  const id = recorded.value;
  if (kept.status === 'fulfilled') return id;
  if (id !== null) await orLog(brain, 'commit.journal', () => journal.done(id));
  throw kept.reason;
}

/**
 * Checks a plan against the vault; finds the folders that it will create, and the texts that it will replace or remove, by hash.
 */
async function inspect({ vault }: CommitPorts, plan: Plan): Promise<Inspected> {
  const steps: Step[] = [];
  const skipped: VaultPath[] = [];
  const folders = new Set<string>();
  const former = new Map<Sha, string>();
  for (const step of plan.steps) {
    if (step.kind === 'create') {
      if ((await vault.stat(step.path)) !== null) throw new StepFailed(step, 'taken');
      for (const folder of await vault.missingFolders(step.path)) folders.add(folder);
    } else {
      const text = await vault.read(step.path);
      if (text === null || sha256(text) !== step.before) {
        if (!isOptional(step)) throw new StepFailed(step, text === null ? 'absent' : 'changed');
        skipped.push(step.path);
        continue;
      }
      former.set(step.before, text);
    }
    steps.push(step);
  }
  return { steps, skipped, folders: [...folders], former };
}

/**
 * Carries out one step; durable when it resolves. `meanwhile` is work to do while the disk writes a new note. It gets
 * the rights of the file `like`, and a note that is replaced gets no others than that one has.
 * @throws StepFailed, with nothing changed, when the vault differs from what the step expects.
 */
export async function applyStep(
  vault: VaultStore,
  step: Step,
  meanwhile: readonly (() => void)[] = [],
  like?: VaultPath,
): Promise<void> {
  if (step.kind === 'create') {
    if (!(await vault.create(step.path, step.text, meanwhile, like))) throw new StepFailed(step, 'taken');
  } else if (step.kind === 'edit') {
    const change = (old: string) => (sha256(old) === step.before ? step.text : null);
    const edited = await vault.edit(step.path, change, like);
    if (!edited) throw new StepFailed(step, (await vault.stat(step.path)) === null ? 'absent' : 'changed');
  } else {
    const text = await vault.read(step.path);
    if (text === null) throw new StepFailed(step, 'absent');
    const isAsRead = sha256(text) === step.before && (await vault.remove(step.path, text));
    if (!isAsRead) throw new StepFailed(step, 'changed');
  }
}

/**
 * Checks that the notes created so far read back as written, so that no removal relies on the file system's word alone.
 * @throws StepFailed when one differs.
 */
async function verifyCreated(vault: VaultStore, earlier: readonly Step[]): Promise<void> {
  for (const step of earlier) {
    if (step.kind !== 'create') continue;
    const text = await vault.read(step.path);
    if (text !== step.text) throw new StepFailed(step, 'changed');
  }
}

/** The progress of a step: not begun, begun (the file holds a prefix of its text), done, or a foreign text in the file. */
export type StepState = 'waiting' | 'begun' | 'done' | 'foreign';

/** Returns how far a step of an interrupted plan has come, from the state of the vault. */
export async function stepState(vault: VaultStore, step: Step): Promise<StepState> {
  const text = await readText(vault, step.path);
  if (text === undefined) return 'foreign';
  const hash = text === null ? null : sha256(text);
  if (step.kind === 'remove') return hash === null ? 'done' : hash === step.before ? 'waiting' : 'foreign';
  // An edit without a change is no evidence that the steps before it are done.
  if (hash === (step.kind === 'create' ? null : step.before)) return 'waiting';
  if (hash === sha256(step.text)) return 'done';
  return text !== null && step.text.startsWith(text) ? 'begun' : 'foreign';
}

/** Returns the text; null when there is no file, undefined when the file is no text. */
async function readText(vault: VaultStore, path: VaultPath): Promise<string | null | undefined> {
  try {
    return await vault.read(path);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return undefined;
    throw error;
  }
}

/** Completes a file that holds a prefix of the step's text. Resolves false, changing nothing, when it holds anything else. */
export function completeStep(vault: VaultStore, step: Exclude<Step, { kind: 'remove' }>): Promise<boolean> {
  return vault.edit(step.path, (old) => (step.text.startsWith(old) ? step.text : null));
}

/**
 * Takes back steps, last first, then the folders created for them. Files that someone else has changed meanwhile are left
 * alone; resolves with their paths. Idempotent, also after a crash.
 */
export async function takeBack(
  { vault, state }: { vault: VaultStore; state: StateStore },
  steps: readonly Step[],
  folders: readonly string[],
): Promise<VaultPath[]> {
  const left: VaultPath[] = [];
  for (const [index, step] of [...steps.entries()].reverse()) {
    if (!(await takeBackStep(vault, state, step, rightsOf(steps, index)))) left.push(step.path);
  }
  await vault.removeEmptyFolders(folders);
  return left;
}

/**
 * Takes one step back, whether it was done, begun or not. Resolves false, changing nothing, when the file has a foreign text.
 * On a host without atomic writes a file may hold a prefix of the step's text or, after a crash during the undo, of the former
 * text: both are ours.
 */
async function takeBackStep(
  vault: VaultStore,
  state: StateStore,
  step: Step,
  like?: VaultPath,
): Promise<boolean> {
  const text = await readText(vault, step.path);
  if (text === undefined) return false;
  if (step.kind === 'create') {
    if (text !== null && !step.text.startsWith(text)) return false;
    // This also runs when there seems to be no file: a host may not know yet what a failed call left on the disk.
    await vault.remove(step.path);
    return true;
  }
  if (text !== null && sha256(text) === step.before) {
    // A crash may have cut an earlier undo before its sync: `create` of an existing file makes that file durable.
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
    ? vault.create(step.path, old, [], like)
    : vault.edit(step.path, (now) => (isOurs(now) ? old : null));
}

/** Takes a failed plan back. When that fails too, the plan stays in the journal and the next start takes it back. */
async function undo(
  brain: CommitPorts,
  done: Plan,
  folders: readonly string[],
  id: string | null,
): Promise<void> {
  const { journal } = brain;
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
 * Completes an optional edit that broke and may be half written. It is not undone: a crash would then leave a prefix of the
 * former text, which recovery does not look for. Resolves true when the edit is done, false when nothing of it is, and null
 * when this failed too: then the next start completes it.
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

/** Resolves with the result of the work; null when it failed, which is logged. */
async function orLog<T>({ log }: CommitPorts, event: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    log.error(event, { message: String(error) });
    return null;
  }
}

/** Runs early work. A failure is only logged: the work runs again at its proper time and reports the error then. */
function orWarn({ log }: CommitPorts, piece: () => void): void {
  try {
    piece();
  } catch (error) {
    log.warn('commit.ahead', { message: String(error) });
  }
}

async function updateCatalog({ vault, catalog, log }: CommitPorts, step: Step): Promise<void> {
  if (step.kind === 'remove') return catalog.drop(step.path);
  try {
    const stat = await vault.stat(step.path);
    if (stat !== null) return catalog.put(step.path, step.text, stat);
  } catch (error) {
    log.warn('commit.stat', { path: step.path, message: String(error) });
  }
  catalog.markDirty({ kind: 'changed', path: step.path });
}
