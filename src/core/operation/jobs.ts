import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import type { Caller } from '../access/caller';
import { StopController } from '../base/concurrency';
import { BrainError, vaultClosed } from '../base/errors';
import type { Clock, Log } from '../base/host';
import type { Progress, Watch } from '../base/steps';

/** The outcome of a job can be asked for this long after its end, in milliseconds. */
const KEPT_MS = 60 * 60 * 1000;
/** Jobs that one caller may have here, running or ended; the oldest that has ended makes room for a new one. */
export const MAX_JOBS = 16;
/** The end of the service waits so long for running jobs, in milliseconds: each stops at its next step. */
const CLOSE_MS = 3_000;

/** What is known of a job that has no outcome: it still runs, or it was called off before there was one. */
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

/**
 * Work that outlives the call which began it. Each job belongs to its caller, and for anyone else there is none. Jobs live in
 * memory: the service's end calls off what runs, and what they have written by then stands.
 */
export class Jobs<Result extends object> {
  readonly #jobs = new Map<string, Job<Result>>();
  #isClosed = false;

  /** `sleep` resolves after so many milliseconds without keeping the process alive. */
  constructor(
    private readonly clock: Clock,
    private readonly sleep: (milliseconds: number) => Promise<void>,
    private readonly log: Pick<Log, 'error'>,
  ) {}

  /**
   * Begins work and answers at once.
   * @throws BrainError, beginning nothing: `busy` when as many jobs of this caller run as there may be, `starting` when the
   * service is ending.
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
      job.progress = { done: now.done, total: now.total };
      for (const listener of [...job.listeners]) listener(job.progress);
    };
    job.ended = this.#follow(job, () => work({ signal: job.stop, progress }));
    return stateOf(job, 'running');
  }

  /**
   * The outcome of a job, or how far it is. Throws what the job has thrown.
   * @throws BrainError `not_found` when this caller has no such job, or it ended more than an hour ago.
   */
  look(id: string, caller: Caller): Result | JobState {
    return answerOf(this.#find(id, caller));
  }

  /**
   * Waits for the outcome, at most so many milliseconds or until `watch` calls the waiting off, and answers as `look` does.
   * The job goes on in any case.
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
    // Whoever has waited gets it, also when another job has taken its place by now.
    return answerOf(job);
  }

  /** Calls a job off, which stops at its next step, and answers as `look` does. One that has ended stays as it is. */
  cancel(id: string, caller: Caller): Result | JobState {
    const job = this.#find(id, caller);
    job.stop.stop();
    return answerOf(job);
  }

  /** Calls off everything; resolves when it has stopped, or after three seconds. */
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
      // Perhaps nobody asks for the outcome.
      if (!(thrown instanceof BrainError)) this.log.error('job.failed', { message: String(thrown) });
    }
    job.endedAt = this.clock.now().getTime();
    job.listeners.clear();
  }

  #find(id: string, caller: Caller): Job<Result> {
    this.#forgetOld();
    const job = this.#jobs.get(id);
    // Whether the job of another caller exists is nobody's business.
    if (job !== undefined && job.owner === ownerOf(caller)) return job;
    throw new BrainError(
      'not_found',
      'There is no such job of yours: outcomes are kept for an hour, and not beyond a restart. Ingest again; what is known already is not taken twice.',
    );
  }

  #makeRoom(owner: string): void {
    this.#forgetOld();
    const own = [...this.#jobs.values()].filter((job) => job.owner === owner);
    if (own.length < MAX_JOBS) return;
    const [oldest] = own.filter(({ outcome }) => outcome !== null).sort((a, b) => a.endedAt - b.endedAt);
    if (oldest === undefined) {
      throw new BrainError('busy', `${MAX_JOBS} of your jobs run already. Wait for one, or cancel it.`, {
        retry_after: 30,
      });
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

/** Work that is called off says so by throwing. Anything else has failed, perhaps after its pages stood. */
function saysCalledOff(thrown: unknown): boolean {
  return thrown instanceof BrainError && (thrown.code === 'busy' || thrown.code === 'starting');
}

function stateOf(job: Job<object>, status: JobState['status']): JobState {
  return { job: job.id, status, ...job.progress };
}

/** A person and a token of the same name are two callers. */
function ownerOf({ human, name }: Caller): string {
  return `${human ? 'human' : 'token'}:${name}`;
}
