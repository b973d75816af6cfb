import { type BrainClient, CallError } from '../client';
import type { Draft, Entry } from './entry';

/** A note that was decided on, and how that is taken back. */
export interface Decided {
  readonly title: string;
  readonly kind: 'promoted' | 'rejected';
  /** Where it stands now. */
  readonly path: string;
}

/**
 * Promotes a note as it was shown.
 * @throws CallError `hash_mismatch` when its file has changed since, or what the service says; then nothing was changed.
 */
export async function promote(client: BrainClient, entry: Entry, draft: Draft): Promise<Decided> {
  if (draft.hall === null) throw new CallError('invalid_hall', 'Choose a hall.');
  await requireUnchanged(client, entry);
  const { path } = await client.call('promote', promoteAsk(entry.path, draft, draft.hall));
  return { title: entry.title, kind: 'promoted', path };
}

/** What promoting a note asks of the service; with `dry_run`, only what would come of it. */
export function promoteAsk(path: string, draft: Draft, hall: NonNullable<Draft['hall']>) {
  const { wing, slug, links } = draft;
  return { path, wing, hall, slug, ...(Object.keys(links).length > 0 && { links }) };
}

/** Rejects a note as it was shown. @throws CallError as `promote` does. */
export async function reject(client: BrainClient, entry: Entry, reason: string): Promise<Decided> {
  await requireUnchanged(client, entry);
  const why = reason.trim();
  const { rejected_path: path } = await client.call('reject', {
    path: entry.path,
    ...(why !== '' && { reason: why }),
  });
  return { title: entry.title, kind: 'rejected', path };
}

/** Puts a note back into the queue. Answers its path there. @throws CallError when it has been moved or changed since. */
export async function takeBack(client: BrainClient, { kind, path }: Decided): Promise<string> {
  const back = await client.call(kind === 'promoted' ? 'unpromote' : 'restore', { path });
  return back.path;
}

/** Nobody should decide on a text that they have not seen. */
async function requireUnchanged(client: BrainClient, { path, content_hash: seen }: Entry): Promise<void> {
  const { content_hash: now } = await client
    .call('note', { path, max_chars: 200 })
    .catch((error: unknown) => {
      if (error instanceof CallError && error.code === 'note_not_found') {
        throw new CallError('source_missing', 'This note is no longer in the queue.');
      }
      throw error;
    });
  if (now === seen) return;
  throw new CallError(
    'hash_mismatch',
    'The file changed while you were reading. Look at the new text, then decide. Nothing was changed.',
  );
}
