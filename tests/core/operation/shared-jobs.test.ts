import { BrainError } from '../../../src/core/base/errors';
import type { Progress, Watch } from '../../../src/core/base/steps';
import { Jobs } from '../../../src/core/operation/jobs';
import { SharedJobs } from '../../../src/core/operation/shared-jobs';
import type { JobRecord, JobRecords } from '../../../src/core/ports/ports';
import { fixedClock } from '../../support/fixed-clock';
import { manualSleep } from '../../support/manual-sleep';
import { agent, person } from '../../support/test-brain';

interface Answer {
  readonly made: string;
}

/** The records of all servers; those that are in `dead` do not live. */
function memoryRecords() {
  const all = new Map<string, JobRecord>();
  const stops = new Set<string>();
  const state = { isHeld: true, isDown: false };
  const records: JobRecords = {
    async save(record) {
      if (state.isDown) throw new BrainError('busy', 'The database is down.');
      all.set(record.id, JSON.parse(JSON.stringify(record)));
    },
    async find(id) {
      const found = all.get(id);
      return found === undefined ? null : { ...found, isHeld: state.isHeld };
    },
    askToStop: async (id) => void stops.add(id),
    isAskedToStop: async (id) => stops.has(id),
  };
  return { records, all, state };
}

/** Two servers that share their records, and work that goes on until the test ends it. */
function setUp() {
  const { records, all, state } = memoryRecords();
  const clock = fixedClock();
  const time = manualSleep(clock);
  const log = { warn: () => undefined, error: () => undefined };
  const server = () =>
    new SharedJobs<Answer>(new Jobs<Answer>(clock, time.sleep, log), {
      ...{ records, sleep: time.sleep, log },
      readResult: (value) => ({ made: String(Object(value).made) }),
    });
  const held: { resolve: (answer: Answer) => void; reject: (error: unknown) => void; watch: Watch }[] = [];
  const work = (watch: Watch) =>
    new Promise<Answer>((resolve, reject) => {
      held.push({ resolve, reject, watch });
      watch.signal?.onStop(() => reject(new BrainError('busy', 'Called off.')));
    });
  const last = () => {
    const found = held.at(-1);
    if (found === undefined) throw new Error('nothing was begun');
    return found;
  };
  return { all, state, time, work, last, mine: server(), other: server() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('is known at another server with the answer to its start, then how far it is, then its outcome', async () => {
  const { mine, other, work, last, time } = setUp();
  const { job } = await mine.start(agent, work);
  expect(await other.look(job, agent)).toEqual({ job, status: 'running', done: 0, total: 0 });
  last().watch.progress?.({ done: 2, total: 7, phase: 'writing' });
  await time.pass(1_000);
  await settled();
  const running = { job, status: 'running', done: 2, total: 7, phase: 'writing' };
  expect([await mine.look(job, agent), await other.look(job, agent)]).toEqual([running, running]);
  last().resolve({ made: 'pages' });
  await settled();
  expect([await mine.look(job, agent), await other.look(job, agent)]).toEqual([
    { made: 'pages' },
    { made: 'pages' },
  ]);
});

it('fails at another server with what the work failed with', async () => {
  const { mine, other, work, last } = setUp();
  for (const [error, code] of [
    [new BrainError('no_text', 'Nothing in it.', { path: 'a' }), 'no_text'],
    [new Error('secret'), 'internal'],
  ] as const) {
    const { job } = await mine.start(agent, work);
    last().reject(error);
    await settled();
    await expect(other.look(job, agent)).rejects.toMatchObject({ code });
    await expect(other.look(job, agent)).rejects.not.toThrow(/secret/);
  }
});

it('is nobody else’s at another server either', async () => {
  const { mine, other, work } = setUp();
  const { job } = await mine.start(agent, work);
  await expect(other.look(job, person)).rejects.toMatchObject({ code: 'not_found' });
  await expect(other.cancel(job, person)).rejects.toMatchObject({ code: 'not_found' });
  await expect(other.look('none', agent)).rejects.toMatchObject({ code: 'not_found' });
});

it('is cancelled from another server', async () => {
  const { mine, other, work, time } = setUp();
  const { job } = await mine.start(agent, work);
  expect(await other.cancel(job, agent)).toMatchObject({ status: 'running' });
  await time.pass(2_000);
  await settled();
  expect(await other.look(job, agent)).toEqual({ job, status: 'cancelled', done: 0, total: 0 });
});

it('is waited for at another server, which tells how far it is', async () => {
  const { mine, other, work, last, time } = setUp();
  const { job } = await mine.start(agent, work);
  const told: Progress[] = [];
  const waiting = other.wait(job, agent, 45_000, { progress: (progress) => told.push(progress) });
  last().watch.progress?.({ done: 1, total: 4 });
  await time.pass(1_000);
  await settled();
  await time.pass(1_000);
  await settled();
  last().resolve({ made: 'all' });
  await settled();
  await time.pass(1_000);
  expect(await waiting).toEqual({ made: 'all' });
  expect(told).toEqual([{ done: 1, total: 4 }]);
});

it('tells of a server that died before the end, and what to do', async () => {
  const { mine, other, work, state } = setUp();
  const { job } = await mine.start(agent, work);
  state.isHeld = false;
  await expect(other.look(job, agent)).rejects.toMatchObject({
    ...{ code: 'not_found', details: { interrupted: true, done: 0, total: 0 } },
    message: expect.stringMatching(/has died before its end.*Ingest again/),
  });
});

it('is not begun when nobody could ask for it, and its outcome is recorded when the database is back', async () => {
  const { mine, other, work, last, state, time } = setUp();
  state.isDown = true;
  await expect(mine.start(agent, work)).rejects.toMatchObject({ code: 'busy' });
  expect(last).toThrow('nothing was begun');
  state.isDown = false;
  const { job } = await mine.start(agent, work);
  state.isDown = true;
  last().resolve({ made: 'all' });
  await settled();
  expect(await other.look(job, agent)).toMatchObject({ status: 'running' });
  state.isDown = false;
  await time.pass(1_000);
  await settled();
  expect(await other.look(job, agent)).toEqual({ made: 'all' });
});

it('is recorded as cancelled when its server closes', async () => {
  const { mine, other, work } = setUp();
  const { job } = await mine.start(agent, work);
  await mine.close();
  expect(await other.look(job, agent)).toMatchObject({ status: 'cancelled' });
});
