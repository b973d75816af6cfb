import type { Plan } from '../core/plan';

/** What other plugins can listen for on the workspace. Paths only: what stands in the notes is theirs to read. */
export interface VaultEvent {
  readonly name: 'brain:written' | 'brain:promoted' | 'brain:rejected' | 'brain:ingested';
  readonly path: string;
  /** Of an ingest: every page that it made. */
  readonly paths?: readonly string[];
  /** Where the note was before. */
  readonly from?: string;
}

const NAMES: Readonly<Record<string, VaultEvent['name']>> = {
  promote: 'brain:promoted',
  reject: 'brain:rejected',
  ingest: 'brain:ingested',
  're-extract': 'brain:ingested',
};

/**
 * The event that tells of a change that the service has made; null when no note of it is there afterwards. The note is the one
 * that the first step made or changed: links in others that follow it come later in a plan.
 */
export function eventOf({ op, steps }: Plan): VaultEvent | null {
  const note = steps.find(({ kind }) => kind !== 'remove');
  const removed = steps.find(({ kind }) => kind === 'remove');
  if (note === undefined) return null;
  const made = steps.flatMap(({ kind, path }) => (kind === 'create' ? path : []));
  // An ingest that made no page has only added a source to notes that say the same.
  const name = NAMES[op] ?? 'brain:written';
  const isIngest = name === 'brain:ingested' && made.length > 0;
  return {
    name: name === 'brain:ingested' && !isIngest ? 'brain:written' : name,
    path: note.path,
    ...(isIngest && { paths: made }),
    ...(removed !== undefined && { from: removed.path }),
  };
}

/** The root note that a change has rewritten; null for every other change. */
export function rewrittenRoot({ op, steps }: Plan): string | null {
  return op === 'edit-root' ? (steps[0]?.path ?? null) : null;
}
