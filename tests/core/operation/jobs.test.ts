import { StopController } from '../../../src/core/base/concurrency';
import { BrainError } from '../../../src/core/base/errors';
import type { Progress, Watch } from '../../../src/core/base/steps';
import { Jobs, MAX_JOBS } from '../../../src/core/operation/jobs';
import { fixedClock } from '../../support/fixed-clock';
import { manualSleep } from '../../support/manual-sleep';
import { agent, callerWith, person } from '../../support/test-brain';

const HOUR = 60 * 60 * 1000;

interface Answer {
  readonly made: string;
}

/** Work that goes on until the test ends it. */
function openEnded() {
  const held: { resolve: (answer: Answer) => void; reject: (error: unknown) => void; watch: Watch }[] = [];
  const work = (watch: Watch) =>
    new Promise<Answer>((resolve, reject) => {
      held.push({ resolve, reject, watch });
      watch.signal?.onStop(() => reject(new BrainError('busy', 'Called off.')));
    });
  return { work, held, last: () => held.at(-1) ?? fail() };
}

function fail(): never {
  throw new Error('nothing was begun');
}

function setUp() {
  const clock = fixedClock();
  const time = manualSleep(clock);
  const logged: string[] = [];
  const log = { error: (event: string) => void logged.push(event) };
  return { clock, time, logged, jobs: new Jobs<Answer>(clock, time.sleep, log) };
}

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof BrainError) return error.code;
    throw error;
  }
  return 'ok';
}

function answerNow(jobs: Jobs<Answer>, job: string): string {
  const answer = jobs.look(job, agent);
  return 'status' in answer ? answer.status : 'ended';
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('answers at once, then tells how far it is, then the outcome', async () => {
  const { jobs } = setUp();
  const { work, last } = openEnded();
  const begun = jobs.start(agent, work);
  expect(begun).toEqual({
    job: expect.stringMatching(/^[0-9a-f]{24}$/),
    status: 'running',
    done: 0,
    total: 0,
  });
  last().watch.progress?.({ done: 2, total: 7 });
  expect(jobs.look(begun.job, agent)).toEqual({ job: begun.job, status: 'running', done: 2, total: 7 });
  last().resolve({ made: 'pages' });
  await settled();
  expect(jobs.look(begun.job, agent)).toEqual({ made: 'pages' });
});

it('fails whoever asks with what the work failed with', async () => {
  const { jobs } = setUp();
  const { work, last } = openEnded();
  const { job } = jobs.start(agent, work);
  last().reject(new BrainError('no_text', 'Nothing in it.'));
  await settled();
  expect(await codeOf(() => jobs.look(job, agent))).toBe('no_text');
  // Too late to be called off, so it stays a failure.
  expect(await codeOf(() => jobs.cancel(job, agent))).toBe('no_text');
});

it('is nobody else’s, not even that of a person of the same name', async () => {
  const { jobs } = setUp();
  const { job } = jobs.start(callerWith(['propose'], 'me'), openEnded().work);
  for (const other of [agent, person]) {
    expect(await codeOf(() => jobs.look(job, other))).toBe('not_found');
    expect(await codeOf(() => jobs.cancel(job, other))).toBe('not_found');
    expect(await codeOf(() => jobs.wait(job, other, 1))).toBe('not_found');
  }
  expect(jobs.look(job, callerWith(['read'], 'me'))).toMatchObject({ status: 'running' });
});

it('is kept for an hour after its end, however long it ran', async () => {
  const { jobs, clock } = setUp();
  const { work, last } = openEnded();
  const { job } = jobs.start(agent, work);
  clock.advance(5 * HOUR);
  last().resolve({ made: 'late' });
  await settled();
  clock.advance(HOUR);
  expect(jobs.look(job, agent)).toEqual({ made: 'late' });
  clock.advance(1);
  expect(await codeOf(() => jobs.look(job, agent))).toBe('not_found');
});

describe('calling off', () => {
  it('reaches the work, and what it says of that is no failure', async () => {
    const { jobs } = setUp();
    const { work, last } = openEnded();
    const { job } = jobs.start(agent, work);
    last().watch.progress?.({ done: 1, total: 3 });
    expect(jobs.cancel(job, agent)).toMatchObject({ status: 'running' });
    await settled();
    expect(jobs.look(job, agent)).toEqual({ job, status: 'cancelled', done: 1, total: 3 });
  });

  it('does not hide what the work failed with, which may be after its pages stood', async () => {
    const { jobs, logged } = setUp();
    for (const failure of [new BrainError('no_text', 'Nothing in it.'), new Error('ENOSPC')]) {
      const { job } = jobs.start(agent, async ({ signal }) => {
        await new Promise<void>((resolve) => signal?.onStop(resolve));
        throw failure;
      });
      jobs.cancel(job, agent);
      await settled();
      expect(() => jobs.look(job, agent)).toThrow(failure);
    }
    expect(logged).toEqual(['job.failed']);
  });

  it('still tells what was done, when the work does', async () => {
    const { jobs } = setUp();
    const { job } = jobs.start(agent, async ({ signal }) => {
      await new Promise<void>((resolve) => signal?.onStop(resolve));
      return { made: 'half of it' };
    });
    jobs.cancel(job, agent);
    await settled();
    expect(jobs.look(job, agent)).toEqual({ made: 'half of it' });
  });
});

describe('waiting', () => {
  it('ends with the outcome, telling how far it is meanwhile', async () => {
    const { jobs } = setUp();
    const { work, last } = openEnded();
    const { job } = jobs.start(agent, work);
    last().watch.progress?.({ done: 1, total: 4 });
    const told: Progress[] = [];
    const waiting = jobs.wait(job, agent, 45_000, { progress: (progress) => told.push(progress) });
    last().watch.progress?.({ done: 3, total: 4 });
    last().resolve({ made: 'all' });
    expect(await waiting).toEqual({ made: 'all' });
    expect(told).toEqual([
      { done: 1, total: 4 },
      { done: 3, total: 4 },
    ]);
  });

  it('ends with the outcome, also when other jobs take its place in that moment', async () => {
    const { jobs } = setUp();
    const { work, last } = openEnded();
    const { job } = jobs.start(agent, work);
    const waiting = jobs.wait(job, agent, 45_000);
    for (let number = 1; number < MAX_JOBS; number += 1) jobs.start(agent, openEnded().work);
    last().resolve({ made: 'all' });
    // A step of the waiting before its end: the job has its outcome, and whoever waits has not been told.
    while (answerNow(jobs, job) === 'running') await Promise.resolve();
    jobs.start(agent, openEnded().work);
    expect(await codeOf(() => jobs.look(job, agent))).toBe('not_found');
    expect(await waiting).toEqual({ made: 'all' });
  });

  it('ends after its time, and the job goes on', async () => {
    const { jobs, time } = setUp();
    const { work, last } = openEnded();
    const { job } = jobs.start(agent, work);
    let answer: unknown;
    void jobs.wait(job, agent, 45_000).then((found) => (answer = found));
    await time.pass(44_999);
    expect(answer).toBeUndefined();
    await time.pass(1);
    expect(answer).toEqual({ job, status: 'running', done: 0, total: 0 });
    last().resolve({ made: 'all' });
    expect(await jobs.wait(job, agent, 45_000)).toEqual({ made: 'all' });
  });

  it('ends when nobody waits any more, and tells that one nothing further', async () => {
    const { jobs } = setUp();
    const { work, last } = openEnded();
    const { job } = jobs.start(agent, work);
    const signal = new StopController();
    const told: Progress[] = [];
    const waiting = jobs.wait(job, agent, 45_000, { signal, progress: (progress) => told.push(progress) });
    signal.stop();
    expect(await waiting).toMatchObject({ status: 'running' });
    last().watch.progress?.({ done: 1, total: 2 });
    expect(told).toEqual([]);
  });
});

describe('many jobs', () => {
  it('of one caller are refused when all of them run, and no other caller is', async () => {
    const { jobs } = setUp();
    const { work, held } = openEnded();
    for (let number = 0; number < MAX_JOBS; number += 1) jobs.start(agent, work);
    expect(await codeOf(() => jobs.start(agent, work))).toBe('busy');
    expect(held).toHaveLength(MAX_JOBS);
    expect(await codeOf(() => jobs.start(person, work))).toBe('ok');
  });

  it('take the place of the one that ended first', async () => {
    const { jobs, clock } = setUp();
    const { work, held } = openEnded();
    const ids = Array.from({ length: MAX_JOBS }, () => jobs.start(agent, work).job);
    held[5]?.resolve({ made: 'first' });
    await settled();
    clock.advance(1000);
    held[2]?.resolve({ made: 'second' });
    await settled();
    jobs.start(agent, work);
    expect(await codeOf(() => jobs.look(ids[5] ?? '', agent))).toBe('not_found');
    expect(jobs.look(ids[2] ?? '', agent)).toEqual({ made: 'second' });
  });
});

describe('the end of the service', () => {
  it('calls off what runs, waits for it, and takes nothing new', async () => {
    const { jobs } = setUp();
    const { work, last } = openEnded();
    const { job } = jobs.start(agent, work);
    await jobs.close();
    expect(last().watch.signal?.stopped).toBe(true);
    expect(jobs.look(job, agent)).toMatchObject({ status: 'cancelled' });
    expect(await codeOf(() => jobs.start(agent, work))).toBe('starting');
  });

  it('does not wait for ever', async () => {
    const { jobs, time } = setUp();
    jobs.start(agent, () => new Promise(() => undefined));
    let isClosed = false;
    void jobs.close().then(() => (isClosed = true));
    await time.pass(2_999);
    expect(isClosed).toBe(false);
    await time.pass(1);
    expect(isClosed).toBe(true);
  });
});
