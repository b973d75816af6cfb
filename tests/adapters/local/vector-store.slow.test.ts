import fc from 'fast-check';
import { localVectorStore } from '../../../src/adapters/local/vector-store';
import { decodeSegment } from '../../../src/adapters/local/segment';
import { finish, Pace } from '../../../src/core/base/steps';
import { DIMENSIONS } from '../../../src/core/embeddings/pieces';
import { type Maker, StoreDown, type VectorRow, type VectorStore } from '../../../src/core/embeddings/store';
import type { StateStore, VectorFilter } from '../../../src/core/ports/ports';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { IS_NIGHT } from '../../support/by-night';
import { createMemoryState, type MemoryState } from '../../support/memory-state';
import { memoryVectors, nearPaths } from '../../support/memory-vectors';
import { topicalVectors } from '../../support/random-vectors';
import { silentLog } from '../../support/silent-log';

const FOLDER = 'local.d1/vectors';
const MAKER: Maker = { model: 'some-model', vault: 'v1' };
const OTHER: Maker = { ...MAKER, model: 'another-model' };

function pace(breathe: () => Promise<void> = async () => undefined): Pace {
  // Every piece is a slice of its own, so that others come between all of them.
  let now = 0;
  return new Pace(breathe, { now: () => new Date((now += 2)) });
}

function openIn(state: StateStore, breathe?: () => Promise<void>): VectorStore {
  return localVectorStore({ state, device: 'd1', pace: pace(breathe), log: silentLog() });
}

function axis(at: number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, (_, index) => (index === at ? 1 : 0));
}

const pathOf = (at: number): VaultPath => vaultPath(`wiki/a/facts/${at}.md`);
const row = (at: number, direction = at, time = 1_000): VectorRow => ({
  path: pathOf(at),
  vector: axis(direction),
  updatedAt: new Date(time),
});

function copyOf(state: MemoryState): MemoryState {
  const copy = createMemoryState(Object.fromEntries(state.files));
  for (const [path, bytes] of state.blobs) copy.blobs.set(path, bytes.slice());
  return copy;
}

/** How the change at which a process dies is left. */
type Cut = 'before' | 'after' | 'torn';

/** A state whose process dies at its n-th change, counted from 1: nothing is changed from then on. */
function dyingState(real: MemoryState, at: number, cut: Cut): StateStore & { readonly changes: number } {
  let changes = 0;
  const change = async (work: () => Promise<void>, tear: () => Promise<void> = async () => undefined) => {
    changes += 1;
    if (changes > at) throw new Error('The process is dead.');
    if (changes < at) return work();
    if (cut === 'after') await work();
    if (cut === 'torn') await tear();
    throw Object.assign(new Error('The process dies.'), { code: 'ENOSPC' });
  };
  return {
    ...real,
    get changes() {
      return changes;
    },
    write: (path, text) => change(() => real.write(path, text)),
    writeBytes: (path, bytes) =>
      change(
        () => real.writeBytes(path, bytes),
        () => real.writeBytes(path, bytes.slice(0, bytes.length / 2)),
      ),
    remove: (path) => change(() => real.remove(path)),
  };
}

/** The rows as a test expects them: the direction and the time of each path, and the model that made them. */
interface Model {
  readonly maker: Maker;
  readonly rows: ReadonlyMap<VaultPath, readonly [direction: number, time: number]>;
}

async function expectModel(store: VectorStore, { maker, rows }: Model): Promise<void> {
  const known = await store.known(maker);
  expect(known).toEqual(new Map([...rows].map(([path, [, time]]) => [path, new Date(time)])));
  expect(await store.known(maker === MAKER ? OTHER : MAKER)).toBeNull();
  const directions = new Set([...rows.values()].map(([direction]) => direction));
  for (const direction of directions) {
    const there = [...rows].flatMap(([path, [own]]) => (own === direction ? [path] : [])).sort();
    expect(await nearPaths(store, axis(direction), there.length, {}, maker)).toEqual(there);
  }
}

/** Returns true when the store holds what the model says. */
function holds(store: VectorStore, model: Model): Promise<boolean> {
  return expectModel(store, model).then(
    () => true,
    () => false,
  );
}

/** One call that changes the store, and the same for the model. */
interface Act {
  readonly call: (store: VectorStore, maker: Maker) => Promise<void>;
  readonly change: (model: Model) => Model;
}

const someNotes = fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 4 });
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ notes: someNotes, direction: fc.nat(20), time: fc.nat(9_000) }).map(putAct),
  },
  { weight: 2, arbitrary: fc.record({ notes: someNotes, time: fc.nat(9_000) }).map(touchAct) },
  { weight: 3, arbitrary: someNotes.map(removeAct) },
  { weight: 1, arbitrary: fc.constant(clearAct()) },
  { weight: 1, arbitrary: fc.constant<Act>({ call: (store) => store.tidy(), change: (model) => model }) },
);

function putAct({ notes, direction, time }: { notes: number[]; direction: number; time: number }): Act {
  return {
    call: (store, maker) =>
      store.put(
        notes.map((at) => row(at, direction + at, time)),
        maker,
      ),
    change: ({ maker, rows }) => ({
      maker,
      rows: new Map([...rows, ...notes.map((at) => [pathOf(at), [direction + at, time]] as const)]),
    }),
  };
}

function touchAct({ notes, time }: { notes: number[]; time: number }): Act {
  const moved = notes.map((at) => ({ path: pathOf(at), updatedAt: new Date(time) }));
  return {
    call: (store, maker) => store.touch(moved, maker),
    change: ({ maker, rows }) => ({
      maker,
      rows: new Map(
        [...rows].map(([path, [direction, at]]) => [
          path,
          [direction, moved.some((each) => each.path === path) ? time : at],
        ]),
      ),
    }),
  };
}

function removeAct(notes: number[]): Act {
  const gone = notes.map(pathOf);
  return {
    call: (store, maker) => store.remove(gone, maker),
    change: ({ maker, rows }) => ({
      maker,
      rows: new Map([...rows].filter(([path]) => !gone.includes(path))),
    }),
  };
}

function clearAct(): Act {
  const other = (maker: Maker): Maker => (maker.model === MAKER.model ? OTHER : MAKER);
  return {
    call: (store, maker) => store.clear(other(maker)),
    change: ({ maker }) => ({ maker: other(maker), rows: new Map() }),
  };
}

describe('a process that dies at any change', () => {
  /** A store with as many small segments as are left alone, of replaced, moved and removed rows. */
  async function filled(): Promise<{ state: MemoryState; model: Model }> {
    const state = createMemoryState();
    const store = openIn(state);
    let model: Model = { maker: MAKER, rows: new Map() };
    for (let at = 0; state.blobs.size < 62; at += 1) {
      const next =
        at % 9 === 8
          ? removeAct([at % 10])
          : at % 7 === 6
            ? touchAct({ notes: [at % 10, (at + 1) % 10], time: at })
            : putAct({ notes: [at % 10], direction: at % 21, time: at });
      await next.call(store, MAKER);
      model = next.change(model);
    }
    await store.close();
    return { state, model };
  }

  it('leaves every call done or not begun, merges included', async () => {
    const before = await filled();
    const acts = fc.array(act, { minLength: 3, maxLength: 8 });
    const cuts = fc.constantFrom<Cut>('before', 'after', 'torn');
    await fc.assert(
      fc.asyncProperty(acts, fc.integer({ min: 1, max: 90 }), cuts, async (calls, at, cut) => {
        const real = copyOf(before.state);
        const dying = dyingState(real, at, cut);
        const store = openIn(dying);
        let model = before.model;
        let possible: Model[] = [model];
        for (const { call, change } of calls) {
          const next = change(model);
          possible = [model, next];
          const isDone = await call(store, model.maker).then(
            () => true,
            () => false,
          );
          // A call may be done although the merge after it has failed.
          if (!isDone) break;
          model = next;
          possible = [next];
          if (dying.changes >= at) break;
          expect(await store.count(model.maker)).toBe(model.rows.size);
        }
        const reopened = openIn(real);
        const found = await Promise.all(possible.map((each) => holds(reopened, each)));
        expect(found).toContain(true);
        // What is there goes on to work.
        const left = possible[found.indexOf(true)] ?? model;
        const more = putAct({ notes: [3, 4], direction: 30, time: 5 });
        await more.call(reopened, left.maker);
        await expectModel(openIn(real), more.change(left));
      }),
      { numRuns: IS_NIGHT ? 40 : 12 },
    );
  }, 120_000);

  it('leaves the same rows at every cut of a merge', async () => {
    const { state, model } = await filled();
    const merging = [1, 2, 3].map((at) => putAct({ notes: [at], direction: at, time: 7 }));
    const after = merging.reduce((each, { change }) => change(each), model);
    const count = async (at: number, cut: Cut): Promise<{ real: MemoryState; changes: number }> => {
      const real = copyOf(state);
      const dying = dyingState(real, at, cut);
      const store = openIn(dying);
      for (const { call } of merging) await call(store, MAKER).catch(() => undefined);
      return { real, changes: dying.changes };
    };
    const { changes, real: merged } = await count(Infinity, 'before');
    expect(merged.blobs.size).toBeLessThan(5);
    await expectModel(openIn(merged), after);
    for (let at = merging.length; at <= changes; at += IS_NIGHT ? 1 : 5) {
      for (const cut of ['before', 'after'] as const) {
        const { real } = await count(at, cut);
        const store = openIn(real);
        const isAfter = await holds(store, after);
        // The last put itself may be cut.
        expect([at, cut, isAfter || at <= merging.length]).toEqual([at, cut, true]);
      }
    }
  }, 120_000);
});

it('keeps a removed row away while an old segment has it', async () => {
  const state = createMemoryState();
  const store = openIn(state);
  // One large segment, which no merge of small ones takes in.
  const many = Array.from({ length: 1024 }, (_, at) => row(at, at % DIMENSIONS));
  await store.put(many, MAKER);
  await store.remove([pathOf(5)], MAKER);
  await store.touch([{ path: pathOf(6), updatedAt: new Date(77) }], MAKER);
  for (let at = 0; at < 70; at += 1) await store.put([row(2_000, at)], MAKER);
  expect(state.blobs.size).toBeLessThan(10);
  const known = await openIn(state).known(MAKER);
  expect(known?.has(pathOf(5))).toBe(false);
  expect(known?.get(pathOf(6))).toEqual(new Date(77));
  expect(known?.size).toBe(1024);
  // Once most of its rows are gone it is merged away, and so is the memory of what was removed.
  await store.remove(
    many.slice(0, 600).map(({ path }) => path),
    MAKER,
  );
  await store.tidy();
  expect((await openIn(state).known(MAKER))?.size).toBe(425);
});

describe('lists of many paths', () => {
  const COUNT = 2_400;
  const paths = Array.from({ length: COUNT }, (_, at) => pathOf(at));
  const touched = (time: number) => paths.map((path) => ({ path, updatedAt: new Date(time) }));

  async function many(): Promise<MemoryState> {
    const state = createMemoryState();
    const store = openIn(state);
    for (let from = 0; from < COUNT; from += 800)
      await store.put(
        paths.slice(from, from + 800).map((_, at) => row(from + at, at % DIMENSIONS)),
        MAKER,
      );
    return state;
  }

  /** The most entries of one kind in any segment. */
  function longest(state: MemoryState): number {
    const lengths = [...state.blobs].flatMap(([file, bytes]) => {
      const content = finish(decodeSegment(bytes.slice(), Number(/-(\d+)\.vec$/.exec(file)?.[1])));
      if (content === null) throw new Error('No segment is damaged.');
      return [content.rows.length, content.moved.length, content.removed.length];
    });
    return Math.max(...lengths);
  }

  it('are split over segments, also by merges, and do not pile up', async () => {
    const state = await many();
    const store = openIn(state);
    for (let time = 1; time <= 10; time += 1) await store.touch(touched(time), MAKER);
    // Three of rows, and of ten times three lists those that a merge leaves.
    expect(state.blobs.size).toBeLessThan(20);
    for (let at = 0; at < 70; at += 1) await store.touch(touched(99).slice(30 * at, 30 * at + 30), MAKER);
    expect(longest(state)).toBeLessThanOrEqual(1024);
    const known = await openIn(state).known(MAKER);
    expect(known).toEqual(new Map(paths.map((path, at) => [path, new Date(at < 2_100 ? 99 : 10)])));
    await store.remove(paths.slice(0, 1_100), MAKER);
    expect(longest(state)).toBeLessThanOrEqual(1024);
    expect((await openIn(state).known(MAKER))?.size).toBe(1_300);
    await store.remove(paths, MAKER);
    await store.tidy();
    expect(await openIn(state).paths()).toEqual([]);
    expect(state.blobs.size).toBeLessThan(5);
  });

  it.each<[string, number | undefined, (store: VectorStore) => Promise<void>]>([
    ['touch', 7, (store) => store.touch(touched(7), MAKER)],
    ['remove', undefined, (store) => store.remove(paths, MAKER)],
  ])('are done in part when a %s is cut, and whole when it is repeated', async (_, time, call) => {
    const before = await many();
    for (const cut of ['before', 'after', 'torn'] as const) {
      const real = copyOf(before);
      await expect(call(openIn(dyingState(real, 2, cut)))).rejects.toThrow(StoreDown);
      const store = openIn(real);
      const known = await store.known(MAKER);
      const done = paths.filter((path) => known?.get(path)?.getTime() === time).length;
      expect([cut, done]).toEqual([cut, cut === 'after' ? 2048 : 1024]);
      await call(store);
      const left = await store.known(MAKER);
      expect(paths.filter((path) => left?.get(path)?.getTime() !== time)).toEqual([]);
    }
  });
});

it('drops damaged segments alone, and never takes one of another generation', async () => {
  const state = createMemoryState();
  const store = openIn(state);
  for (let at = 0; at < 5; at += 1) await store.put([row(at)], MAKER);
  const [first, second] = [...state.blobs.keys()];
  const damaged = state.blobs.get(first ?? '');
  damaged?.set([(damaged[60] ?? 0) ^ 1], 60);
  const generation = /([0-9a-f]{8})-/.exec(second ?? '')?.[1] ?? '';
  const good = state.blobs.get(second ?? '') ?? new Uint8Array();
  state.blobs.set(`${FOLDER}/00000000-2.vec`, good.slice());
  // A copy of a sync program that has another number.
  state.blobs.set(`${FOLDER}/${generation}-9.vec`, good.slice());
  state.blobs.set(`${FOLDER}/${generation}-2 (conflict).vec`, good.slice());
  const reopened = openIn(state);
  expect([...((await reopened.known(MAKER)) ?? [])].map(([path]) => path).sort()).toEqual(
    [1, 2, 3, 4].map(pathOf),
  );
  expect([...state.blobs.keys()].filter((path) => /00000000-2|-1\.vec|-9\.vec/.test(path))).toEqual([]);
  await reopened.put([row(0), row(7)], MAKER);
  expect(await openIn(state).count(MAKER)).toBe(6);
  for (const text of ['', '{"version":1,"generation":"../x","maker":{}}', '[]']) {
    state.files.set(`${FOLDER}/now.json`, text);
    expect(await openIn(copyOf(state)).known(OTHER)).toEqual(new Map());
  }
  state.files.set(`${FOLDER}/now.json`, '{"version":2}');
  const refused = await openIn(state)
    .open()
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreDown);
  expect(refused).toMatchObject({ isRefusal: true });
  expect(state.blobs.size).toBeGreaterThan(0);
});

it('changes nothing when the disk is full, and says what to do', async () => {
  const real = createMemoryState();
  await openIn(real).put([row(1)], MAKER);
  const store = openIn(dyingState(real, 1, 'torn'));
  for (const write of [
    () => store.put([row(1, 5), row(2)], MAKER),
    () => store.remove([pathOf(1)], MAKER),
    () => store.touch([{ path: pathOf(1), updatedAt: new Date(5) }], MAKER),
    () => store.clear(OTHER),
  ]) {
    const failure = await write().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreDown);
    expect(String(failure)).toContain('See that the disk has room');
    await expectModel(store, { maker: MAKER, rows: new Map([[pathOf(1), [1, 1_000]]]) });
  }
});

it('answers a search with the rows that were there when it began', async () => {
  const state = createMemoryState();
  let between: (() => Promise<void>)[] = [];
  const store = openIn(state, async () => between.shift()?.());
  const rows = Array.from({ length: 3_000 }, (_, at) => ({
    ...row(at, 0),
    vector: Float32Array.from(axis(0), (value, index) => (index === 1 ? at / 3_000 : value)),
  }));
  await store.put(rows, MAKER);
  const expected = await nearPaths(store, axis(0), 300, {}, MAKER);
  const writer = openIn(state);
  const asked = nearPaths(store, axis(0), 300, {}, MAKER);
  const writing: Promise<void>[] = [];
  between = [
    async () => void writing.push(store.remove([pathOf(299)], MAKER)),
    async () =>
      void writing.push(
        store.put(
          rows.slice(0, 299).map((each) => ({ ...each, vector: axis(3) })),
          MAKER,
        ),
      ),
    async () => void writing.push(store.put([row(9_000, 0)], MAKER)),
  ];
  expect(await asked).toEqual(expected);
  await Promise.all(writing);
  const later = await nearPaths(store, axis(0), 3_000, {}, MAKER);
  expect(later?.[0]).toBe(pathOf(9_000));
  expect(later).not.toContain(pathOf(299));
  expect(await nearPaths(writer, axis(0), 3_000, {}, MAKER)).toEqual(later);
  // A search that another maker overtakes has no answer.
  const overtaken = nearPaths(store, axis(0), 300, {}, MAKER);
  between = [async () => void writing.push(store.clear(OTHER))];
  const found = await overtaken;
  await Promise.all(writing);
  expect(found).toBeNull();
});

describe('25,000 rows', () => {
  const COUNT = 25_000;
  let rows: readonly VectorRow[] = [];
  let questions: readonly Float32Array[] = [];
  const exact = memoryVectors();
  const store = openIn(createMemoryState());
  beforeAll(async () => {
    const vectors = topicalVectors(COUNT + 8, 42, 200);
    rows = vectors.slice(0, COUNT).map((vector, at) => ({
      path: vaultPath(`wiki/w${at % 5}/facts/${at}.md`),
      vector,
      updatedAt: new Date(at),
    }));
    questions = vectors.slice(COUNT);
    await exact.put(rows, MAKER);
    for (let at = 0; at < COUNT; at += 1_000) await store.put(rows.slice(at, at + 1_000), MAKER);
  }, 120_000);

  async function recall(filter: VectorFilter): Promise<number> {
    let found = 0;
    for (const question of questions) {
      const there = new Set(await nearPaths(exact, question, 200, filter, MAKER));
      const paths = (await nearPaths(store, question, 200, filter, MAKER)) ?? [];
      expect(paths).toHaveLength(200);
      found += paths.filter((path) => there.has(path)).length;
    }
    return found / (200 * questions.length);
  }

  it('finds nearly all of the nearest by sketch, and all under a filter', async () => {
    expect(await recall({})).toBeGreaterThanOrEqual(0.98);
    expect(await recall({ except: rows.slice(0, 100).map(({ path }) => path) })).toBeGreaterThanOrEqual(0.98);
    expect(await recall({ prefixes: ['wiki/w1/', 'wiki/w2/'] })).toBeGreaterThanOrEqual(0.9995);
  }, 120_000);

  it('orders equal rows by path, however many there are', async () => {
    const same = openIn(createMemoryState());
    for (let from = 0; from < COUNT; from += 1_000)
      await same.put(
        rows.slice(from, from + 1_000).map((each) => ({ ...each, vector: axis(1) })),
        MAKER,
      );
    await same.open();
    const sorted = rows.map(({ path }) => path).sort();
    expect(await nearPaths(same, axis(1), 50, {}, MAKER)).toEqual(sorted.slice(0, 50));
  }, 60_000);
});
