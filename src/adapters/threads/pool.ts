import { Semaphore } from '../../core/base/concurrency';
import { BrainError } from '../../core/base/errors';
import type { StopSignal } from '../../core/base/host';

/** A thread is given up when nobody needs it for this time (ms). */
const IDLE_MS = 5_000;
/** The jobs that one thread does at most. */
const MAX_JOBS = 100;
/** The time after which the computing time of a thread is counted again (ms). */
const TICK_MS = 250;

/** A thread that does jobs, one after the other. */
export interface Thread<Job, Answer> {
  /**
   * Resolves with the answer to a job. Call it again only after that. Rejects with OutOfMemory when the job needs more memory
   * than the thread may have, with another error when the thread itself fails.
   */
  read(job: Job): Promise<Answer>;
  /** Ends the thread, whatever it does; safe to call at any time. */
  end(): void;
}

/**
 * The first lines of a thread's script: they remove what reaches the network or other scripts. No document may make a
 * library send a request.
 */
export const WITHOUT_NETWORK = `for (const name of ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'importScripts', 'Worker'])
  Object.defineProperty(globalThis, name, { value: undefined });
`;

/** A job has used the computing time that it may use. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/** The thread needed more memory than it may have. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}

export interface PoolOptions {
  /** The jobs at the same time; others wait. */
  readonly atOnce: number;
  /** Resolves after this time (ms) without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Returns the computing time that this process has used with all its threads (ms). */
  readonly used: () => number;
}

/** How a job is done. */
interface Use<Job, Answer> {
  readonly start: () => Thread<Job, Answer>;
  /** Jobs of one kind may share a thread. */
  readonly kind: string;
  /** True when the thread may do another job afterwards. */
  readonly keep: boolean;
  /** The computing time that the job may use (ms). */
  readonly limitMs: number;
  /** Returns the error for a job that is called off. */
  readonly stopped: () => BrainError;
  readonly signal?: StopSignal | undefined;
}

/** A thread between two jobs. */
interface IdleThread<Job, Answer> {
  readonly thread: Thread<Job, Answer>;
  readonly kind: string;
  /** The number of jobs that it has done. */
  readonly count: number;
}

/** The number of threads of all pools that do a job: they share the computing time of the process. */
let working = 0;

/**
 * Does jobs in threads: whatever a hostile input does ends with its thread and blocks nobody. A thread that has answered may do
 * another job of its kind; where it fails at that, a new thread tries once more, so that no job suffers from the one before it.
 * No call is refused because of the number of calls, which the caller limits.
 */
export class ThreadPool<Job, Answer> {
  readonly #turns: Semaphore;
  readonly #running = new Set<() => void>();
  readonly #idle = new Set<IdleThread<Job, Answer>>();
  #isClosed = false;

  constructor(private readonly options: PoolOptions) {
    this.#turns = new Semaphore(options.atOnce);
  }

  /**
   * Resolves with the answer to a job.
   * @throws OutOfTime, OutOfMemory, another error of a thread that failed, or `stopped`
   */
  run(job: Job, use: Use<Job, Answer>): Promise<Answer> {
    return this.#turns.run(async () => {
      this.#refuseStopped(use);
      const used = use.keep ? [...this.#idle].find(({ kind }) => kind === use.kind) : undefined;
      if (used !== undefined) {
        this.#idle.delete(used);
        try {
          return await this.#answerOf(job, used, use);
        } catch (error) {
          // A further try would only take as long again. Else the job before may be the reason.
          if (error instanceof OutOfTime || error instanceof BrainError) throw error;
          this.#refuseStopped(use);
        }
      }
      return this.#answerOf(job, { thread: use.start(), kind: use.kind, count: 0 }, use);
    });
  }

  /** Ends every thread; their jobs reject with `stopped`. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#running) stop();
    for (const { thread } of this.#idle) thread.end();
    this.#idle.clear();
  }

  #refuseStopped({ signal, stopped }: Use<Job, Answer>): void {
    if (this.#isClosed || signal?.stopped === true) throw stopped();
  }

  /** Returns the answer of a thread, which is kept for the next job when it may do one. */
  async #answerOf(job: Job, idle: IdleThread<Job, Answer>, use: Use<Job, Answer>): Promise<Answer> {
    let isDone = false;
    try {
      const answer = await this.#firstOf(idle.thread, job, use);
      isDone = use.keep && idle.count + 1 < MAX_JOBS && !this.#isClosed;
      return answer;
    } finally {
      if (isDone) this.#keep({ ...idle, count: idle.count + 1 });
      else idle.thread.end();
    }
  }

  #keep(idle: IdleThread<Job, Answer>): void {
    this.#idle.add(idle);
    void this.options.sleep(IDLE_MS).then(() => {
      if (this.#idle.delete(idle)) idle.thread.end();
    });
  }

  async #firstOf(thread: Thread<Job, Answer>, job: Job, use: Use<Job, Answer>): Promise<Answer> {
    let stop: () => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => (stop = () => reject(use.stopped())));
    this.#running.add(stop);
    const forget = use.signal?.onStop(stop);
    let isOver = false;
    working += 1;
    const timeout = this.#timeUp(use.limitMs, () => isOver);
    const answer = thread.read(job);
    // Whichever settles second must not be an unhandled rejection.
    for (const other of [answer, timeout]) other.catch(() => undefined);
    try {
      return await Promise.race([answer, stopped, timeout]);
    } finally {
      isOver = true;
      working -= 1;
      forget?.();
      this.#running.delete(stop);
    }
  }

  /**
   * Rejects when a job has used its computing time; the hosts know that of the process only, so the jobs at work share it. A tick
   * counts for no more than its length: a machine that slept, or a process that was stopped or got no turn, has used nothing.
   */
  async #timeUp(limitMs: number, isOver: () => boolean): Promise<never> {
    const { sleep, used } = this.options;
    let before = used();
    for (let spent = 0; spent < limitMs;) {
      await sleep(TICK_MS);
      // Nobody waits for this promise any more.
      if (isOver()) return new Promise<never>(() => undefined);
      const now = used();
      spent += Math.min(TICK_MS, (now - before) / working);
      before = now;
    }
    throw new OutOfTime();
  }
}
