import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import type { Caller } from '../access/tokens';
import { StopController } from '../base/concurrency';
import { BrainError, called, vaultClosed } from '../base/errors';
import type { Clock, Log } from '../base/host';
import type { Progress, Watch } from '../base/steps';

/** The outcome of a job is kept for this long after its end (ms). */
const KEPT_MS = 60 * 60 * 1000;
/** The number of jobs of one caller, running or ended; a new one replaces the oldest that has ended. */
export const MAX_JOBS = 16;
/** Closing waits at most this long for running jobs (ms): each stops at its next step. */
const CLOSE_MS = 3_000;

/** The state of a job without an outcome: it runs, or was cancelled before it had one. */
export interface JobState extends Progress {
  readonly job: string;
  readonly status: 'running' | 'cancelled';
}

type Outcome<Result> = { readonly result: Result } | { readonly thrown: unknown } | 'cancelled';

interface Job<Result> {
  readonly id: string;
  readonly owner: string;
  readonly stop: StopController;
  readonly listeners: Set<(progress: Progress) => void>;
  progress: Progress;
  outcome: Outcome<Result> | null;
  /** Resolves when there is an outcome; never rejects. */
  ended: Promise<void>;
  /** Milliseconds since the epoch. */
  endedAt: number;
}

/** The jobs that callers start and ask for, at one server or at all that share a vault. */
export interface JobList<Result extends object> {
  /** See `Jobs.start`. */
  start(caller: Caller, work: (watch: Watch) => Promise<Result>): JobState | Promise<JobState>;
  /** See `Jobs.look`. */
  look(id: string, caller: Caller): Result | JobState | Promise<Result | JobState>;
  /** See `Jobs.wait`. */
  wait(id: string, caller: Caller, ms: number, watch?: Watch): Promise<Result | JobState>;
  /** See `Jobs.cancel`. */
  cancel(id: string, caller: Caller): Result | JobState | Promise<Result | JobState>;
  /** True while a job of any caller runs at this server. */
  readonly isRunning: boolean;
  close(): Promise<void>;
}

/**
 * Work that continues after the call that started it. Only its caller can see a job. Jobs live in memory: closing the service
 * cancels running ones, and what they have written is kept.
 */
export class Jobs<Result extends object> implements JobList<Result> {
  readonly #jobs = new Map<string, Job<Result>>();
  #isClosed = false;

  /** `sleep` resolves after this many milliseconds without keeping the process alive. */
  constructor(
    private readonly clock: Clock,
    private readonly sleep: (milliseconds: number) => Promise<void>,
    private readonly log: Pick<Log, 'error'>,
  ) {}

  /**
   * Starts work and returns at once.
   * @throws BrainError, starting nothing: `busy` when this caller has the most running jobs already, `starting` when the
   * service is closing
   */
  start(caller: Caller, work: (watch: Watch) => Promise<Result>): JobState {
    if (this.#isClosed) throw vaultClosed();
    const owner = ownerOf(caller);
    this.#makeRoom(owner);
    const job: Job<Result> = {
      id: bytesToHex(randomBytes(12)),
      owner,
      stop: new StopController(),
      listeners: new Set(),
      progress: { done: 0, total: 0 },
      outcome: null,
      ended: Promise.resolve(),
      endedAt: 0,
    };
    this.#jobs.set(job.id, job);
    const progress = (now: Progress): void => {
      job.progress = {
        done: now.done,
        total: now.total,
        ...(now.phase !== undefined && { phase: now.phase }),
      };
      for (const listener of [...job.listeners]) listener(job.progress);
    };
    job.ended = this.#follow(job, () => work({ signal: job.stop, progress }));
    return stateOf(job, 'running');
  }

  /**
   * Returns the outcome of a job, or its progress. Throws the error of the job.
   * @throws BrainError `not_found` when this caller has no such job, or it ended more than an hour ago
   */
  look(id: string, caller: Caller): Result | JobState {
    return answerOf(this.#find(id, caller));
  }

  /**
   * Waits for the outcome, at most `ms` milliseconds or until the signal of `watch` stops, and returns as `look` does. The job
   * continues in any case.
   */
  async wait(id: string, caller: Caller, ms: number, watch: Watch = {}): Promise<Result | JobState> {
    const job = this.#find(id, caller);
    const { signal, progress } = watch;
    if (progress !== undefined) {
      if (job.progress.total > 0) progress(job.progress);
      job.listeners.add(progress);
    }
    let forget: (() => void) | undefined;
    const calledOff = new Promise<void>((resolve) => {
      forget = signal?.onStop(resolve);
    });
    await Promise.race([job.ended, this.sleep(ms), calledOff]);
    forget?.();
    if (progress !== undefined) job.listeners.delete(progress);
    // The waiting caller gets the outcome even when a new job has replaced this one meanwhile.
    return answerOf(job);
  }

  /** Cancels a job, which stops at its next step, and returns as `look` does. A job that has ended is unchanged. */
  cancel(id: string, caller: Caller): Result | JobState {
    const job = this.#find(id, caller);
    job.stop.stop();
    return answerOf(job);
  }

  /** Returns true when the caller has this job. */
  knows(id: string, caller: Caller): boolean {
    this.#forgetOld();
    return this.#jobs.get(id)?.owner === ownerOf(caller);
  }

  /** True while a job of any caller runs. */
  get isRunning(): boolean {
    return [...this.#jobs.values()].some(({ outcome }) => outcome === null);
  }

  /** Cancels all jobs; resolves when they have stopped, or after three seconds. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#jobs.values()].filter(({ outcome }) => outcome === null);
    for (const { stop } of running) stop.stop();
    const all = Promise.all(running.map(({ ended }) => ended));
    if (running.length > 0) await Promise.race([all, this.sleep(CLOSE_MS)]);
  }

  async #follow(job: Job<Result>, work: () => Promise<Result>): Promise<void> {
    try {
      job.outcome = { result: await work() };
    } catch (thrown) {
      job.outcome = job.stop.stopped && saysCalledOff(thrown) ? 'cancelled' : { thrown };
      // The caller may never ask for the outcome.
      if (!(thrown instanceof BrainError)) this.log.error('job.failed', { message: String(thrown) });
    }
    job.endedAt = this.clock.now().getTime();
    job.listeners.clear();
  }

  #find(id: string, caller: Caller): Job<Result> {
    this.#forgetOld();
    const job = this.#jobs.get(id);
    // The existence of another caller's job is not revealed.
    if (job !== undefined && job.owner === ownerOf(caller)) return job;
    throw noJob();
  }

  #makeRoom(owner: string): void {
    this.#forgetOld();
    const own = [...this.#jobs.values()].filter((job) => job.owner === owner);
    if (own.length < MAX_JOBS) return;
    const [oldest] = own.filter(({ outcome }) => outcome !== null).sort((a, b) => a.endedAt - b.endedAt);
    if (oldest === undefined) {
      throw new BrainError(
        'busy',
        `${MAX_JOBS} of your jobs run already. Wait for one, or cancel it with ${called('cancelJob', 'a cancellation')}.`,
        {
          retry_after: 30,
        },
      );
    }
    this.#jobs.delete(oldest.id);
  }

  #forgetOld(): void {
    const now = this.clock.now().getTime();
    for (const job of this.#jobs.values()) {
      if (job.outcome !== null && now - job.endedAt > KEPT_MS) this.#jobs.delete(job.id);
    }
  }
}

function answerOf<Result extends object>(job: Job<Result>): Result | JobState {
  const { outcome } = job;
  if (outcome === null) return stateOf(job, 'running');
  if (outcome === 'cancelled') return stateOf(job, 'cancelled');
  if ('result' in outcome) return outcome.result;
  throw outcome.thrown;
}

/** Returns the error of a job that its caller does not have. */
export function noJob(): BrainError {
  return new BrainError(
    'not_found',
    'There is no such job of yours: outcomes are kept for an hour, and not beyond a restart. Ingest again; what is known already is not taken twice.',
  );
}

/** Returns true for the errors by which cancelled work ends. Any other error is a failure, perhaps after pages exist. */
function saysCalledOff(thrown: unknown): boolean {
  return thrown instanceof BrainError && (thrown.code === 'busy' || thrown.code === 'starting');
}

function stateOf(job: Job<object>, status: JobState['status']): JobState {
  return { job: job.id, status, ...job.progress };
}

/** A person and a token of the same name are two callers. */
export function ownerOf({ human, name }: Caller): string {
  return `${human ? 'human' : 'token'}:${name}`;
}
