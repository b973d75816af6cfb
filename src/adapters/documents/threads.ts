import { BrainError } from '../../core/base/errors';
import type { Log, StopSignal } from '../../core/base/host';
import type { Answer, Job, ReadText } from '../document-program/protocol';
import { OutOfMemory, OutOfTime, type PoolOptions, type Thread, ThreadPool } from '../threads/pool';

/** The computing time that one document may use (ms). */
const LIMIT_MS = 20_000;
/** The number of documents that are read at the same time; others wait. */
const AT_ONCE = 2;
/**
 * A thread reads several small documents (bytes), because its start takes longer than most of them. PDF files are large programs
 * of their own and get a new one each.
 */
const SMALL_BYTES = 1024 * 1024;

/** Starts a thread that reads documents; each host has its own way. */
export type StartThread = () => Thread<Job, Answer>;

export interface ThreadOptions extends Omit<PoolOptions, 'atOnce'> {
  readonly startThread: StartThread;
  /** Gets the cause when a reader fails unexpectedly. */
  readonly log?: Pick<Log, 'warn'>;
}

/** Reads documents in threads. */
export class DocumentThreads {
  readonly #pool: ThreadPool<Job, Answer>;

  constructor(private readonly options: ThreadOptions) {
    this.#pool = new ThreadPool({ ...options, atOnce: AT_ONCE });
  }

  /**
   * Reads one document.
   * @throws BrainError `unsupported_type`, `no_text`, `too_large` for the document, `busy` when the caller stops it or this
   * is closed
   */
  async read(job: Job, signal?: StopSignal): Promise<ReadText> {
    const { kind, name, bytes } = job;
    try {
      const answer = await this.#pool.run(job, {
        start: this.options.startThread,
        kind: 'document',
        keep: kind !== 'pdf' && bytes.length <= SMALL_BYTES,
        limitMs: LIMIT_MS,
        stopped: () => stoppedError(name),
        signal,
      });
      return this.#textOf(answer, job);
    } catch (error) {
      throw asRefusal(error, job);
    }
  }

  #textOf(answer: Answer, { kind }: Job): ReadText {
    if ('text' in answer) return answer.text;
    const { code, message, cause } = answer.error;
    if (cause !== undefined) this.options.log?.warn('document.unreadable', { kind, cause });
    throw new BrainError(code, message);
  }

  /** Ends every thread; their reads reject with `busy`. */
  close(): void {
    this.#pool.close();
  }
}

/** Returns the error for the caller of a document that a thread could not read. */
function asRefusal(error: unknown, { name }: Pick<Job, 'name'>): unknown {
  if (error instanceof OutOfTime)
    return tooLarge(`${name} was not read within ${LIMIT_MS / 1000} s of computing time`);
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
