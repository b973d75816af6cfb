import { type BrainClient, CallError } from '../client';
import { patiently } from '../parts/patiently';
import { asCallError } from '../parts/use-async';
import { type Decided, promote, reject } from './decisions';
import type { Draft, Entry } from './entry';
import { refusalWords } from './promote-problem';

/** One of the ticked notes and what keeps it from being promoted just as it is suggested. */
export interface BulkItem {
  readonly entry: Entry;
  readonly draft: Draft;
  /** In words; null when nothing does. */
  readonly obstacle: string | null;
}

/** Why a note deserves a look of its own before it is promoted. */
export function obstacleOf(entry: Entry, draft: Draft): string | null {
  if (draft.wing === '' && draft.hall === null) return 'No wing and no hall suggested';
  if (draft.wing === '') return 'No wing suggested';
  if (draft.hall === null) return 'No hall suggested';
  return entry.warnings[0] ?? null;
}

export interface BulkJob {
  readonly kind: 'promote' | 'reject';
  readonly items: readonly BulkItem[];
  /** For rejections. */
  readonly reason: string;
}

export interface BulkProgress {
  readonly done: number;
  readonly decided: readonly Decided[];
  /** What went wrong, by path. */
  readonly failures: ReadonlyMap<string, string>;
  /** True while the service wants a pause between many changes. */
  readonly waiting: boolean;
}

/**
 * Decides on notes one after the other, in their order. One that fails stays in the queue and does not stop the others; a
 * service that asks for a pause gets it. Stops before the next note when `isCancelled` says so, and when no server answers.
 */
export async function runBulk(
  client: BrainClient,
  job: BulkJob,
  hooks: {
    readonly isCancelled: () => boolean;
    readonly onProgress: (progress: BulkProgress) => void;
    readonly onDecided: (entry: Entry) => void;
    readonly pause: (ms: number) => Promise<void>;
  },
): Promise<BulkProgress> {
  const decided: Decided[] = [];
  const failures = new Map<string, string>();
  let done = 0;
  const progress = (waiting = false): BulkProgress => ({
    done,
    decided: [...decided],
    failures: new Map(failures),
    waiting,
  });
  for (const item of job.items) {
    if (hooks.isCancelled()) break;
    const { entry, draft } = item;
    try {
      decided.push(
        await patiently(
          () => (job.kind === 'promote' ? promote(client, entry, draft) : reject(client, entry, job.reason)),
          async (ms) => {
            hooks.onProgress(progress(true));
            await hooks.pause(ms);
            if (hooks.isCancelled()) throw new CallError('cancelled', 'Cancelled before it was decided.');
          },
        ),
      );
      hooks.onDecided(entry);
    } catch (error) {
      const refusal = asCallError(error);
      const { code } = refusal;
      if (code !== 'cancelled') failures.set(entry.path, refusalWords(refusal));
      if (code === 'unreachable' || code === 'unauthorized') break;
    }
    done += 1;
    hooks.onProgress(progress());
  }
  return progress();
}
