import * as fc from 'fast-check';
import { localVectorStore } from '../../src/adapters/local/vector-store';
import { openNodeState, prepareState } from '../../src/adapters/files/state-folder';
import { sqlVectorStore } from '../../src/adapters/postgres/vector-store';
import { DIMENSIONS } from '../../src/core/embeddings/pieces';
import {
  type Maker,
  MakerChanged,
  StoreDown,
  type VectorRow,
  type VectorStore,
} from '../../src/core/embeddings/store';
import type { StateStore, VectorFilter } from '../../src/core/ports/ports';
import { vaultPath } from '../../src/core/vocabulary/paths';
import { IS_NIGHT } from '../support/by-night';
import { createMemoryState } from '../support/memory-state';
import { cosine, memoryVectors, nearPaths } from '../support/memory-vectors';
import { withDiskApp } from '../support/obsidian-subject';
import { describeWithPostgres, type PostgresServer } from '../support/postgres-server';
import { topicalVectors } from '../support/random-vectors';
import { silentLog } from '../support/silent-log';
import { withTempFolder } from '../support/temp-folder';
import { connect, socketDatabase } from '../support/vector-databases';
import { nodePace } from '../support/node-pace';

interface Subject {
  readonly store: VectorStore;
  /** A store of the same kind that nobody has used yet; it closes with the other one. */
  untouched(): VectorStore;
  close(): Promise<void>;
}

/** The same suite runs on a server of one's own when this is set; in a schema that is dropped afterwards. */
const OWN_SERVER = process.env.BRAIN_PG_TEST_DSN;
let schemas = 0;
const schemaName = () => `Brain "test" ${process.pid}_${Date.now().toString(36)}_${(schemas += 1)}`;

const inMemory = async (): Promise<Subject> => ({
  store: memoryVectors(),
  untouched: memoryVectors,
  close: async () => undefined,
});

/** Resolves with what `within` lends, which is given back when `leave` is called. */
async function borrow<T>(
  within: (work: (lent: T) => Promise<void>) => Promise<void>,
): Promise<{ readonly lent: T; readonly leave: () => Promise<void> }> {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let given: Promise<void> = Promise.resolve();
  const lent = await new Promise<T>((resolve, reject) => {
    given = within(async (value) => {
      resolve(value);
      await ended;
    });
    given.catch(reject);
  });
  return {
    lent,
    leave: () => {
      end();
      return given;
    },
  };
}

/** Vectors in files of a state, each store in a folder of its own. */
const inFiles =
  (within: (work: (state: StateStore) => Promise<void>) => Promise<void>) => async (): Promise<Subject> => {
    const { lent: state, leave } = await borrow(within);
    const pace = nodePace();
    let devices = 0;
    const untouched = () => localVectorStore({ state, device: `d${(devices += 1)}`, pace, log: silentLog() });
    const store = untouched();
    return {
      store,
      untouched,
      close: async () => {
        await store.close();
        await leave();
      },
    };
  };

const onDisk = inFiles((work) =>
  withTempFolder(async (root) => {
    await prepareState(root, { device: 'test' });
    const state = await openNodeState(root, { device: 'test' });
    try {
      await work(state);
    } finally {
      await state.close();
    }
  }),
);

async function overSocket(): Promise<Subject> {
  const database = await socketDatabase();
  const sql = connect(database.dsn);
  const store = sqlVectorStore(sql, schemaName(), nodePace());
  return {
    store,
    untouched: () => sqlVectorStore(sql, schemaName(), nodePace()),
    close: async () => {
      await store.close();
      await database.close();
    },
  };
}

async function ownServer(): Promise<Subject> {
  const own = connect(OWN_SERVER ?? '');
  const made: string[] = [];
  const untouched = () => {
    const schema = schemaName();
    made.push(schema);
    return sqlVectorStore(own, schema, nodePace());
  };
  const store = untouched();
  return {
    store,
    untouched,
    close: async () => {
      await store.close();
      const sql = connect(OWN_SERVER ?? '');
      for (const schema of made) {
        await sql.transaction((query) =>
          query(`DROP SCHEMA IF EXISTS "${schema.replaceAll('"', '""')}" CASCADE`),
        );
      }
      await sql.close();
    },
  };
}

const VAULT = '0123456789abcdef0123456789abcdef';
const STAND_IN = 'a stand-in for pgvector';
const MAKER: Maker = { model: 'some-model', vault: VAULT };
const OTHER: Maker = { model: 'another-model', vault: VAULT };
const OTHER_VAULT: Maker = { ...MAKER, vault: 'fedcba9876543210fedcba9876543210' };

const row = (path: string, vector: Float32Array, at = '2026-11-20T10:00:00.123Z'): VectorRow => ({
  path: vaultPath(path),
  vector,
  updatedAt: new Date(at),
});

const axis = (...at: number[]): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_, index) => (at.includes(index) ? 1 : 0));

/** A real server without pgvector, whose stand-in compares every row in SQL. */
async function realServer(server: PostgresServer): Promise<Subject> {
  server.makeDatabase('contract');
  const sql = connect(server.dsn('contract'));
  return {
    store: sqlVectorStore(sql, schemaName(), nodePace()),
    untouched: () => sqlVectorStore(sql, schemaName(), nodePace()),
    close: () => sql.close(),
  };
}

/** The files of the subjects below, reached in another way. */
const REACHED_OTHERWISE = ['files in memory', inFiles((work) => work(createMemoryState()))] as const;

const SUBJECTS: (readonly [name: string, make: () => Promise<Subject>])[] = [
  ['memory', inMemory],
  ['files on the disk', onDisk],
  ['files in the app', inFiles((work) => withDiskApp({}, ({ state }) => work(state)))],
  ['Postgres over a socket', overSocket],
  ...(IS_NIGHT ? [REACHED_OTHERWISE] : []),
  ...(OWN_SERVER === undefined ? [] : [['Postgres of BRAIN_PG_TEST_DSN', ownServer] as const]),
];

describe.each(SUBJECTS)('VectorStore in %s', suite);

describeWithPostgres('VectorStore in a real Postgres', (server) =>
  suite(STAND_IN, () => realServer(server())),
);

function suite(name: string, make: () => Promise<Subject>): void {
  let subject: Subject;
  let store: VectorStore;
  beforeAll(async () => {
    subject = await make();
    store = subject.store;
  });
  afterAll(() => subject.close());
  beforeEach(() => store.clear(MAKER));

  const put = (...rows: VectorRow[]) => store.put(rows, MAKER);
  const near = (vector: Float32Array, limit: number, filter: VectorFilter = {}) =>
    nearPaths(store, vector, limit, filter, MAKER);

  it('opens again and again, also at once', async () => {
    await Promise.all([store.open(), store.open(), store.open()]);
    expect(await store.count(MAKER)).toBe(0);
    expect(await store.known(MAKER)).toEqual(new Map());
    expect(await near(axis(0), 10)).toEqual([]);
  });

  it('keeps who made the vectors, whatever the name holds', async () => {
    let before = MAKER;
    for (const model of ['nomic-embed-text', `it's "odd" \\ name; $1 ßß\nvault x`, 'nomic-embed-text']) {
      const maker = { model, vault: VAULT };
      await store.clear(maker);
      expect(await store.known(maker)).toEqual(new Map());
      expect(await store.known(before)).toBeNull();
      before = maker;
    }
  });

  it('adds, replaces, moves and removes rows', async () => {
    const odd = `wiki/Home Lab/facts/it's 100%_ "odd" \\ {a,b} ñ 漢.md`;
    await put(row('wiki/a/facts/x.md', axis(0)), row(odd, axis(1)));
    await put(row('wiki/a/facts/x.md', axis(2), '2026-11-21T00:00:00.000Z'));
    const moved = [
      { path: vaultPath(odd), updatedAt: new Date('2026-11-22T00:00:00.007Z') },
      { path: vaultPath('wiki/a/facts/nobody.md'), updatedAt: new Date(0) },
    ];
    await store.touch(moved, MAKER);
    expect(await store.known(MAKER)).toEqual(
      new Map([
        [vaultPath('wiki/a/facts/x.md'), new Date('2026-11-21T00:00:00.000Z')],
        [vaultPath(odd), new Date('2026-11-22T00:00:00.007Z')],
      ]),
    );
    expect((await store.paths()).sort()).toEqual([odd, 'wiki/a/facts/x.md'].sort());
    expect(await near(axis(2), 1)).toEqual(['wiki/a/facts/x.md']);
    expect(await near(axis(1), 1)).toEqual([odd]);
    await store.remove([vaultPath(odd), vaultPath('wiki/never.md')], MAKER);
    expect(await store.count(MAKER)).toBe(1);
    await put();
    await store.remove([], MAKER);
    await store.touch([], MAKER);
    expect(await store.count(MAKER)).toBe(1);
  });

  it('takes any list of paths as a filter', async () => {
    const segment = fc
      .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 4 })
      .map((text) => text.replaceAll('/', '|'));
    const odd = fc.constantFrom("it's", 'a"b', '{x,y}', '\\', 'NULL', ' ', '漢', 'a\nb', '$1');
    const path = fc.array(fc.oneof(segment, odd), { minLength: 1, maxLength: 3 }).map((all) => all.join('/'));
    const world = fc
      .uniqueArray(path, { minLength: 1, maxLength: 8 })
      .chain((paths) => fc.record({ paths: fc.constant(paths), listed: fc.subarray(paths) }));
    await fc.assert(
      fc.asyncProperty(world, async ({ paths, listed }) => {
        await store.clear(MAKER);
        await put(...paths.map((each) => row(each, axis(0))));
        const list = listed.map(vaultPath);
        const others = paths.filter((each) => !listed.includes(each));
        expect((await near(axis(0), 10, { only: list }))?.sort()).toEqual([...listed].sort());
        expect((await near(axis(0), 10, { except: list }))?.sort()).toEqual(others.sort());
      }),
      { numRuns: 25 },
    );
  });

  it('adds all rows of a call or none', async () => {
    const short = { ...row('wiki/a/facts/short.md', axis(0)), vector: new Float32Array(3) };
    if (name === 'memory' || name === STAND_IN) return; // They take any vector.
    await expect(put(row('wiki/a/facts/x.md', axis(0)), short)).rejects.toMatchObject({
      name: 'StoreDown',
    });
    expect(await store.count(MAKER)).toBe(0);
  });

  it('orders by cosine, then by path', async () => {
    const close = Float32Array.from(axis(0, 1), (value, at) => (at === 1 ? 0.2 : value * 3));
    await put(
      row('wiki/a/facts/far.md', axis(5)),
      row('wiki/a/facts/c.md', axis(0)),
      row('wiki/a/facts/b.md', axis(0)),
      row('wiki/a/facts/near.md', close),
    );
    expect(await near(axis(0), 3)).toEqual([
      'wiki/a/facts/b.md',
      'wiki/a/facts/c.md',
      'wiki/a/facts/near.md',
    ]);
  });

  it('limits by prefix, hall and list, taking no character for a pattern', async () => {
    const paths = [
      'wiki/a_b/facts/x.md',
      'wiki/axb/facts/x.md',
      'wiki/a_b/sources/x.md',
      'wiki/a%/facts/x.md',
    ];
    await put(...paths.map((path, at) => row(path, axis(at))));
    const found = async (filter: VectorFilter) => (await near(axis(0), 10, filter))?.sort();
    expect(await found({ prefixes: ['wiki/a_b/'] })).toEqual([paths[0], paths[2]]);
    expect(await found({ prefixes: ['wiki/a%/', 'wiki/a_b/sources/'] })).toEqual([paths[3], paths[2]].sort());
    expect(await found({ prefixes: [] })).toEqual([]);
    expect(await found({ hall: 'sources' })).toEqual([paths[2]]);
    expect(await found({ only: [vaultPath('wiki/axb/facts/x.md')] })).toEqual([paths[1]]);
    expect(await found({ only: [] })).toEqual([]);
    expect(await found({ except: paths.slice(1).map(vaultPath) })).toEqual([paths[0]]);
    expect(await found({ prefixes: ['wiki/a_b/'], hall: 'facts', except: [] })).toEqual([paths[0]]);
  });

  it('is exact under a filter and nearly so without', async () => {
    if (name === STAND_IN) return; // It has no index, and would take minutes.
    const count = 1500;
    const vectors = topicalVectors(count + 20, 7);
    const rows = vectors.slice(0, count).map((vector, at) => row(`wiki/w${at % 40}/facts/${at}.md`, vector));
    await put(...rows);
    const oracle = memoryVectors();
    await oracle.put(rows, MAKER);
    const exactly = async (vector: Float32Array, limit: number, filter: VectorFilter) =>
      (await nearPaths(oracle, vector, limit, filter, MAKER)) ?? [];
    let kept = 0;
    for (const { path, cosine: told } of (await store.nearest(axis(0), 50, {}, MAKER)) ?? []) {
      const there = rows.find((each) => each.path === path);
      expect(Math.abs(told - (there === undefined ? NaN : cosine(there.vector, axis(0))))).toBeLessThan(1e-4);
    }
    for (const question of vectors.slice(count)) {
      // One wing of forty: an index that filters after its scan finds five of these.
      const filter = { prefixes: ['wiki/w7/'] };
      // Stores may round: the order of rows that are nearly equal is their own.
      const cosines = (paths: readonly string[] | null) =>
        (paths ?? []).map((path) => {
          const there = rows.find((each) => each.path === path);
          return there === undefined ? NaN : cosine(there.vector, question);
        });
      const found = cosines(await near(question, 40, filter));
      const expected = cosines(await exactly(question, 40, filter));
      expect(found).toHaveLength(expected.length);
      for (const [at, value] of expected.entries())
        expect(Math.abs((found[at] ?? NaN) - value)).toBeLessThan(1e-4);
      const exact = new Set(await exactly(question, 200, {}));
      const all = (await near(question, 200)) ?? [];
      expect(all).toHaveLength(200);
      kept += all.filter((path) => exact.has(path)).length;
    }
    expect(kept / (20 * 200)).toBeGreaterThanOrEqual(0.98);
  }, 120_000);

  describe('of another maker', () => {
    const mine = row('wiki/a/facts/mine.md', axis(0));
    const foreign = row('wiki/a/facts/mine.md', axis(1), '2026-11-30T00:00:00.000Z');

    it('writes nothing, and says so', async () => {
      await put(mine);
      for (const write of [
        () => store.put([foreign, row('wiki/a/facts/more.md', axis(2))], OTHER),
        () => store.touch([foreign], OTHER),
        () => store.remove([foreign.path], OTHER),
      ]) {
        await expect(write()).rejects.toBeInstanceOf(MakerChanged);
      }
      expect(await store.known(MAKER)).toEqual(new Map([[mine.path, mine.updatedAt]]));
      expect(await near(axis(0), 10)).toEqual([mine.path]);
    });

    it('shows no rows, with and without a filter, neither when they are gone', async () => {
      await put(mine);
      for (const filter of [{}, { hall: 'facts' }, { hall: 'sources' }]) {
        expect(await nearPaths(store, axis(0), 10, filter, OTHER)).toBeNull();
      }
      await store.remove([mine.path], MAKER);
      expect(await nearPaths(store, axis(0), 10, {}, OTHER)).toBeNull();
      expect(await store.known(OTHER)).toBeNull();
    });

    it('is so from the moment on that the table is emptied for one', async () => {
      await put(mine);
      await store.clear(OTHER);
      expect(await store.count(MAKER)).toBe(0);
      expect(await store.paths()).toEqual([]);
      await expect(put(mine)).rejects.toBeInstanceOf(MakerChanged);
      await store.put([foreign], OTHER);
      expect(await store.paths()).toEqual([foreign.path]);
      expect(await near(axis(0), 10)).toBeNull();
      expect(await nearPaths(store, axis(0), 10, {}, OTHER)).toEqual([foreign.path]);
    });
  });

  describe('of another vault', () => {
    const mine = row('wiki/a/facts/mine.md', axis(0));

    it('tells nothing, changes nothing, and says what to do, also when its rows are gone', async () => {
      await put(mine);
      for (const isEmptied of [false, true]) {
        if (isEmptied) await store.remove([mine.path], MAKER);
        for (const ask of [
          () => store.known(OTHER_VAULT),
          () => nearPaths(store, axis(0), 10, {}, OTHER_VAULT),
          () => nearPaths(store, axis(0), 10, { hall: 'sources' }, OTHER_VAULT),
          () => store.count(OTHER_VAULT),
          () => store.put([row('wiki/a/facts/mine.md', axis(1))], OTHER_VAULT),
          () => store.put([], OTHER_VAULT),
          () => store.touch([mine], OTHER_VAULT),
          () => store.remove([mine.path], OTHER_VAULT),
          () => store.clear(OTHER_VAULT),
          () => store.clear({ ...OTHER_VAULT, model: 'another-model' }),
        ]) {
          const failure = await ask().then(
            () => null,
            (error: unknown) => error,
          );
          expect(failure).toBeInstanceOf(StoreDown);
          expect(failure).toMatchObject({ isRefusal: true });
          expect(String(failure)).toContain('holds the vectors of another vault');
          const remedy = name.startsWith('files') ? 'Delete the folder' : 'BRAIN_PG_SCHEMA';
          if (name !== 'memory') expect(String(failure)).toContain(remedy);
        }
        expect(await near(axis(0), 10)).toEqual(isEmptied ? [] : [mine.path]);
      }
    });

    it('is the same vault in a copy, which has its id', async () => {
      await put(mine);
      expect(await store.known({ ...MAKER })).toEqual(new Map([[mine.path, mine.updatedAt]]));
    });

    it('keeps the rows of one vault whoever writes at the same time', async () => {
      const shared = subject.untouched();
      await shared.open();
      const vaults = [MAKER, OTHER_VAULT];
      const took = await Promise.all(
        vaults.map((maker) =>
          shared.put([row(`wiki/${maker.vault}/facts/x.md`, axis(0))], maker).then(
            () => [maker.vault],
            () => [],
          ),
        ),
      );
      expect(took.flat()).toHaveLength(1);
      expect(await shared.paths()).toEqual([`wiki/${took.flat()[0] ?? ''}/facts/x.md`]);
    });
  });

  it('keeps new vectors in their rows, so there is no advice', async () => {
    expect(await store.advice()).toBeNull();
  });

  it('belongs to every maker while nobody has put a row, and then to who did', async () => {
    const untouched = subject.untouched();
    for (const maker of [MAKER, OTHER]) {
      expect(await untouched.known(maker)).toEqual(new Map());
      expect(await nearPaths(untouched, axis(0), 10, {}, maker)).toEqual([]);
    }
    await untouched.put([row('wiki/a/facts/x.md', axis(0))], OTHER);
    expect(await untouched.known(MAKER)).toBeNull();
    expect(await nearPaths(untouched, axis(0), 10, {}, OTHER)).toEqual(['wiki/a/facts/x.md']);
  });

  it('takes what several write at once to the same rows, in whatever order they give them', async () => {
    const rows = Array.from({ length: 70 }, (_, at) => row(`wiki/a/facts/${at}.md`, axis(at)));
    const backwards = rows.toReversed();
    const paths = rows.map(({ path }) => path);
    await put(...rows);
    await Promise.all([
      put(...backwards),
      store.touch(rows, MAKER),
      store.touch(backwards, MAKER),
      put(...rows),
      store.remove(paths, MAKER),
      store.remove(paths.toReversed(), MAKER),
    ]);
    await store.remove(paths, MAKER);
    expect(await store.count(MAKER)).toBe(0);
  });

  it('holds the rows of one maker whoever writes at the same time', async () => {
    const shared = subject.untouched();
    await shared.open();
    const makers = [MAKER, OTHER, { ...MAKER, model: 'third' }];
    const fill = async (maker: Maker, round: number): Promise<void> => {
      const rows = [0, 1, 2].map((at) => row(`wiki/${maker.model}/facts/${round}-${at}.md`, axis(at)));
      await shared.put(rows, maker).catch((error: unknown) => expect(error).toBeInstanceOf(MakerChanged));
    };
    for (let round = 0; round < 8; round += 1) {
      // The first round decides whose the empty table is; the others take it over in the midst of it.
      const taken = round === 0 ? [] : [shared.clear(makers[round % 3] ?? MAKER)];
      await Promise.all([...makers.map((maker) => fill(maker, round)), ...taken]);
      const known = await Promise.all(
        makers.map(async (maker) => ({ maker, rows: await shared.known(maker) })),
      );
      const own = known.filter(({ rows }) => rows !== null);
      expect(own).toHaveLength(1);
      for (const { maker, rows } of own) {
        for (const path of rows?.keys() ?? []) expect(path.startsWith(`wiki/${maker.model}/`)).toBe(true);
      }
    }
  });
}
