import { inTurns } from '../base/concurrency';
import { BrainError, type ErrorCode } from '../base/errors';
import { sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import { inSlices, LONG_TEXT, refuseStopped } from '../base/steps';
import { Uncertain } from '../ports/ports';
import { commit, type CommitPorts, foldersFirst, type Plan, StepFailed } from '../storage/commit';
import { isTelling } from '../storage/event-data';
import { type CommitOptions, isOptional } from '../storage/plan';
import type { ConcurrentChange, Concurrent } from '../storage/writer';
import { fold, folderOf, type VaultPath, zoneOf } from '../vocabulary/paths';
import type { Brain } from './context';
import type { Arrival } from './sent';
import { refusePlan } from './limits';
import { isOwnersText, notOurs } from './owner';

/** The parts of the brain that a change of the vault uses. */
type Changing = CommitPorts & Pick<Brain, 'pace' | 'intend' | 'sent'>;

/** A brain for which something is changed, perhaps a view of the vault. */
interface Asking extends Pick<Brain, 'limits' | 'pace' | 'acting' | 'intend'> {
  readonly whole: Changing & Pick<Brain, 'writer'> & { readonly catalog: Pick<Brain['catalog'], 'taken'> };
}

/** Returns the whole vault, whose texts are read, and which is changed, for the caller. */
function wholeOf({ whole, pace, acting, intend }: Asking): Asking['whole'] {
  return { ...whole, pace, acting, ...(intend && { intend }) };
}

/** Returns `build` for a brain: a view may not write beyond its limits. */
function within<T>(brain: Asking, build: () => Promise<Change<T>>): () => Promise<Change<T>> {
  if (brain.limits === null) return build;
  return async () => {
    const change = await build();
    refusePlan(brain, change.plan);
    return change;
  };
}

/** The number of times a change is planned again because its note was changed meanwhile, before the caller gets an error. */
const MAX_REBUILDS = 3;

/** The texts as sent that are written at a time. */
const ARRIVALS_AT_ONCE = 8;

/** A change of the vault that an operation has planned from the texts that it just read. */
export interface Change<T> {
  /** Null when the operation changes nothing. */
  readonly plan: Plan | null;
  /** The answer of the operation. `finish` may still complete it. */
  readonly result: T;
  /** The error code when the path of a new note is no longer free; `destination_exists` by default. */
  readonly taken?: ErrorCode;
  /** The error code when a note was removed since it was read; `source_missing` by default. */
  readonly absent?: ErrorCode;
  /** The texts of the plan that come into the queue. What the gate did to them is kept before they are written. */
  readonly arrivals?: readonly Arrival[];
  /** Runs right before the plan. Its error refuses the change. */
  prepare?(): Promise<void>;
  /** Optional work to do while the disk writes the first new note of the plan. */
  meanwhile?(): void;
  /** Runs when the plan fails after `prepare`. */
  failed?(): Promise<void>;
  /** Updates what depends on the change. Gets the optional edits that were skipped. Its failure is only logged. */
  finish?(skipped: readonly VaultPath[]): Promise<void>;
  /**
   * True when changes of other files may run at the same time as the plan and `finish`: the plan depends only on files that it
   * names, and no other change depends on it.
   */
  readonly isIndependent?: boolean;
  /**
   * True when the plan may change notes of the owner: its caller acts for the owner, or it changes the root note. Without it such
   * a plan is refused, whatever the operation has checked before.
   */
  readonly forOwner?: boolean;
}

/** Options of a change. */
interface Asked {
  /** True to only return the result: nothing is written, and the lock is not taken. */
  readonly dryRun?: boolean | undefined;
  /** A change that has not begun when this signal stops is refused. */
  readonly signal?: StopSignal | undefined;
  /**
   * True when `build` does long work and caches it: `build` then runs once before the lock is taken, and long texts of its plan
   * are parsed. A plan with the same texts afterwards needs no long work.
   */
  readonly buildsBeforeLock?: boolean | undefined;
}

/**
 * Performs a change of the vault: takes the writer's lock, lets `build` read and plan, and carries out the plan. `build` runs
 * again, at most three times, when a note of the plan was changed meanwhile.
 * @throws BrainError `hash_mismatch` when the note keeps changing, `busy` when the signal stopped, the change's `taken` or
 * `absent`, or the error of `build`. The vault is unchanged then.
 */
export function changeVault<T>(
  asking: Asking,
  build: () => Promise<Change<T>>,
  asked: Asked = {},
): Promise<T> {
  return changeWhole(wholeOf(asking), within(asking, build), asked);
}

async function changeWhole<T>(
  brain: Asking['whole'],
  build: () => Promise<Change<T>>,
  asked: Asked,
): Promise<T> {
  if (asked.dryRun === true) return (await build()).result;
  await buildBeforeLock(brain, build, asked);
  const outcome = await brain.writer.overlap(
    async (concurrent): Promise<ConcurrentChange<ChangeOutcome<T>>> => {
      refuseStopped(asked.signal);
      await concurrent.ended();
      const change = await build();
      const { plan } = change;
      if (plan === null || change.isIndependent !== true)
        return alreadyDone(changeAlone(brain, build, asked, change));
      refuseStopped(asked.signal);
      return { keys: await keysOf(brain, plan), run: () => runChange(brain, change, plan) };
    },
  );
  return outcome instanceof StepFailed
    ? brain.writer.run(() => changeAlone(brain, build, asked))
    : outcome.result;
}

/**
 * Performs a change like `changeVault`, for an operation that mostly changes one file and depends only on what `build` reads.
 * Other changes run while the disk writes that file. `build` sees every acknowledged change; of those still running it only
 * meets one that changes the same file.
 * @throws as `changeVault`.
 */
export async function changeConcurrently<T>(
  asking: Asking,
  given: () => Promise<Change<T>>,
  asked: Asked = {},
): Promise<T> {
  const brain = wholeOf(asking);
  const build = within(asking, given);
  // Without atomic writes even a change of one file needs the journal, which holds one change at a time.
  if (!brain.vault.atomicWrites || asked.dryRun === true) return changeWhole(brain, build, asked);
  await buildBeforeLock(brain, build, asked);
  const outcome = await brain.writer.overlap((concurrent) => planConcurrent(brain, build, concurrent, asked));
  return outcome instanceof StepFailed
    ? changeWhole(brain, build, { ...asked, buildsBeforeLock: false })
    : outcome.result;
}

/** Runs `build` for its cached work only. Its refusal is ignored here: `build` decides again with the lock held. */
async function buildBeforeLock<T>(
  brain: Asking['whole'],
  build: () => Promise<Change<T>>,
  { buildsBeforeLock, signal }: Asked,
): Promise<void> {
  if (buildsBeforeLock !== true) return;
  await brain.writer.prepare(brain.pace.caller, async () => {
    refuseStopped(signal);
    try {
      const { plan } = await build();
      if (plan !== null) await prepareCatalog(brain, plan);
    } catch (error) {
      if (!(error instanceof BrainError)) throw error;
    }
  });
}

/** The outcome of a change. A failed step means that a note was changed meanwhile: the change must be planned again, alone. */
type ChangeOutcome<T> = Pick<Change<T>, 'result'> | StepFailed;

/**
 * Plans a change that runs at the same time as others. When that is impossible, or when `build` refuses, it plans again after
 * the others have ended: a refusal counts only against their final state.
 */
async function planConcurrent<T>(
  brain: Changing,
  build: () => Promise<Change<T>>,
  concurrent: Concurrent,
  asked: Asked,
): Promise<ConcurrentChange<ChangeOutcome<T>>> {
  for (;;) {
    refuseStopped(asked.signal);
    const running = concurrent.running();
    const isAlone = running.size === 0;
    try {
      const change = await build();
      refuseStopped(asked.signal);
      const { plan } = change;
      const isPlain = change.prepare === undefined && (plan === null || !isTelling(plan));
      const path = isPlain ? onlyPath(plan) : null;
      const canOverlap = path !== null && (await foldersFirst(brain.vault, path)).length === 0;
      if (plan !== null && canOverlap && !running.has([fold(path), folderKey(folderOf(path))])) {
        return {
          keys: [fold(path)],
          run: () => runChange(brain, change, plan, { isConcurrent: true, usesWait: isAlone }),
        };
      }
      if (isAlone) return await alreadyDone(changeAlone(brain, build, asked, change));
    } catch (error) {
      if (isAlone) throw error;
    }
    await concurrent.ended();
  }
}

/** Returns the path of a plan with exactly one required write; otherwise null. */
function onlyPath(plan: Plan | null): VaultPath | null {
  const [step, ...more] = plan?.steps ?? [];
  return step === undefined || step.kind === 'remove' || isOptional(step) || more.length > 0
    ? null
    : step.path;
}

/** Returns the lock keys of a plan: its files, and the folders that it creates, since a failed plan removes them again. */
async function keysOf(brain: Pick<Brain, 'vault'>, { steps }: Plan): Promise<string[]> {
  const keys = new Set<string>();
  for (const { kind, path } of steps) {
    keys.add(fold(path));
    if (kind !== 'create') continue;
    for (const folder of await foldersFirst(brain.vault, path)) keys.add(folderKey(folder));
  }
  return [...keys];
}

function folderKey(folder: string): string {
  return `${fold(folder)}/`;
}

/** Wraps a change that was carried out with the lock held. */
async function alreadyDone<T>(done: Promise<T>): Promise<ConcurrentChange<ChangeOutcome<T>>> {
  const result = await done;
  return { keys: [], run: async () => ({ result }) };
}

/** Carries out a change and its `finish`. */
async function runChange<T>(
  brain: Changing,
  change: Change<T>,
  plan: Plan | null,
  as: CommitOptions = {},
): Promise<ChangeOutcome<T>> {
  let skipped: readonly VaultPath[] = [];
  const later: Promise<unknown>[] = [];
  try {
    if (plan !== null) skipped = await carryOut(brain, change, plan, { ...as, later });
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    if (error.reason === 'changed') return error;
    throw notAsRead(change, error);
  }
  await Promise.all([finish(brain, change, skipped), ...later]);
  return change;
}

/** Carries out a change with the lock held. `planned` is the result of the first `build`. */
async function changeAlone<T>(
  brain: Changing,
  build: () => Promise<Change<T>>,
  asked: Asked,
  planned?: Change<T>,
): Promise<T> {
  for (let rebuilds = 0; ; rebuilds += 1) {
    const change = rebuilds === 0 && planned !== undefined ? planned : await build();
    refuseStopped(asked.signal);
    const outcome = await runChange(brain, change, change.plan);
    if (!(outcome instanceof StepFailed)) return outcome.result;
    if (rebuilds === MAX_REBUILDS) throw await keepsChanging(brain, outcome.step.path);
  }
}

/** Parses long texts for the catalog in slices before they are written. A plan that fails later costs only that time. */
async function prepareCatalog({ catalog, pace }: Changing, { steps }: Plan): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'remove' || step.text.length < LONG_TEXT) continue;
    for (const piece of catalog.prepare(step.path, step.text)) await inSlices(piece, pace);
  }
}

/**
 * Stops a plan that changes a note of the owner. Operations refuse such a call before they plan, so this is the last fence. A note
 * in the queue leaves it by a decision, which whoever may review takes.
 */
async function refuseOwnersNotes({ vault }: Pick<Changing, 'vault'>, { steps }: Plan): Promise<void> {
  for (const step of steps) {
    const { path } = step;
    const zone = zoneOf(path);
    if (zone === 'other') throw notOurs(path);
    if (step.kind === 'create' || (zone !== 'wiki' && zone !== 'knowledge')) continue;
    const text = await vault.read(path);
    // Another text than the planned one is not written over: the commit skips the step, or the change is planned again.
    if (text === null || sha256(text) !== step.before) continue;
    if (isOwnersText(path, text)) throw notOurs(path);
  }
}

/** Returns the error for a vault that someone else changed between reading and writing. */
function notAsRead({ taken, absent }: Change<unknown>, { reason, step: { path } }: StepFailed): BrainError {
  return reason === 'taken'
    ? new BrainError(
        taken ?? 'destination_exists',
        `Something else stands at ${path} now. Choose another name.`,
        { path },
      )
    : new BrainError(
        absent ?? 'source_missing',
        `${path} is gone since it was read. Look again what is there.`,
        { path },
      );
}

async function carryOut(
  brain: Changing,
  change: Change<unknown>,
  plan: Plan,
  as: CommitOptions,
): Promise<VaultPath[]> {
  if (change.forOwner !== true) await refuseOwnersNotes(brain, plan);
  await prepareCatalog(brain, plan);
  // A text without its note is removed later, so nothing has to take it back.
  await inTurns(change.arrivals ?? [], ARRIVALS_AT_ONCE, (arrival) => brain.sent.keep(arrival));
  await change.prepare?.();
  let skipped: VaultPath[];
  try {
    const meanwhile = (): void => change.meanwhile?.();
    const { intend } = brain;
    skipped = await commit(brain, plan, {
      ...as,
      ...(as.usesWait !== false && { meanwhile }),
      ...(intend && { intend: (state, at) => intend(change.result, plan, state, at) }),
    });
  } catch (error) {
    // What belongs to a change that may have been made must stay.
    if (error instanceof Uncertain) throw error;
    try {
      await change.failed?.();
    } catch (second) {
      // The caller gets the first failure. The log gets this one.
      brain.log.error('change.failed', { op: plan.op, message: String(second) });
    }
    throw error;
  }
  brain.committed?.(plan);
  return skipped;
}

async function finish(
  brain: CommitPorts,
  change: Change<unknown>,
  skipped: readonly VaultPath[],
): Promise<void> {
  try {
    await change.finish?.(skipped);
  } catch (error) {
    // The notes are written. The next change or start updates what depends on them.
    brain.log.error('change.finish', { op: change.plan?.op, message: String(error) });
  }
}

async function keepsChanging({ vault }: CommitPorts, path: VaultPath): Promise<BrainError> {
  const text = await vault.read(path);
  return new BrainError(
    'hash_mismatch',
    `${path} is being changed by someone else at this moment. Read it again in a few seconds, then repeat the call.`,
    { path, ...(text !== null && { content_hash: sha256(text) }) },
  );
}
