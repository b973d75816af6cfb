import type { Plan } from '../core/plan';

/** What other plugins can listen for on the workspace. Paths only: what stands in the notes is theirs to read. */
export interface VaultEvent {
  readonly name: 'brain:written' | 'brain:promoted' | 'brain:rejected';
  readonly path: string;
  /** Where the note was before. */
  readonly from?: string;
}

const NAMES: Readonly<Record<string, VaultEvent['name']>> = {
  promote: 'brain:promoted',
  reject: 'brain:rejected',
};

/**
 * The event that tells of a change that the service has made; null when no note of it is there afterwards. The note is the one
 * that the first step made or changed: links in others that follow it come later in a plan.
 */
export function eventOf({ op, steps }: Plan): VaultEvent | null {
  const note = steps.find(({ kind }) => kind !== 'remove');
  const removed = steps.find(({ kind }) => kind === 'remove');
  if (note === undefined) return null;
  return {
    name: NAMES[op] ?? 'brain:written',
    path: note.path,
    ...(removed !== undefined && { from: removed.path }),
  };
}

/** The root note that a change has rewritten; null for every other change. */
export function rewrittenRoot({ op, steps }: Plan): string | null {
  return op === 'edit-root' ? (steps[0]?.path ?? null) : null;
}
