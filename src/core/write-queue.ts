import { BrainError } from './errors';

/** Callers that may wait for the vault's one writer before the service says that it is busy. */
export const WRITE_QUEUE_LIMIT = 256;

/**
 * One writer at a time for the whole vault. Concurrency buys almost nothing for durable writes, and one
 * queue is easy to reason about; readers never wait here.
 */
export class WriteQueue {
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * Runs `work` when all earlier work has ended, whatever its outcome.
   * @throws BrainError `busy` at once when too many callers wait already.
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= WRITE_QUEUE_LIMIT) {
      throw new BrainError('busy', 'Too many writes are waiting. Try again in a few seconds.', {
        retry_after: 2,
      });
    }
    this.#waiting += 1;
    const result = this.#tail.then(work).finally(() => (this.#waiting -= 1));
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Resolves when everything queued so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
