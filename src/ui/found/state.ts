import type { Answer } from '../../core/registry/client';
import { count, counted } from '../kit/words';

type Status = Pick<Answer<'status'>, 'index' | 'hybrid'>;

/** The state of the search index and of the embeddings, for the status of the screens. */
export interface SearchState {
  readonly state: 'green' | 'amber';
  readonly words: string;
  /** The progress of the work under way, where it can be counted. */
  readonly progress?: { readonly label: string; readonly done: number; readonly total: number };
  /** The action that a person can take on the embeddings; undefined where there are none. */
  readonly action?: 'backfill' | 'cancel' | 'resume';
}

/** Returns the state of the index and of the embeddings in words. */
export function searchState({ index, hybrid }: Status): SearchState {
  if (index.state === 'building') return readingState(index);
  const found = `${counted(index.notes, 'note')} can be found by their words`;
  if (hybrid.paused === true && hybrid.state !== 'syncing') return pausedState(found, hybrid);
  const again = index.waiting === 0 ? '' : `, ${count(index.waiting)} being read again`;
  switch (hybrid.state) {
    case 'off':
      return { state: 'green', words: `${found}${again}` };
    case 'starting':
      return {
        state: 'amber',
        words: 'The notes have yet to be compared with their embeddings',
        action: 'backfill',
      };
    case 'syncing':
      return syncingState(hybrid);
    case 'model_changed':
      return {
        state: 'amber',
        words: 'BM25 alone: the embeddings were made by another model. A backfill makes them anew.',
        action: 'backfill',
      };
    case 'degraded':
      return { state: 'amber', words: `BM25 alone. ${whyDegraded(hybrid)}`, action: 'backfill' };
    case 'ready':
      return readyState(`${found} and by their meaning${again}`, hybrid);
  }
}

function pausedState(found: string, { pending, vectors = 0 }: Status['hybrid']): SearchState {
  const left = pending === undefined ? '' : `, ${count(pending)} are left`;
  const words = `${found}. Embedding is paused: ${counted(vectors, 'note')} embedded${left}`;
  return { state: 'amber', words, action: 'resume' };
}

function readingState({ notes, reading }: Status['index']): SearchState {
  const words = reading === undefined ? `${counted(notes, 'note')} so far` : ofTotal(reading);
  return {
    state: 'amber',
    words: `Reading the vault: ${words}`,
    ...(reading !== undefined && { progress: { label: 'Reading the vault', ...reading } }),
  };
}

function syncingState({ progress, last_sync: lastSync, last_error: error }: Status['hybrid']): SearchState {
  if (progress === undefined || progress.phase !== 'embedding') {
    const words = 'Comparing the notes with their embeddings';
    return { state: lastSync === undefined ? 'amber' : 'green', words, action: 'cancel' };
  }
  const { done, total } = progress;
  const isFirst = lastSync === undefined;
  const first = error === undefined ? 'Embedding the notes' : 'BM25 until enough notes are embedded';
  const what = isFirst ? first : 'Embedding notes that have changed';
  return {
    state: isFirst ? 'amber' : 'green',
    words: `${what}: ${ofTotal({ done, total })}`,
    progress: { label: 'Backfill embeddings', done, total },
    action: 'cancel',
  };
}

function readyState(found: string, { pending = 0, last_error: error }: Status['hybrid']): SearchState {
  if (pending === 0) return { state: 'green', words: found, action: 'backfill' };
  const why = error === undefined ? '' : `. ${error}`;
  const words = `${count(pending)} of them by their words alone${why}`;
  return { state: 'amber', words: `${found}; ${words}`, action: 'backfill' };
}

function ofTotal({ done, total }: { readonly done: number; readonly total: number }): string {
  return `${count(done)} of ${count(total)}`;
}

/** Returns the reason why hybrid search was not used, as a sentence. */
export function whyDegraded({ state, last_error: error, progress }: Status['hybrid']): string {
  if (state === 'model_changed')
    return 'The embeddings were made by another model. A backfill makes them anew.';
  if (error !== undefined) return error;
  if (state === 'starting') return 'No note is embedded yet.';
  if (progress?.phase === 'embedding') return `Notes are being embedded: ${ofTotal(progress)}.`;
  return 'The store of the vectors or the embedder did not answer.';
}

type Outcome = Answer<'backfill'>;

/**
 * Returns the result of a backfill in words: `Backfill done: 12 notes embedded, 3 embeddings removed, 1 error.` For one that
 * stopped early, the words give the reason; `otherErrors` returns the remaining errors.
 */
export function backfillWords({ added, deleted, errors }: Outcome): string {
  const reason = errors.find(({ path }) => path === undefined);
  const others = otherErrors(errors).length;
  const done = [
    ...(added > 0 ? [`${counted(added, 'note')} embedded`] : []),
    ...(deleted > 0 ? [`${counted(deleted, 'embedding')} removed`] : []),
  ];
  const parts = [...done, ...(others > 0 ? [counted(others, 'error')] : [])].join(', ');
  if (reason !== undefined) return `Backfill stopped: ${parts || 'nothing was done'}. ${reason.error}`;
  if (parts === '') return 'Backfill done: every embedding was up to date.';
  return `${done.length === 0 ? 'Backfill failed' : 'Backfill done'}: ${parts}.`;
}

/** Returns the errors of single notes, which `backfillWords` only counts. */
export function otherErrors(errors: Outcome['errors']): Outcome['errors'] {
  return errors.filter(({ path }) => path !== undefined);
}
