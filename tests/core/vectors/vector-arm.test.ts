import { Coverage } from '../../../src/core/vectors/coverage';
import { VectorArm } from '../../../src/core/vectors/vector-arm';
import { embedError, fakeEmbedder } from '../../support/fake-embedder';
import { fixedClock } from '../../support/fixed-clock';
import { manualSleep } from '../../support/manual-sleep';
import { memoryVectors } from '../../support/memory-vectors';
import { silentLog } from '../../support/silent-log';

function open() {
  const [embedder, vectors, clock, log] = [fakeEmbedder(), memoryVectors(), fixedClock(), silentLog()];
  const time = manualSleep(clock);
  const coverage = new Coverage({ notes: () => [], revision: 0 });
  const onForeign = jest.fn();
  const arm = new VectorArm({ embedder, vectors, coverage, clock, log, onForeign, sleep: time.sleep });
  return {
    arm,
    onForeign,
    embedder,
    vectors,
    clock,
    log,
    time,
    events: () => log.lines.map(({ event }) => event),
  };
}

it('logs an outage once and its end once, however many searches meet it', async () => {
  const { arm, embedder, clock, events, log } = open();
  for (let outage = 1; outage <= 2; outage += 1) {
    embedder.before = () => Promise.reject(embedError('ECONNREFUSED'));
    for (let at = 0; at < 4; at += 1) {
      expect(await arm.nearest('a private question', 10, {})).toBeNull();
      clock.advance(20_000);
    }
    expect(arm.isWorking).toBe(false);
    expect(arm.failure).toBe('The embedder at fake: ECONNREFUSED.');
    embedder.before = async () => undefined;
    for (let at = 0; at < 3; at += 1) expect(await arm.nearest('a private question', 10, {})).toEqual([]);
    expect(arm.isWorking).toBe(true);
    expect(arm.failure).toBeNull();
  }
  expect(events()).toEqual(['hybrid.degraded', 'hybrid.recovered', 'hybrid.degraded', 'hybrid.recovered']);
  expect(JSON.stringify(log.lines)).not.toContain('private');
});

it('is not put to rest again by an answer that nobody waits for any more', async () => {
  const { arm, embedder, time, clock } = open();
  let fail: (error: Error) => void = () => undefined;
  embedder.before = () => new Promise((_, reject) => (fail = reject));
  const asked = arm.nearest('slow', 10, {});
  await time.pass(4_000);
  expect(await asked).toBeNull();
  clock.advance(15_000);
  embedder.before = async () => undefined;
  expect(await arm.nearest('again', 10, {})).toEqual([]);
  fail(embedError('timeout'));
  await time.pass(1);
  expect(await arm.nearest('still', 10, {})).toEqual([]);
});

it('makes no search wait time and again for a model that is always too slow', async () => {
  const { arm, embedder, time, clock, events } = open();
  embedder.before = () => time.sleep(5_000);
  const wait = async () => {
    const since = clock.now().getTime();
    let waited: number | null = null;
    const asked = arm.nearest('q', 10, {}).then(() => (waited = clock.now().getTime() - since));
    while (waited === null) await time.pass(1_000);
    await asked;
    return waited;
  };
  const waits: number[] = [];
  for (let at = 0; at < 6; at += 1) {
    waits.push(await wait());
    // The answer comes meanwhile, too late.
    await time.pass(2_000);
  }
  // The first late answer may be that of a model that had to be loaded.
  expect(waits.filter((each) => each >= 4_000)).toHaveLength(2);
  expect(arm.isWorking).toBe(false);
  await time.pass(15_000);
  expect(await wait()).toBe(4_000);
  expect(events()).toEqual(['hybrid.degraded', 'hybrid.recovered', 'hybrid.degraded']);
  await time.pass(20_000);
  embedder.before = async () => undefined;
  expect(await arm.nearest('q', 10, {})).toEqual([]);
  expect(arm.isWorking).toBe(true);
});

it('takes each late answer for a sign of life that comes after one in time', async () => {
  const { arm, embedder, time, events } = open();
  for (let times = 0; times < 2; times += 1) {
    embedder.before = () => time.sleep(5_000);
    const asked = arm.nearest('q', 10, {});
    await time.pass(6_000);
    expect(await asked).toBeNull();
    embedder.before = async () => undefined;
    expect(await arm.nearest('q', 10, {})).toEqual([]);
  }
  expect(events()).toEqual(['hybrid.degraded', 'hybrid.recovered', 'hybrid.degraded', 'hybrid.recovered']);
});

it('rests for no text that the embedder can make nothing of, until another one fares no better', async () => {
  const { arm, embedder, time, events } = open();
  embedder.before = ([text = '']) =>
    text.includes('odd') ? Promise.reject(embedError('zeros', { status: 200 })) : Promise.resolve();
  for (const query of ['odd', 'odd']) expect(await arm.nearest(query, 10, {})).toBeNull();
  expect(arm.isWorking).toBe(true);
  expect(await arm.nearest('plain', 10, {})).toEqual([]);
  expect(await arm.nearest('odd', 10, {})).toBeNull();
  expect(arm.isWorking).toBe(true);
  expect(await arm.nearest('odd too', 10, {})).toBeNull();
  expect(arm.isWorking).toBe(false);
  expect(arm.failure).toContain('zeros');
  await time.pass(15_000);
  expect(await arm.nearest('odd', 10, {})).toBeNull();
  expect(arm.isWorking).toBe(false);
  await time.pass(15_000);
  expect(await arm.nearest('plain', 10, {})).toEqual([]);
  expect(events()).toEqual(['hybrid.query', 'hybrid.query', 'hybrid.degraded', 'hybrid.recovered']);
});

it('looks at every search whether the vectors are those of its model', async () => {
  const { arm, vectors, embedder, onForeign, events } = open();
  await vectors.clear(embedder.maker);
  expect(await arm.nearest('q', 10, {})).toEqual([]);
  await vectors.clear('model-of-another-device');
  expect(await arm.nearest('q', 10, {})).toBeNull();
  expect(onForeign).toHaveBeenCalledTimes(1);
  // A search leaves it to the sync, and to who is asked, whose the table is.
  expect(await vectors.maker()).toBe('model-of-another-device');
  await vectors.clear(embedder.maker);
  expect(await arm.nearest('q', 10, {})).toEqual([]);
  expect(events()).toEqual([]);
});

it('asks nobody when nothing can pass the filter', async () => {
  const { arm, embedder } = open();
  expect(await arm.nearest('q', 10, { only: [] })).toEqual([]);
  expect(await arm.nearest('q', 10, { prefixes: [] })).toEqual([]);
  expect(embedder.calls).toEqual([]);
});

it('says of an outage also where nothing can pass the filter', async () => {
  const { arm, embedder } = open();
  embedder.before = () => Promise.reject(new Error('/home/me/secret'));
  expect(await arm.nearest('q', 10, {})).toBeNull();
  expect(await arm.nearest('q', 10, { only: [] })).toBeNull();
  expect(arm.failure).not.toContain('secret');
});

it('calls off what is under way when it closes, without a word', async () => {
  const { arm, embedder, events } = open();
  embedder.before = (_texts, _kind, signal) =>
    new Promise((_, reject) => signal?.onStop(() => reject(embedError('stopped'))));
  const asked = arm.nearest('q', 10, {});
  while (embedder.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  arm.close();
  expect(await asked).toBeNull();
  expect(await arm.nearest('q', 10, {})).toBeNull();
  expect(events()).toEqual([]);
});
