import { type BrainClient, CallError } from '../client';
import type { Draft, Entry } from './entry';
import { isAway } from './promote-problem';

/** A note that was decided on, and how that is taken back. */
export interface Decided {
  readonly title: string;
  readonly kind: 'promoted' | 'rejected';
  /** Where it stands now. */
  readonly path: string;
  /** Where it stood in the queue. */
  readonly from: string;
}

/** A note as a person saw it: `content_hash` is that of the text that was shown. */
export type Seen = Pick<Entry, 'path' | 'title' | 'content_hash'>;

/**
 * Promotes a note as it was shown.
 * @throws CallError `hash_mismatch` when its file has changed since, or what else the service says; then nothing was changed.
 */
export async function promote(client: BrainClient, seen: Seen, draft: Draft): Promise<Decided> {
  if (draft.hall === null) throw new CallError('invalid_hall', 'Choose a hall.');
  const { path } = await client.call('promote', {
    ...promoteAsk(seen.path, draft, draft.hall),
    expected_hash: seen.content_hash,
  });
  return { title: seen.title, kind: 'promoted', path, from: seen.path };
}

/** What promoting a note asks of the service; with `dry_run`, only what would come of it. */
export function promoteAsk(path: string, draft: Draft, hall: NonNullable<Draft['hall']>) {
  const { wing, slug, links } = draft;
  return { path, wing, hall, slug, ...(Object.keys(links).length > 0 && { links }) };
}

/** Rejects a note as it was shown. @throws CallError as `promote` does. */
export async function reject(client: BrainClient, seen: Seen, reason: string): Promise<Decided> {
  const why = reason.trim();
  const { rejected_path: path } = await client.call('reject', {
    path: seen.path,
    expected_hash: seen.content_hash,
    ...(why !== '' && { reason: why }),
  });
  return { title: seen.title, kind: 'rejected', path, from: seen.path };
}

/** Puts a note back into the queue. Answers its path there. @throws CallError when it has been moved or changed since. */
export async function takeBack(client: BrainClient, { kind, path }: Decided): Promise<string> {
  const back = await client.call(operationBack(kind), { path });
  return back.path;
}

/**
 * True when a note can still be put back to where it came from; false when it has been moved, removed or put back already.
 * @throws CallError when the service could not tell.
 */
export async function canTakeBack(client: BrainClient, { kind, path, from }: Decided): Promise<boolean> {
  try {
    const back = await client.call(operationBack(kind), { path, dry_run: true });
    return back.path === from;
  } catch (error) {
    if (error instanceof CallError && isAway(error)) return false;
    throw error;
  }
}

function operationBack(kind: Decided['kind']): 'unpromote' | 'restore' {
  return kind === 'promoted' ? 'unpromote' : 'restore';
}
