import type { Answer, BrainClient } from '../../core/registry/client';
import type { ServerControl } from '../server/control';
import { setTimer as nodeLater, type SetTimer } from '../server/timers';

/** So often it is looked at how far a backfill is, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** Both settings by the names under which the page of settings has them. */
const NOT_CONFIGURED =
  'Notes are found by their words alone, so there are no embeddings to fill. Set "Postgres" and "Embedder" under "Hybrid search" in the settings to find them by meaning too.';

/** How far a backfill is. */
export interface BackfillProgress {
  readonly done: number;
  readonly total: number;
}

/** Fills the embeddings when the person asks for it, and knows how far that is for whoever shows it. */
export class Backfill {
  readonly #control: Pick<ServerControl, 'client' | 'hasHybrid' | 'syncProgress'>;
  readonly #tell: (message: string) => void;
  readonly #showSettings: () => void;
  readonly #later: SetTimer;
  readonly #listeners = new Set<() => void>();
  #running: BrainClient | null = null;
  #cancel = (): void => undefined;
  #isClosed = false;

  constructor(
    control: Pick<ServerControl, 'client' | 'hasHybrid' | 'syncProgress'>,
    tell: (message: string) => void,
    showSettings: () => void,
    later: SetTimer = nodeLater,
  ) {
    this.#control = control;
    this.#tell = tell;
    this.#showSettings = showSettings;
    this.#later = later;
  }

  /** Null while none runs that was asked for here. */
  get progress(): BackfillProgress | null {
    return this.#running === null ? null : (this.#control.syncProgress ?? { done: 0, total: 0 });
  }

  /** Calls `listener` when a backfill begins, goes on or ends. Returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs one and tells what it has done; while one runs that was asked for here, there is nothing to do. Where search goes by
   * words alone it tells which settings are missing, and shows them.
   */
  async run(): Promise<void> {
    const { client, hasHybrid } = this.#control;
    if (client === null || this.#running !== null) return;
    if (!hasHybrid) {
      this.#tell(NOT_CONFIGURED);
      this.#showSettings();
      return;
    }
    this.#running = client;
    this.#look();
    try {
      const result = await client.call('backfill', {});
      if (!this.#isClosed) this.#tell(await told(result));
    } catch (error) {
      // A plugin that is gone has nobody to tell.
      if (!this.#isClosed) throw error;
    } finally {
      this.#running = null;
      this.#cancel();
      this.#announce();
    }
  }

  /** Stops it. What it has done stands, and it tells so itself. */
  async cancel(): Promise<void> {
    await this.#running?.call('cancelBackfill', {});
  }

  /** Looks at nothing and tells nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#cancel();
  }

  #look(): void {
    this.#announce();
    this.#cancel = this.#later(LOOK_EVERY_MS, () => this.#look());
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** What was done, and the first other thing that went wrong: a notice is gone soon, and the doctor knows more. */
async function told(result: Answer<'backfill'>): Promise<string> {
  // Not needed for the app to start.
  const { backfillWords, otherErrors } = await import('../../ui/found/state');
  const [first] = otherErrors(result.errors);
  return first === undefined ? backfillWords(result) : `${backfillWords(result)}\n${first.error}`;
}
