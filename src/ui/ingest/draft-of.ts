import type { Intake } from './intake';

/** Text that a person has begun to write, and its title. */
export interface Draft {
  readonly title: string;
  readonly text: string;
}

const EMPTY: Draft = { title: '', text: '' };
const drafts = new WeakMap<Intake, Draft>();

/** What was last written and not yet sent to this intake. It outlives the sheet that it was written in. */
export function draftOf(intake: Intake): Draft {
  return drafts.get(intake) ?? EMPTY;
}

/** Keeps a draft until the next one; none at all once it was sent. */
export function keepDraft(intake: Intake, draft: Draft | null): void {
  if (draft === null) drafts.delete(intake);
  else drafts.set(intake, draft);
}
