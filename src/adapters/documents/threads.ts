import { BrainError } from '../../core/base/errors';
import type { Log, StopSignal } from '../../core/base/host';
import type { Watch } from '../../core/base/steps';
import type { Expanded, ExportFiles } from '../../core/documents/ports';
import type { Answer, Job, ReadText, Refusal } from '../document-program/protocol';
import type { ExpandAnswer, ExpandJob, Reply } from '../exports/channel';
import { OutOfMemory, OutOfTime, type PoolOptions, type Thread, ThreadPool } from '../threads/pool';

/** The computing time that one document may use (ms). */
const LIMIT_MS = 20_000;
/** The bytes of an export for which a second of computing time more may be used. */
const EXPORT_BYTES = 1024 * 1024;
/** The number of documents that are read at the same time; others wait. */
const AT_ONCE = 2;
/**
 * A thread reads several small documents (bytes), because its start takes longer than most of them. PDF files are large programs
 * of their own and get a new one each.
 */
const SMALL_BYTES = 1024 * 1024;

/** Starts a thread that reads documents; each host has its own way. */
export type StartThread = () => Thread<Job | ExpandJob, Answer | ExpandAnswer>;

export interface ThreadOptions extends Omit<PoolOptions, 'atOnce'> {
  readonly startThread: StartThread;
  /** Gets the cause when a reader fails unexpectedly. */
  readonly log?: Pick<Log, 'warn'>;
}

/** Reads documents in threads. */
export class DocumentThreads {
  readonly #pool: ThreadPool<Job | ExpandJob, Answer | ExpandAnswer>;

  constructor(private readonly options: ThreadOptions) {
    this.#pool = new ThreadPool({ ...options, atOnce: AT_ONCE });
  }

  /**
   * Expands an export in a thread of its own, which asks for bytes and gives files one after the other.
   * @throws BrainError `too_large` beyond the limits of an export, `busy` when the signal stops it or this is closed; what the host
   * rejects with
   */
  async expand(files: ExportFiles, { signal, progress }: Watch): Promise<Expanded> {
    const bytes = files.came.reduce((sum, { size }) => sum + size, 0);
    const start = (): Thread<Job | ExpandJob, Answer | ExpandAnswer> => {
      const thread = this.options.startThread();
      return {
        end: () => thread.end(),
        async read(job) {
          let answer = await thread.read(job);
          while ('ask' in answer)
            answer = await thread.read({ reply: await replyTo(answer.ask, files, progress) });
          return answer;
        },
      };
    };
    try {
      const answer = await this.#pool.run(
        { expand: files.came },
        {
          start,
          kind: 'export',
          keep: false,
          limitMs: LIMIT_MS + (bytes / EXPORT_BYTES) * 1000,
          stopped: () => stoppedError('the export'),
          signal,
        },
      );
      if ('expanded' in answer) return { files: answer.expanded, left: answer.left, told: answer.told };
      if ('error' in answer) throw this.#refusal(answer.error, 'export');
      throw new Error('a thread that was to expand answered something else');
    } catch (error) {
      throw asRefusal(error, { name: 'The export' });
    }
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

  #textOf(answer: Answer | ExpandAnswer, { kind }: Job): ReadText {
    if ('text' in answer) return answer.text;
    if ('error' in answer) throw this.#refusal(answer.error, kind);
    throw new Error('a thread that was to read answered something else');
  }

  #refusal({ code, message, cause }: Refusal, kind: string): BrainError {
    if (cause !== undefined) this.options.log?.warn('document.unreadable', { kind, cause });
    return new BrainError(code, message);
  }

  /** Ends every thread; their reads reject with `busy`. */
  close(): void {
    this.#pool.close();
  }
}

/** Does what a thread asks for while it expands an export. */
async function replyTo(
  asking: Extract<ExpandAnswer, { ask: unknown }>['ask'],
  files: ExportFiles,
  progress: Watch['progress'],
): Promise<Reply> {
  switch (asking.op) {
    case 'read':
      return files.read(asking.id, asking.from, asking.to);
    case 'create':
      return files.create(asking.place, asking.modified);
    case 'append':
      await files.append(asking.id, asking.bytes);
      return null;
    case 'progress':
      progress?.({ done: asking.done, total: asking.total, phase: 'reading' });
      return null;
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
