import type { Sha } from '../base/hash';
import type { StateStore } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import type { Told } from './event-data';

/** Creates a note. A text that another note has taken over comes back with the rights of that one, `like`. */
export interface CreateStep {
  readonly kind: 'create';
  readonly path: VaultPath;
  readonly text: string;
  readonly like?: VaultPath | undefined;
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
 * Returns the note whose rights bound those of the note of the step at `index`, which gets its text; undefined for most steps. A
 * note that is removed gives its text to that of the step before.
 */
export function rightsOf(steps: readonly Step[], index: number): VaultPath | undefined {
  const step = steps[index];
  if (step?.kind === 'remove') return steps[index - 1]?.path;
  const next = steps[index + 1];
  if (next?.kind === 'remove') return next.path;
  return step?.kind === 'create' ? step.like : undefined;
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
export interface Plan extends Told {
  /** The operation name, for the journal: `promote`. */
  readonly op: string;
  /** The name of the change, where its answer tells it; otherwise it gets one when it begins. */
  readonly eventId?: string;
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
  /**
   * Runs before the first step or, where changes are made together, with them, and gets the time of the change (ms since the epoch).
   * Its error refuses the plan.
   */
  readonly intend?: (state: StateStore, at: number) => Promise<void>;
}
