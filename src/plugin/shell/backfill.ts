import type { Answer, BrainClient } from '../../core/registry/client';
import type { ServerControl } from '../server/control';
import { setTimer as nodeLater, type SetTimer } from '../server/timers';

/** The interval of progress updates (ms). */
const POLL_EVERY_MS = 1_000;

/** The message without hybrid retrieval. It names the settings as the settings page does. */
const NOT_CONFIGURED =
  'Notes are found by their words alone, so there are no embeddings to fill. "Set up search by meaning" in the settings turns that on.';

/** The progress of a backfill. */
export interface BackfillProgress {
  readonly done: number;
  readonly total: number;
}

/** Runs backfills of the embeddings, and reports their progress. */
export class Backfill {
  readonly #control: Pick<ServerControl, 'client' | 'hasHybrid' | 'syncProgress'>;
  readonly #showMessage: (message: string) => void;
  readonly #showSettings: () => void;
  readonly #later: SetTimer;
  readonly #listeners = new Set<() => void>();
  #running: BrainClient | null = null;
  #cancel = (): void => undefined;
  #isClosed = false;

  constructor(
    control: Pick<ServerControl, 'client' | 'hasHybrid' | 'syncProgress'>,
    showMessage: (message: string) => void,
    showSettings: () => void,
    later: SetTimer = nodeLater,
  ) {
    this.#control = control;
    this.#showMessage = showMessage;
    this.#showSettings = showSettings;
    this.#later = later;
  }

  /** The progress of the backfill that was started here; null for none. */
  get progress(): BackfillProgress | null {
    return this.#running === null ? null : (this.#control.syncProgress ?? { done: 0, total: 0 });
  }

  /** Calls `listener` when a backfill starts, progresses or ends. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs a backfill and shows its result. Does nothing while one that was started here runs. Without hybrid retrieval it
   * names the missing settings and opens the settings page.
   */
  async run(): Promise<void> {
    const { client, hasHybrid } = this.#control;
    if (client === null || this.#running !== null) return;
    if (!hasHybrid) {
      this.#showMessage(NOT_CONFIGURED);
      this.#showSettings();
      return;
    }
    this.#running = client;
    this.#poll();
    try {
      const result = await client.call('backfill', {});
      if (!this.#isClosed) this.#showMessage(await describeResult(result));
    } catch (error) {
      // After the plugin is unloaded nobody reads the error.
      if (!this.#isClosed) throw error;
    } finally {
      this.#running = null;
      this.#cancel();
      this.#notify();
    }
  }

  /** Stops the backfill. Finished embeddings are kept, and `run` shows the result. */
  async cancel(): Promise<void> {
    await this.#running?.call('cancelBackfill', {});
  }

  /** Stops all updates and messages. */
  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#cancel();
  }

  #poll(): void {
    this.#notify();
    this.#cancel = this.#later(POLL_EVERY_MS, () => this.#poll());
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/**
 * Describes a result and its first error that the sync itself does not explain. A notice disappears soon; the doctor has all
 * errors.
 */
async function describeResult(result: Answer<'backfill'>): Promise<string> {
  // The module is not loaded with the app.
  const { backfillWords, otherErrors } = await import('../../ui/found/state');
  const [first] = otherErrors(result.errors);
  return first === undefined ? backfillWords(result) : `${backfillWords(result)}\n${first.error}`;
}
