import { BrainError } from '../../core/base/errors';
import { Semaphore } from '../../core/base/concurrency';
import type { Log, StopSignal } from '../../core/base/host';
import type { Answer, Job, ReadText } from '../document-program/protocol';

/** The time limit for one document (ms). */
const TIMEOUT_MS = 20_000;
/** The number of documents that are read at the same time; others wait. */
const AT_ONCE = 2;

/** A thread that reads one document. */
interface Thread {
  /**
   * The answer. Rejects with OutOfMemory when the document needs more memory than the thread may have, with another error
   * when the thread itself fails.
   */
  readonly answer: Promise<Answer>;
  /** Ends the thread, whatever it does; safe to call at any time. */
  end(): void;
}

/** Starts a thread for the document; each host has its own way. */
export type StartThread = (job: Job) => Thread;

/**
 * The first lines of a thread's script: they remove what reaches the network or other scripts. No document may make a
 * library send a request.
 */
export const WITHOUT_NETWORK = `for (const name of ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'importScripts', 'Worker'])
  Object.defineProperty(globalThis, name, { value: undefined });
`;

/** The thread needed more memory than it may have. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}

export interface ThreadOptions {
  readonly startThread: StartThread;
  /** Resolves after this time (ms) without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Gets the cause when a reader fails unexpectedly. */
  readonly log?: Pick<Log, 'warn'>;
}

/**
 * Reads each document in a new thread: whatever a hostile file does ends with its thread and blocks nobody. No call is
 * refused because of the number of calls, which the caller limits.
 */
export class DocumentThreads {
  readonly #turns = new Semaphore(AT_ONCE);
  readonly #running = new Set<() => void>();
  #isClosed = false;

  constructor(private readonly options: ThreadOptions) {}

  /**
   * Reads one document.
   * @throws BrainError `unsupported_type`, `no_text`, `too_large` for the document, `busy` when the caller stops it or this
   * is closed
   */
  read(job: Job, signal?: StopSignal): Promise<ReadText> {
    return this.#turns.run(async () => {
      if (this.#isClosed || signal?.stopped === true) throw stoppedError(job.name);
      const thread = this.options.startThread(job);
      try {
        return this.#textOf(await this.#firstOf(thread, job.name, signal), job);
      } finally {
        thread.end();
      }
    });
  }

  #textOf(answer: Answer, { kind }: Job): ReadText {
    if ('text' in answer) return answer.text;
    const { code, message, cause } = answer.error;
    if (cause !== undefined) this.options.log?.warn('document.unreadable', { kind, cause });
    throw new BrainError(code, message);
  }

  /** Ends every thread; their reads reject with `busy`. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#running) stop();
  }

  async #firstOf({ answer }: Thread, name: string, signal?: StopSignal): Promise<Answer> {
    let stop: () => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => (stop = () => reject(stoppedError(name))));
    this.#running.add(stop);
    const forget = signal?.onStop(stop);
    const timeout = this.options.sleep(TIMEOUT_MS).then((): never => {
      throw tooLarge(`${name} was not read within ${TIMEOUT_MS / 1000} s`);
    });
    for (const other of [answer, timeout]) other.catch(() => undefined); // Whichever settles second must not be an unhandled rejection.
    try {
      return await Promise.race([answer, stopped, timeout]);
    } catch (error) {
      throw error instanceof OutOfMemory ? tooLarge(`${name} needs too much memory to be read`) : error;
    } finally {
      forget?.();
      this.#running.delete(stop);
    }
  }
}

function tooLarge(what: string): BrainError {
  return new BrainError(
    'too_large',
    `${what}, so it was given up. Split it, or save its text by itself, and ingest that.`,
  );
}

function stoppedError(name: string): BrainError {
  return new BrainError('busy', `Reading ${name} was called off. Start it again when it is wanted.`);
}
