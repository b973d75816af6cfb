import { BrainError } from '../../core/base/errors';
import { Semaphore } from '../../core/base/concurrency';
import type { Log, StopSignal } from '../../core/base/host';
import type { Answer, Job, ReadText } from '../document-program/protocol';

/** The time limit for one document (ms). */
const TIMEOUT_MS = 20_000;
/** The number of documents that are read at the same time; others wait. */
const AT_ONCE = 2;
/**
 * A thread reads several small documents, because its start takes longer than most of them: documents up to this size (bytes),
 * at most this many, with at most this time between two (ms). PDF files are large programs of their own and get a new one each.
 */
const SMALL_BYTES = 1024 * 1024;
const MAX_READ = 100;
const IDLE_MS = 5_000;

/** A thread that reads documents, one after the other. */
interface Thread {
  /**
   * Resolves with the answer for a document. Call it again only after that. Rejects with OutOfMemory when the document needs
   * more memory than the thread may have, with another error when the thread itself fails.
   */
  read(job: Job): Promise<Answer>;
  /** Ends the thread, whatever it does; safe to call at any time. */
  end(): void;
}

/** Starts a thread; each host has its own way. */
export type StartThread = () => Thread;

/**
 * The first lines of a thread's script: they remove what reaches the network or other scripts. No document may make a
 * library send a request.
 */
export const WITHOUT_NETWORK = `for (const name of ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'importScripts', 'Worker'])
  Object.defineProperty(globalThis, name, { value: undefined });
`;

/** The time limit of a document has passed. A further try would only take as long again. */
class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

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

/** A thread between two documents. */
interface IdleThread {
  readonly thread: Thread;
  /** The number of documents that it has read. */
  readonly count: number;
}

/**
 * Reads documents in threads: whatever a hostile file does ends with its thread and blocks nobody. A thread that has answered
 * may read another small document; where it fails at that, a new thread tries once more, so that no document suffers from
 * the one before it. No call is refused because of the number of calls, which the caller limits.
 */
export class DocumentThreads {
  readonly #turns = new Semaphore(AT_ONCE);
  readonly #running = new Set<() => void>();
  readonly #idle = new Set<IdleThread>();
  #isClosed = false;

  constructor(private readonly options: ThreadOptions) {}

  /**
   * Reads one document.
   * @throws BrainError `unsupported_type`, `no_text`, `too_large` for the document, `busy` when the caller stops it or this
   * is closed
   */
  read(job: Job, signal?: StopSignal): Promise<ReadText> {
    return this.#turns.run(async () => {
      const isSmall = job.kind !== 'pdf' && job.bytes.length <= SMALL_BYTES;
      const [used] = isSmall ? this.#idle : [];
      if (used !== undefined) {
        this.#idle.delete(used);
        const answer = await this.#answerOf(job, used, isSmall, signal).catch((error: unknown) => {
          if (error instanceof TimedOut || error instanceof BrainError) throw asRefusal(error, job);
          return null; // The document before may be the reason.
        });
        if (answer !== null) return this.#textOf(answer, job);
      }
      const fresh = { thread: this.options.startThread(), count: 0 };
      const answer = await this.#answerOf(job, fresh, isSmall, signal).catch((error: unknown) => {
        throw asRefusal(error, job);
      });
      return this.#textOf(answer, job);
    });
  }

  /** Returns the answer of a thread, which is kept for the next document when it may read one. */
  async #answerOf(
    job: Job,
    { thread, count }: IdleThread,
    isSmall: boolean,
    signal?: StopSignal,
  ): Promise<Answer> {
    let isDone = false;
    try {
      if (this.#isClosed || signal?.stopped === true) throw stoppedError(job.name);
      const answer = await this.#firstOf(thread, job, signal);
      isDone = isSmall && count + 1 < MAX_READ && !this.#isClosed;
      return answer;
    } finally {
      if (isDone) this.#keep({ thread, count: count + 1 });
      else thread.end();
    }
  }

  #keep(idle: IdleThread): void {
    this.#idle.add(idle);
    void this.options.sleep(IDLE_MS).then(() => {
      if (this.#idle.delete(idle)) idle.thread.end();
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
    for (const { thread } of this.#idle) thread.end();
    this.#idle.clear();
  }

  async #firstOf(thread: Thread, job: Job, signal?: StopSignal): Promise<Answer> {
    const { name } = job;
    let stop: () => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => (stop = () => reject(stoppedError(name))));
    this.#running.add(stop);
    const forget = signal?.onStop(stop);
    const timeout = this.options.sleep(TIMEOUT_MS).then((): never => {
      throw new TimedOut();
    });
    const answer = thread.read(job);
    for (const other of [answer, timeout]) other.catch(() => undefined); // Whichever settles second must not be an unhandled rejection.
    try {
      return await Promise.race([answer, stopped, timeout]);
    } finally {
      forget?.();
      this.#running.delete(stop);
    }
  }
}

/** Returns the error for the caller of a document that a thread could not read. */
function asRefusal(error: unknown, { name }: Pick<Job, 'name'>): unknown {
  if (error instanceof TimedOut) return tooLarge(`${name} was not read within ${TIMEOUT_MS / 1000} s`);
  return error instanceof OutOfMemory ? tooLarge(`${name} needs too much memory to be read`) : error;
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
