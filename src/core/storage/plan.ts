import type { Sha } from '../base/hash';
import type { VaultPath } from '../vocabulary/paths';

/** Makes a new note. */
export interface CreateStep {
  readonly kind: 'create';
  readonly path: VaultPath;
  readonly text: string;
}

/** Replaces a note whose text still has the hash `before`. An optional one is skipped when that is no longer so. */
export interface EditStep {
  readonly kind: 'edit';
  readonly path: VaultPath;
  readonly before: Sha;
  readonly text: string;
  readonly optional?: boolean;
}

/** Removes a note whose text still has the hash `before`. */
interface RemoveStep {
  readonly kind: 'remove';
  readonly path: VaultPath;
  readonly before: Sha;
}

export type Step = CreateStep | EditStep | RemoveStep;

/** True for an edit that may be left out. */
export function isOptional(step: Step): step is EditStep {
  return step.kind === 'edit' && step.optional === true;
}

/**
 * One change of the vault, all or nothing: its steps in the order in which they are carried out, each on a path of its
 * own. Removals come after what they depend on and optional edits last, so that a cut anywhere leaves every byte somewhere.
 */
export interface Plan {
  /** What is being done, for the journal: `promote`. */
  readonly op: string;
  readonly steps: readonly Step[];
}

/** A step met a vault other than the one it was planned for. Whatever the plan had changed has been taken back. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';

  constructor(
    readonly step: Step,
    /** `taken`: something stands where a note was to be made. `changed`, `absent`: the note is not as it was read. */
    readonly reason: 'taken' | 'changed' | 'absent',
  ) {
    super(`${step.kind} ${step.path}: ${reason}`);
  }
}

/** How a plan is carried out. */
export interface CommitOptions {
  /** Work that may be done while the disk is busy with the first new note. */
  readonly meanwhile?: () => void;
  /**
   * Others are carried out at the same time, about other paths: the plan is refused as `changed` when it would have to be
   * announced in the journal, which is kept for one at a time.
   */
  readonly isConcurrent?: boolean;
  /** False: nothing is made ready for the catalog while the disk is busy; there is other work for that time. */
  readonly usesWait?: boolean;
  /** Gets the writing of the change log, which nothing of the change waits for; without it, it is waited for here. */
  readonly later?: Promise<unknown>[];
}
