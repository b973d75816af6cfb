import { BrainError, type ErrorCode } from '../base/errors';
import { sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import { inSlices, LONG_TEXT, refuseStopped } from '../base/steps';
import { commit, type CommitPorts, type Plan, StepFailed } from '../storage/commit';
import { type CommitOptions, isOptional } from '../storage/plan';
import type { Flight, Others } from '../storage/writer';
import { fold, folderOf, type VaultPath } from '../vocabulary/paths';
import type { Brain } from './context';

/** What a change of the vault needs, with the pace of the work before it. */
type Changing = CommitPorts & Pick<Brain, 'pace'>;

/** A note that someone else keeps changing is read and planned anew this often before the caller is told. */
const MAX_REBUILDS = 3;

/** What an operation wants of the vault, made from what it has just read there. */
export interface Change<T> {
  /** Null when nothing is to be changed. */
  readonly plan: Plan | null;
  /** The answer of the operation; `finish` may still complete it. */
  readonly result: T;
  /** What to answer when something has taken the place of a new note since; `destination_exists` unless given. */
  readonly taken?: ErrorCode;
  /** What to answer when a note is gone since it was read; `source_missing` unless given. */
  readonly absent?: ErrorCode;
  /** Runs right before the plan; what it throws refuses the change. */
  prepare?(): Promise<void>;
  /** Work that may be done ahead while the disk is busy with a new note that comes first in the plan. */
  meanwhile?(): void;
  /** Runs when `prepare` has run and the plan then failed. */
  failed?(): Promise<void>;
  /** Brings up to date what follows from the change. Told the optional edits that were skipped. Its failure is only logged. */
  finish?(skipped: readonly VaultPath[]): Promise<void>;
  /**
   * True when changes of other files may be made while the plan is carried out and `finish` runs: the plan depends on no file
   * that it does not name, and no other change depends on what it does.
   */
  readonly standsBeside?: boolean;
}

/** Who asks for a change, and whether it is to be made at all. */
interface Asked {
  /** True to only say what would come of it: nothing is written then, and the writer is not waited for. */
  readonly dryRun?: boolean | undefined;
  /** A change that has not begun when this stops is not made. */
  readonly signal?: StopSignal | undefined;
  /** True when `build` does long work that it remembers: it then runs once before the writer is waited for. */
  readonly ahead?: boolean | undefined;
}

/**
 * The way of an operation to the vault: waits for the one writer, lets `build` read and plan, carries the plan out.
 * When a note changed in between, `build` runs again, a few times.
 * @throws BrainError `hash_mismatch` when the note keeps changing, `busy` when nobody waits for it any more, the change's
 * `taken` or `absent`, or what `build` throws; the vault is then as it was.
 */
export async function changeVault<T>(
  brain: Changing & Pick<Brain, 'writer'>,
  build: () => Promise<Change<T>>,
  asked: Asked = {},
): Promise<T> {
  if (asked.dryRun === true) return (await build()).result;
  await buildAhead(brain, build, asked);
  const flown = await brain.writer.share(async (others): Promise<Flight<Flown<T>>> => {
    refuseStopped(asked.signal);
    await others.ended();
    const change = await build();
    const { plan } = change;
    if (plan === null || change.standsBeside !== true)
      return landed(changeAlone(brain, build, asked, change));
    refuseStopped(asked.signal);
    return { keys: await keysOf(brain, plan), run: () => fly(brain, change, plan) };
  });
  return flown instanceof StepFailed
    ? brain.writer.run(() => changeAlone(brain, build, asked))
    : flown.result;
}

/**
 * Performs a change like `changeVault`, for an operation that mostly changes one file and looks only at what `build` reads. Other
 * changes have their turns while the disk is busy with that file. `build` sees every acknowledged change, and of those still
 * running only what concerns the same file.
 */
export async function changeBeside<T>(
  brain: Changing & Pick<Brain, 'writer'>,
  build: () => Promise<Change<T>>,
  asked: Asked = {},
): Promise<T> {
  // Elsewhere even a change of one file is announced in the journal, which is kept for one at a time.
  if (!brain.vault.atomicWrites || asked.dryRun === true) return changeVault(brain, build, asked);
  await buildAhead(brain, build, asked);
  const flown = await brain.writer.share((others) => planFlight(brain, build, others, asked));
  return flown instanceof StepFailed ? changeVault(brain, build, { ...asked, ahead: false }) : flown.result;
}

/** Does the long work of a change. What is refused now may not be when its turn comes, so that turn decides. */
async function buildAhead(
  { writer }: Pick<Brain, 'writer'>,
  build: () => Promise<unknown>,
  { ahead, signal }: Asked,
): Promise<void> {
  if (ahead !== true) return;
  await writer.prepare(async () => {
    refuseStopped(signal);
    try {
      await build();
    } catch (error) {
      if (!(error instanceof BrainError)) throw error;
    }
  });
}

/** What came of a change; a failed step means that a note was changed, so that the change has to be planned anew, alone. */
type Flown<T> = Pick<Change<T>, 'result'> | StepFailed;

/**
 * Plans a change so that it can be carried out beside the others. One that cannot, or that has met one of them, is planned
 * anew when they have ended; what is refused or left as it is, is so only for what they have left.
 */
async function planFlight<T>(
  brain: Changing,
  build: () => Promise<Change<T>>,
  others: Others,
  asked: Asked,
): Promise<Flight<Flown<T>>> {
  for (;;) {
    refuseStopped(asked.signal);
    const inFlight = others.inFlight();
    const isAlone = inFlight.size === 0;
    try {
      const change = await build();
      refuseStopped(asked.signal);
      const { plan } = change;
      const path = change.prepare === undefined ? onlyPath(plan) : null;
      const canFly = path !== null && (await brain.vault.missingFolders(path)).length === 0;
      if (plan !== null && canFly && !inFlight.has([fold(path), folderKey(folderOf(path))])) {
        return { keys: [fold(path)], run: () => fly(brain, change, plan, { beside: true, ahead: isAlone }) };
      }
      if (isAlone) return await landed(changeAlone(brain, build, asked, change));
    } catch (error) {
      if (isAlone) throw error;
    }
    await others.ended();
  }
}

/** The path of a plan that makes or edits one file and does nothing else. */
function onlyPath(plan: Plan | null): VaultPath | null {
  const [step, ...more] = plan?.steps ?? [];
  return step === undefined || step.kind === 'remove' || isOptional(step) || more.length > 0
    ? null
    : step.path;
}

/** What a plan is about: its files, and the folders that it makes, which are gone again when it fails. */
async function keysOf({ vault }: Pick<Brain, 'vault'>, { steps }: Plan): Promise<string[]> {
  const keys = new Set<string>();
  for (const { kind, path } of steps) {
    keys.add(fold(path));
    if (kind !== 'create') continue;
    for (const folder of await vault.missingFolders(path)) keys.add(folderKey(folder));
  }
  return [...keys];
}

function folderKey(folder: string): string {
  return `${fold(folder)}/`;
}

/** A change that has been carried out, as a flight that has nothing left to do. */
async function landed<T>(done: Promise<T>): Promise<Flight<Flown<T>>> {
  const result = await done;
  return { keys: [], run: async () => ({ result }) };
}

/** Carries out a change, and what follows from it. */
async function fly<T>(
  brain: Changing,
  change: Change<T>,
  plan: Plan | null,
  as: CommitOptions = {},
): Promise<Flown<T>> {
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

/** Carries out a change, and what follows from it, with the writer held; `planned` is what `build` has made already. */
async function changeAlone<T>(
  brain: Changing,
  build: () => Promise<Change<T>>,
  asked: Asked,
  planned?: Change<T>,
): Promise<T> {
  for (let rebuilds = 0; ; rebuilds += 1) {
    const change = rebuilds === 0 && planned !== undefined ? planned : await build();
    refuseStopped(asked.signal);
    const flown = await fly(brain, change, change.plan);
    if (!(flown instanceof StepFailed)) return flown.result;
    if (rebuilds === MAX_REBUILDS) throw await keepsChanging(brain, flown.step.path);
  }
}

/**
 * Long texts are read for the catalog in slices before they are written, so that it has little left to do when they stand.
 * Whatever becomes of the plan, nothing but time is lost.
 */
async function readAhead({ catalog, pace }: Changing, { steps }: Plan): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'remove' || step.text.length < LONG_TEXT) continue;
    for (const piece of catalog.expect(step.path, step.text)) await inSlices(piece, pace);
  }
}

/** The error for a vault that was changed by somebody else between the reading and the writing. */
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
  await readAhead(brain, plan);
  await change.prepare?.();
  let skipped: VaultPath[];
  try {
    const meanwhile = (): void => change.meanwhile?.();
    skipped = await commit(brain, plan, { ...as, ...(as.ahead !== false && { meanwhile }) });
  } catch (error) {
    try {
      await change.failed?.();
    } catch (second) {
      // The caller is told of the first failure; this one is for the owner.
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
    // The notes are written; what follows from them is made anew at the next change or start.
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
