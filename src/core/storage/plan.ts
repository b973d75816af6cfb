import type { Sha } from '../base/hash';
import type { VaultPath } from '../vocabulary/paths';

/** Creates a note. */
export interface CreateStep {
  readonly kind: 'create';
  readonly path: VaultPath;
  readonly text: string;
}

/** Replaces a note whose text still has the hash `before`. An optional edit is skipped when the hash differs. */
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

export function isOptional(step: Step): step is EditStep {
  return step.kind === 'edit' && step.optional === true;
}

/**
 * Returns the other path of a note that a plan moves, for its step at `index`: a move is a creation followed by the removal of the
 * note from its old path. Undefined for every other step.
 */
export function movedWith(steps: readonly Step[], index: number): VaultPath | undefined {
  const step = steps[index];
  const other = steps[step?.kind === 'remove' ? index - 1 : index + 1];
  const kinds = [step?.kind, other?.kind];
  return kinds.includes('create') && kinds.includes('remove') ? other?.path : undefined;
}

/** A decision about a note, as the change log records it. */
export interface Decision {
  /** The stamp of who decided: `human:me`. */
  readonly by: string;
  readonly title?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * One atomic change of the vault: its steps in order, each with a path of its own. A removal follows the steps that it depends
 * on, and optional edits come last, so that every text exists somewhere after a crash at any point.
 */
export interface Plan {
  /** The operation name, for the journal: `promote`. */
  readonly op: string;
  /** Who decided on it, for the change log; absent for a change that is no decision. */
  readonly decision?: Decision | undefined;
  readonly steps: readonly Step[];
}

/** The error of a step that found the vault different from what it expects. All changes of its plan have been taken back. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';

  constructor(
    readonly step: Step,
    /** `taken`: a file exists at the path of a new note. `changed`, `absent`: the note differs from the text that was read. */
    readonly reason: 'taken' | 'changed' | 'absent',
  ) {
    super(`${step.kind} ${step.path}: ${reason}`);
  }
}

/** Options of a commit. */
export interface CommitOptions {
  /** Work to do while the disk writes the first new note. */
  readonly meanwhile?: () => void;
  /**
   * True while other plans, for other paths, are carried out: the plan is refused as `changed` when it needs the journal, which
   * holds one plan at a time.
   */
  readonly isConcurrent?: boolean;
  /** False to prepare nothing for the catalog while the disk writes, because other work uses that time. */
  readonly usesWait?: boolean;
  /**
   * Receives the append to the change log, which no step of the change waits for. Without it, the commit waits for the append.
   */
  readonly later?: Promise<unknown>[];
}
