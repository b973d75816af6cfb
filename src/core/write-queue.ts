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
  #isClosed = false;

  /**
   * Runs `work` when all earlier work has ended, whatever its outcome.
   * @throws BrainError `busy` at once when too many callers wait already, `starting` when the queue was closed.
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw vaultClosed();
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

  /** Takes no more work; resolves when everything queued so far has ended. After it nothing writes to the vault any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.idle();
  }

  /** Resolves when everything queued so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}

/** What is told to work that comes when the vault has been given back. */
export function vaultClosed(): BrainError {
  return new BrainError('starting', 'The vault is being closed. Try again when the server runs.', {
    retry_after: 5,
  });
}
