import { BrainError } from '../base/errors';
import type { OpeningCatalog } from '../catalog/load';

/** A call waits at most this long for the vault to be read (ms). */
const READY_WAIT_MS = 10_000;
/** A call that can be answered with partial data waits this long for the rest (ms), which mostly suffices. */
const REST_WAIT_MS = 500;

const READING = 'The vault is still being read.';

/** The load of the catalog, as callers wait for it. */
export class Loading {
  /** True once every note has been read. */
  isReady = false;
  /** Resolves when every note has been read; rejects only when the vault is closed. */
  readonly read: Promise<void>;
  readonly #patience: Promise<void>;

  constructor(
    private readonly opening: OpeningCatalog,
    private readonly sleep: (milliseconds: number) => Promise<void>,
    private readonly store: 'disk' | 'database',
  ) {
    this.read = opening.read.then(() => {
      this.isReady = true;
    });
    this.#patience = opening.listed.then(() => sleep(REST_WAIT_MS));
  }

  /** Returns why not every note has been read, in a sentence without names; null once all are. */
  unready(): string | null {
    if (this.isReady) return null;
    if (this.opening.fault() === null) return READING;
    return `The vault cannot be read from its ${this.store} now, and is tried again by itself; the log says why.`;
  }

  /** @throws BrainError `starting` when not every note has been read within 10 s. */
  ready(): Promise<void> {
    return this.#inTime(this.read);
  }

  /**
   * Resolves when a search finds every note, or half a second after every file is known.
   * @throws as `ready`.
   */
  searchable(): Promise<void> {
    return this.#inTime(Promise.race([this.read, this.opening.searchable, this.#patience]));
  }

  async #inTime(work: Promise<void>): Promise<void> {
    if (this.isReady) return;
    const late = Symbol('late');
    const first = await Promise.race([work, this.sleep(READY_WAIT_MS).then(() => late)]);
    if (first === late && !this.isReady) {
      throw new BrainError('starting', `${this.unready() ?? READING} Try again in a few seconds.`, {
        retry_after: 5,
      });
    }
  }
}
