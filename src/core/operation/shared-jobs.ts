import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { BrainError, ERROR_CODES } from '../base/errors';
import type { Log } from '../base/host';
import { asciiJson } from '../base/json';
import type { Progress, Watch } from '../base/steps';
import type { JobRecords } from '../ports/ports';
import { type JobList, type Jobs, type JobState, noJob, ownerOf } from './jobs';
import { jobShape } from './shapes';

/** A running job is recorded, and asked for at another server, in this interval (ms). */
const LOOK_EVERY_MS = 1_000;
/** Closing waits at most this long for the records of ended jobs (ms). */
const CLOSE_MS = 3_000;

const toldShape = z.union([
  z.object({ state: jobShape }),
  z.object({ result: z.unknown() }),
  z.object({
    error: z.object({
      code: z.enum(ERROR_CODES),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
]);
type Told = z.input<typeof toldShape>;

interface Options<Result> {
  readonly records: JobRecords;
  /** Reads a recorded result. */
  readonly readResult: (value: unknown) => Result;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Pick<Log, 'warn'>;
}

/** The jobs of all servers of a vault: those of this one, whose records it keeps, and the records of the others. */
export class SharedJobs<Result extends object> implements JobList<Result> {
  readonly #keeping = new Set<Promise<void>>();
  #isClosed = false;

  constructor(
    private readonly own: Jobs<Result>,
    private readonly options: Options<Result>,
  ) {}

  async start(caller: Caller, work: (watch: Watch) => Promise<Result>): Promise<JobState> {
    // The caller may ask another server as soon as it has the answer, and nothing is done where that would know of no job.
    let onSaved: (saving: Promise<void>) => void = () => undefined;
    const saved = new Promise<void>((resolve) => (onSaved = resolve));
    const state = this.own.start(caller, async (watch) => {
      await saved;
      return work(watch);
    });
    onSaved(this.#save(state.job, caller, { state }));
    await saved;
    const keeping = this.#keep(state, caller).finally(() => this.#keeping.delete(keeping));
    this.#keeping.add(keeping);
    return state;
  }

  async look(id: string, caller: Caller): Promise<Result | JobState> {
    return this.own.knows(id, caller) ? this.own.look(id, caller) : this.#elsewhere(id, caller);
  }

  async wait(id: string, caller: Caller, ms: number, watch: Watch = {}): Promise<Result | JobState> {
    if (this.own.knows(id, caller)) return this.own.wait(id, caller, ms, watch);
    const { signal, progress } = watch;
    let last: Progress = { done: 0, total: 0 };
    for (let left = ms; ; left -= LOOK_EVERY_MS) {
      const found = await this.#elsewhere(id, caller);
      if (!isState(found) || found.status !== 'running' || left <= 0 || signal?.stopped === true)
        return found;
      const { done, total, phase } = found;
      if (done !== last.done || total !== last.total) {
        last = { done, total, ...(phase !== undefined && { phase }) };
        progress?.(last);
      }
      await this.options.sleep(Math.min(left, LOOK_EVERY_MS));
    }
  }

  async cancel(id: string, caller: Caller): Promise<Result | JobState> {
    if (this.own.knows(id, caller)) return this.own.cancel(id, caller);
    const found = await this.#elsewhere(id, caller);
    if (isState(found) && found.status === 'running') await this.options.records.askToStop(id);
    return found;
  }

  get isRunning(): boolean {
    return this.own.isRunning;
  }

  async close(): Promise<void> {
    await this.own.close();
    this.#isClosed = true;
    await Promise.race([Promise.all(this.#keeping), this.options.sleep(CLOSE_MS)]);
  }

  /** Keeps the record of a job of this server until it has ended and that is recorded. */
  async #keep({ job }: JobState, caller: Caller): Promise<void> {
    const { records, sleep, log } = this.options;
    let saved = '';
    for (;;) {
      const told = await this.#tell(job, caller);
      try {
        const text = asciiJson(told);
        if (text !== saved) await this.#save(job, caller, told);
        saved = text;
        if (!isRunning(told)) return;
        if (await records.isAskedToStop(job)) this.own.cancel(job, caller);
      } catch (error) {
        log.warn('job.record', { job, message: String(error) });
        if (this.#isClosed) return;
        if (!isRunning(told)) await sleep(LOOK_EVERY_MS);
      }
    }
  }

  /** Waits for the outcome of a job of this server, but not for long, and returns what the others are told. */
  async #tell(job: string, caller: Caller): Promise<Told> {
    try {
      const found = await this.own.wait(job, caller, LOOK_EVERY_MS);
      return isState(found) ? { state: found } : { result: found };
    } catch (thrown) {
      const error =
        thrown instanceof BrainError
          ? thrown
          : new BrainError(
              'internal',
              'Something went wrong inside the service. The log of its server says where.',
            );
      const { code, message, details } = error;
      return { error: { code, message, ...(details && { details }) } };
    }
  }

  #save(id: string, caller: Caller, told: Told): Promise<void> {
    return this.options.records.save({ id, owner: ownerOf(caller), isEnded: !isRunning(told), told });
  }

  /** Returns how a job of another server stands. @throws BrainError as `Jobs.look`, and for a job whose server has died */
  async #elsewhere(id: string, caller: Caller): Promise<Result | JobState> {
    const { records, readResult } = this.options;
    const found = await records.find(id);
    const told = toldShape.safeParse(found?.told).data;
    if (found === null || told === undefined || found.owner !== ownerOf(caller)) throw noJob();
    if ('result' in told) return readResult(told.result);
    if ('error' in told) throw new BrainError(told.error.code, told.error.message, told.error.details);
    const { phase, ...state } = told.state;
    if (state.status === 'running' && !found.isHeld) {
      throw new BrainError(
        'not_found',
        `The server of this job has died before its end, after ${state.done} of ${state.total}. What it has written stands. Ingest again; what is known already is not taken twice.`,
        { interrupted: true, done: state.done, total: state.total },
      );
    }
    return { ...state, ...(phase !== undefined && { phase }) };
  }
}

function isRunning(told: Told): boolean {
  return 'state' in told && told.state.status === 'running';
}

function isState(answer: object): answer is JobState {
  return 'job' in answer && 'status' in answer;
}
