import type { Brain } from './brain';
import { commit, type CommitPorts, type Plan, StepFailed } from './commit';
import { BrainError, type ErrorCode } from './errors';
import { sha256 } from './rules/hash';
import type { VaultPath } from './rules/paths';

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
}

/**
 * The way of an operation to the vault: waits for the one writer, lets `build` read and plan, carries the plan out.
 * When a note changed in between, `build` runs again, a few times.
 * @throws BrainError `hash_mismatch` when the note keeps changing, the change's `taken` or `absent`, or what `build`
 * throws; the vault is then as it was.
 */
export function changeVault<T>(
  brain: CommitPorts & Pick<Brain, 'writer'>,
  build: () => Promise<Change<T>>,
): Promise<T> {
  return brain.writer.run(async () => {
    for (let rebuilds = 0; ; rebuilds += 1) {
      const change = await build();
      let skipped: readonly VaultPath[] = [];
      if (change.plan !== null) {
        try {
          skipped = await carryOut(brain, change, change.plan);
          brain.committed?.(change.plan);
        } catch (error) {
          if (!(error instanceof StepFailed)) throw error;
          if (error.reason !== 'changed') throw notAsRead(change, error);
          if (rebuilds === MAX_REBUILDS) throw await keepsChanging(brain, error.step.path);
          continue;
        }
      }
      await finish(brain, change, skipped);
      return change.result;
    }
  });
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

async function carryOut(brain: CommitPorts, change: Change<unknown>, plan: Plan): Promise<VaultPath[]> {
  await change.prepare?.();
  try {
    return await commit(brain, plan, () => change.meanwhile?.());
  } catch (error) {
    try {
      await change.failed?.();
    } catch (second) {
      // The caller is told of the first failure; this one is for the owner.
      brain.log.error('change.failed', { op: plan.op, message: String(second) });
    }
    throw error;
  }
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
