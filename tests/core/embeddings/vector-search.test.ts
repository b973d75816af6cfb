import fc from 'fast-check';
import { VectorSearch, type VectorSearchPorts } from '../../../src/core/embeddings/hybrid';
import { StoreDown } from '../../../src/core/embeddings/store';
import { embedError, fakeEmbedder } from '../../support/fake-embedder';
import { fixedClock } from '../../support/fixed-clock';
import { manualSleep } from '../../support/manual-sleep';
import { madeBy, memoryVectors, VAULT_ID } from '../../support/memory-vectors';
import { silentLog } from '../../support/silent-log';

/** Every note has its vector, which the first search counts. */
function wholeCoverage(): VectorSearchPorts['coverage'] {
  let rows: number | null = null;
  return { count: async (vectors, maker) => void (rows ??= await vectors.count(maker)), isThin: false };
}

function open(coverage = wholeCoverage()) {
  const [embedder, vectors, clock, log] = [fakeEmbedder(), memoryVectors(), fixedClock(), silentLog()];
  const time = manualSleep(clock);
  const onForeign = jest.fn();
  const arm = new VectorSearch({
    embedder,
    vectors,
    vaultId: VAULT_ID,
    coverage,
    clock,
    log,
    onForeign,
    sleep: time.sleep,
  });
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

describe('after a failure', () => {
  const gone = () => Promise.reject(embedError('ECONNREFUSED'));

  it('rests ten times as long as that took a search, and fifteen seconds at most', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 4_000 }), async (took) => {
        const { arm, embedder, clock } = open();
        embedder.before = () => {
          clock.advance(took);
          return gone();
        };
        expect(await arm.nearest('first', 10, {})).toBeNull();
        const rest = Math.min(15_000, 10 * Math.max(1, took));
        embedder.before = async () => undefined;
        clock.advance(rest - 1);
        expect([await arm.nearest('early', 10, {}), arm.isPaused, arm.isWorking]).toEqual([
          null,
          true,
          false,
        ]);
        expect(embedder.calls).toHaveLength(1);
        clock.advance(1);
        expect([await arm.nearest('late', 10, {}), arm.isPaused, arm.isWorking]).toEqual([[], false, true]);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['embedder answered 401', embedError('HTTP 401', { status: 401 })],
    ['embedder answered 403', embedError('HTTP 403', { status: 403 })],
    ['embedder answered 404', embedError('HTTP 404', { status: 404 })],
    ['embedder answered 429', embedError('HTTP 429', { status: 429 })],
    ['database took no password', new StoreDown('The database does not take the password.', true)],
  ])('rests fifteen seconds however fast that was when the %s', async (_, error) => {
    const { arm, embedder, clock } = open();
    embedder.before = () => Promise.reject(error);
    expect(await arm.nearest('first', 10, {})).toBeNull();
    embedder.before = async () => undefined;
    clock.advance(14_999);
    expect([await arm.nearest('early', 10, {}), embedder.calls.length]).toEqual([null, 1]);
    clock.advance(1);
    expect(await arm.nearest('late', 10, {})).toEqual([]);
  });

  it.each([500, 502, 503])('rests no longer than it took when the embedder answered %i', async (status) => {
    const { arm, embedder, clock } = open();
    embedder.before = () => Promise.reject(embedError(`HTTP ${status}`, { status }));
    for (const query of ['one', 'two']) await arm.nearest(query, 10, {});
    expect(arm.isWorking).toBe(false);
    embedder.before = async () => undefined;
    clock.advance(10);
    expect(await arm.nearest('late', 10, {})).toEqual([]);
  });

  it('rests as long as the dearest of several searches demands, whichever of them fails last', async () => {
    const search = fc.record({
      from: fc.integer({ min: 0, max: 4_000 }),
      took: fc.integer({ max: 5_000, min: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(search, { minLength: 2, maxLength: 5 }), async (searches) => {
        // All of them have begun before the first one fails.
        const ends = searches.map(({ from, took }) => from + Math.min(took, 4_000));
        fc.pre(Math.max(...searches.map(({ from }) => from)) < Math.min(...ends));
        const { arm, embedder, time, clock } = open();
        const since = clock.now().getTime();
        embedder.before = async ([text = '']) => {
          await time.sleep(searches[Number(text.replace(/\D/g, ''))]?.took ?? 0);
          throw embedError('ECONNREFUSED');
        };
        const order = [...searches.keys()].sort(
          (a, b) => (searches[a]?.from ?? 0) - (searches[b]?.from ?? 0),
        );
        const asked: Promise<unknown>[] = [];
        const passTo = async (at: number) => {
          const left = since + at - clock.now().getTime();
          if (left > 0) await time.pass(left);
        };
        for (const at of order) {
          await passTo(searches[at]?.from ?? 0);
          asked.push(arm.nearest(`q ${at}`, 10, {}));
          while (embedder.calls.length < asked.length) await new Promise((resolve) => setImmediate(resolve));
        }
        await passTo(9_000);
        await Promise.all(asked);
        const until = Math.max(
          ...ends.map((end, at) => end + Math.min(15_000, 10 * Math.min(4_000, searches[at]?.took ?? 0))),
        );
        embedder.before = async () => undefined;
        if (until > 9_000) {
          await passTo(until - 1);
          expect(arm.isPaused).toBe(true);
        }
        await passTo(until);
        expect(arm.isPaused).toBe(false);
        expect(await arm.nearest('late', 10, {})).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('rests no longer than that when the clock is set back', async () => {
    const { arm, embedder, clock } = open();
    embedder.before = gone;
    expect(await arm.nearest('first', 10, {})).toBeNull();
    embedder.before = async () => undefined;
    clock.advance(-5_000);
    expect(await arm.nearest('again', 10, {})).toEqual([]);
    // Nor when it is set back while a search waits.
    embedder.before = () => {
      clock.advance(-5_000);
      return gone();
    };
    expect(await arm.nearest('third', 10, {})).toBeNull();
    embedder.before = async () => undefined;
    clock.advance(10);
    expect(await arm.nearest('fourth', 10, {})).toEqual([]);
  });

  it('lets one search of a crowd try at a time, and logs one line', async () => {
    const { arm, embedder, vectors, clock, events } = open();
    let [asking, most] = [0, 0];
    const counted = async (): Promise<never> => {
      asking += 1;
      most = Math.max(most, asking);
      await new Promise((resolve) => setImmediate(resolve));
      asking -= 1;
      return gone();
    };
    const crowd = () => Promise.all(Array.from({ length: 50 }, (_, at) => arm.nearest(`q ${at}`, 10, {})));
    embedder.before = gone;
    expect(await arm.nearest('first', 10, {})).toBeNull();
    embedder.before = counted;
    for (let wave = 0; wave < 20; wave += 1) {
      clock.advance(10);
      expect(new Set(await crowd())).toEqual(new Set([null]));
    }
    expect([most, embedder.calls.length]).toEqual([1, 21]);
    embedder.before = async () => undefined;
    vectors.isDown = true;
    for (let wave = 0; wave < 20; wave += 1) {
      clock.advance(10);
      expect(new Set(await crowd())).toEqual(new Set([null]));
    }
    expect(embedder.calls).toHaveLength(41);
    expect(events()).toEqual(['hybrid.degraded']);
  });
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

it('says why a search went without after one odd text too, until one is answered or a look finds all well', async () => {
  const { arm, embedder, events } = open();
  embedder.before = ([text = '']) =>
    text === 'odd' ? Promise.reject(embedError('zeros', { status: 200 })) : Promise.resolve();
  for (const mend of [() => arm.nearest('plain', 10, {}), async () => arm.foundAnswering()]) {
    await arm.nearest('odd', 10, {});
    expect([arm.isWorking, arm.failure]).toEqual([true, expect.stringContaining('zeros')]);
    await mend();
    expect(arm.failure).toBeNull();
  }
  expect(events()).not.toContain('hybrid.degraded');
});

it('takes a rest to its end though a look finds all well', async () => {
  const { arm, embedder, clock } = open();
  embedder.before = () => Promise.reject(embedError('HTTP 401', { status: 401 }));
  await arm.nearest('q', 10, {});
  clock.advance(14_999);
  arm.foundAnswering();
  expect([arm.isPaused, arm.failure === null]).toEqual([true, false]);
  clock.advance(1);
  arm.foundAnswering();
  expect([arm.isWorking, arm.failure]).toEqual([true, null]);
});

describe('at rest after queries that the embedder could make nothing of', () => {
  /** It answers no query that is odd. Two of them have put the arm to rest. */
  async function rested() {
    const world = open();
    const { arm, embedder } = world;
    embedder.before = ([text = '']) =>
      text.includes('odd') ? Promise.reject(embedError('zeros', { status: 200 })) : Promise.resolve();
    for (const query of ['odd', 'odd too']) await arm.nearest(query, 10, {});
    expect(arm.isWorking).toBe(false);
    return world;
  }

  it('is asked by the next other query, however often clients repeat those', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('odd', 'odd too'), { maxLength: 10 }), async (repeated) => {
        const { arm, time } = await rested();
        await time.pass(15_000);
        for (const query of repeated) expect(await arm.nearest(query, 10, {})).toBeNull();
        expect(arm.isWorking).toBe(false);
        expect(await arm.nearest('plain', 10, {})).toEqual([]);
        expect(arm.isWorking).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('is asked by that one also while one of those is under way, and rests on when that fails', async () => {
    const { arm, embedder, time } = await rested();
    await time.pass(15_000);
    let fail: () => void = () => undefined;
    embedder.before = ([text = '']) =>
      text.includes('odd')
        ? new Promise((_, reject) => (fail = () => reject(embedError('zeros', { status: 200 }))))
        : Promise.reject(embedError('ECONNREFUSED'));
    const odd = arm.nearest('odd', 10, {});
    expect(await arm.nearest('plain', 10, {})).toBeNull();
    expect(embedder.calls.at(-1)?.texts).toEqual([expect.stringContaining('plain')]);
    fail();
    expect(await odd).toBeNull();
    const calls = embedder.calls.length;
    for (const query of ['plain', 'odd']) expect(await arm.nearest(query, 10, {})).toBeNull();
    expect(embedder.calls).toHaveLength(calls);
  });

  it('works again once one of those is answered', async () => {
    const { arm, embedder, time, events } = await rested();
    embedder.before = async () => undefined;
    expect(await arm.nearest('odd', 10, {})).toBeNull();
    await time.pass(15_000);
    expect(await arm.nearest('odd', 10, {})).toEqual([]);
    expect(arm.isWorking).toBe(true);
    expect(events()).toEqual(['hybrid.query', 'hybrid.degraded', 'hybrid.recovered']);
  });

  it('is asked so by few of them: whoever always asks another one is not remembered for ever', async () => {
    const { arm, embedder, time } = await rested();
    for (let at = 0; at < 30; at += 1) {
      await time.pass(15_000);
      await arm.nearest(`odd ${at}`, 10, {});
    }
    await time.pass(15_000);
    // The first one is as good as new, and takes the turn.
    await arm.nearest('odd', 10, {});
    const calls = embedder.calls.length;
    expect(await arm.nearest('plain', 10, {})).toBeNull();
    expect(embedder.calls).toHaveLength(calls);
  });
});

it('takes no search that asked no embedder for a sign that it answers', async () => {
  const coverage = { count: async () => undefined, isThin: false };
  const { arm, embedder } = open(coverage);
  embedder.before = () => Promise.reject(embedError('zeros', { status: 200 }));
  expect(await arm.nearest('odd', 10, {})).toBeNull();
  coverage.isThin = true;
  expect(await arm.nearest('plain', 10, {})).toBeNull();
  expect(embedder.calls).toHaveLength(1);
  coverage.isThin = false;
  expect(await arm.nearest('odd too', 10, {})).toBeNull();
  expect(arm.isWorking).toBe(false);
});

it('looks at every search whether the vectors are those of its model', async () => {
  const { arm, vectors, embedder, onForeign, events } = open();
  await vectors.clear(madeBy(embedder.maker));
  expect(await arm.nearest('q', 10, {})).toEqual([]);
  await vectors.clear(madeBy('model-of-another-device'));
  expect(await arm.nearest('q', 10, {})).toBeNull();
  expect(onForeign).toHaveBeenCalledTimes(1);
  // A search leaves it to the sync, and to who is asked, whose the table is.
  expect(await vectors.maker()).toBe('model-of-another-device');
  await vectors.clear(madeBy(embedder.maker));
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
