import { KeyedMutex } from '../../core/base/concurrency';
import { BrainError, vaultClosed } from '../../core/base/errors';
import type { TextCall } from '../../core/base/steps';
import { TextFailed, type TextThreads } from '../../core/ports/ports';
import { type PoolOptions, type Thread, ThreadPool, WITHOUT_NETWORK } from '../threads/pool';
import { startWorker } from '../threads/worker';
import { textProgram } from './bundled-text-program';
import { JoinedParts, partsOf } from './parts';
import type { FromThread, TextAnswer, TextJob, ToThread } from './program';

/** The number of texts that are read at the same time; others wait. */
const AT_ONCE = 4;
/** The computing time that a text may use (ms): a fixed part, and a part for each MiB. */
const BASE_MS = 20_000;
const MS_PER_MIB = 10_000;
const MIB = 1024 * 1024;
/** The heaps that a thread may have (MiB). A text gets the smallest that is large enough. */
const HEAPS = [128, 256, 512] as const;
const LARGEST = 512;

/**
 * Returns the heap for a text (MiB): twice the 20 bytes for each of its own and 32 MiB that reading should take, as a heap needs
 * room to be collected.
 */
export function heapFor(length: number): number {
  const wanted = 2 * ((20 * length) / MIB + 32);
  return HEAPS.find((heap) => heap >= wanted) ?? LARGEST;
}

const START = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', (message) => parentPort.postMessage(brainTexts.reply(message)));
parentPort.on('messageerror', () => process.exit(1));`;

/** Starts a thread of Node that reads texts. */
export function startTextThread(heapMib: number): Thread<TextJob, TextAnswer> {
  const script = `${WITHOUT_NETWORK}${textProgram()}${START}`;
  const worker = startWorker<ToThread, FromThread>({ script, heapMib });
  return {
    async read(job) {
      for (const part of partsOf(job)) await worker.read(part);
      const answer = new JoinedParts();
      for (let part = await worker.read('go'); part !== null; part = await worker.read('next'))
        answer.add(part);
      // The program answers each job so.
      return answer.value as TextAnswer;
    },
    end: () => worker.end(),
  };
}

export interface TextThreadOptions extends Omit<PoolOptions, 'atOnce'> {
  readonly start: (heapMib: number) => Thread<TextJob, TextAnswer>;
}

/** Reads long texts in threads, one text of a caller at a time. */
export class PooledTextThreads implements TextThreads {
  readonly #pool: ThreadPool<TextJob, TextAnswer>;
  readonly #turns = new KeyedMutex();

  constructor(private readonly options: TextThreadOptions) {
    this.#pool = new ThreadPool({ ...options, atOnce: AT_ONCE });
  }

  run({ task, input, text }: TextCall, caller: string): Promise<unknown> {
    const heap = heapFor(text.length);
    return this.#turns.run(caller, async () => {
      const answer = await this.#pool
        .run(
          { task, input },
          {
            start: () => this.#start(heap),
            kind: String(heap),
            keep: true,
            limitMs: BASE_MS + (MS_PER_MIB * text.length) / MIB,
            stopped: vaultClosed,
          },
        )
        .catch((error: unknown) => {
          if (error instanceof BrainError) throw error;
          throw isNoStart(error) ? noThread() : new TextFailed(String(error));
        });
      if ('failure' in answer) throw new TextFailed(answer.failure);
      return answer.result;
    });
  }

  #start(heapMib: number): Thread<TextJob, TextAnswer> {
    try {
      return this.options.start(heapMib);
    } catch {
      throw noThread();
    }
  }

  /** Ends every thread; their calls reject with `starting`. */
  close(): void {
    this.#pool.close();
  }
}

/** Returns true for the error of a thread that Node could not set up, which says nothing of the text. */
function isNoStart(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_INIT_FAILED';
}

function noThread(): BrainError {
  return new BrainError(
    'busy',
    'The machine has no memory or no thread left to read the text. Try again in a few seconds.',
    { retry_after: 5 },
  );
}
