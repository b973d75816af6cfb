import { BrainError } from '../../core/base/errors';
import { Semaphore } from '../../core/base/concurrency';
import type { Log, StopSignal } from '../../core/base/host';
import type { Answer, Job, ReadText } from '../document-program/protocol';

/** Longest time for one document, in milliseconds. */
const TIMEOUT_MS = 20_000;
/** Documents that are read at once; more wait. */
const AT_ONCE = 2;

/** A thread that has one document to read. */
interface Thread {
  /**
   * What it answers. Rejects with an error named `OutOfMemory` when the document needs more than the thread may have, with
   * any other when the thread itself fails.
   */
  readonly answer: Promise<Answer>;
  /** Ends it, whatever it does; safe to call at any time. */
  end(): void;
}

/** Starts a thread for the document, in the way of the host. */
export type StartThread = (job: Job) => Thread;

/**
 * The first lines of a thread's program: without what reaches others. No document is to make a library ask anybody for
 * anything, whatever it names.
 */
export const WITHOUT_NETWORK = `for (const name of ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'importScripts', 'Worker'])
  Object.defineProperty(globalThis, name, { value: undefined });
`;

/** Why a thread gave no answer. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}

export interface ThreadOptions {
  readonly startThread: StartThread;
  /** Resolves after so many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Told why a document could not be read when no reader foresaw it. */
  readonly log?: Pick<Log, 'warn'>;
}

/**
 * Reads documents in threads of their own, each in a new one: whatever a hostile file does, it ends with its thread, and
 * nobody waits for it. However many are asked for, none is refused for that: how many there may be was asked before.
 */
export class DocumentThreads {
  readonly #turns = new Semaphore(AT_ONCE);
  readonly #running = new Set<() => void>();
  #isClosed = false;

  constructor(private readonly options: ThreadOptions) {}

  /**
   * What the document says.
   * @throws BrainError `unsupported_type`, `no_text`, `too_large` for the document, `busy` when it was called off
   */
  read(job: Job, signal?: StopSignal): Promise<ReadText> {
    return this.#turns.run(async () => {
      if (this.#isClosed || signal?.stopped === true) throw calledOff(job.name);
      const thread = this.options.startThread(job);
      try {
        return this.#textOf(await this.#whatComesFirst(thread, job.name, signal), job);
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

  /** Ends every thread; what they were to read is called off. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#running) stop();
  }

  async #whatComesFirst({ answer }: Thread, name: string, signal?: StopSignal): Promise<Answer> {
    let stop: () => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => (stop = () => reject(calledOff(name))));
    this.#running.add(stop);
    const forget = signal?.onStop(stop);
    const late = this.options.sleep(TIMEOUT_MS).then((): never => {
      throw tooLarge(`${name} was not read within ${TIMEOUT_MS / 1000} s`);
    });
    for (const other of [answer, late]) other.catch(() => undefined); // Whichever comes second.
    try {
      return await Promise.race([answer, stopped, late]);
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

function calledOff(name: string): BrainError {
  return new BrainError('busy', `Reading ${name} was called off. Start it again when it is wanted.`);
}
