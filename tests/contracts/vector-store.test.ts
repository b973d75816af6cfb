import { pgliteSql } from '../../src/adapters/postgres/pglite';
import { sqlVectorStore } from '../../src/adapters/postgres/vector-store';
import type { VectorRow, VectorStore } from '../../src/core/ports';
import { vaultPath } from '../../src/core/rules/paths';
import { DIMENSIONS } from '../../src/core/vectors/pool';
import { memoryVectors } from '../support/memory-vectors';
import { topicalVectors } from '../support/random-vectors';
import { connect, socketDatabase } from '../support/vector-databases';
import { withTempFolder } from '../support/temp-folder';

interface Subject {
  readonly store: VectorStore;
  close(): Promise<void>;
}

/** The same suite runs on a server of one's own when this is set; in a schema that is dropped afterwards. */
const OWN_SERVER = process.env.BRAIN_PG_TEST_DSN;
let schemas = 0;
const schemaName = () => `Brain "test" ${process.pid}_${Date.now().toString(36)}_${(schemas += 1)}`;

const inMemory = async (): Promise<Subject> => ({ store: memoryVectors(), close: async () => undefined });

async function embedded(): Promise<Subject> {
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const folder = await new Promise<string>((resolve) => {
    void withTempFolder(async (root) => {
      resolve(root);
      await left;
    });
  });
  const store = sqlVectorStore(pgliteSql(`${folder}/vectors`), 'public');
  return {
    store,
    close: async () => {
      await store.close();
      leave();
    },
  };
}

async function overSocket(): Promise<Subject> {
  const database = await socketDatabase();
  const store = sqlVectorStore(connect(database.dsn), schemaName());
  return {
    store,
    close: async () => {
      await store.close();
      await database.close();
    },
  };
}

async function ownServer(): Promise<Subject> {
  const schema = schemaName();
  const store = sqlVectorStore(connect(OWN_SERVER ?? ''), schema);
  return {
    store,
    close: async () => {
      await store.close();
      const sql = connect(OWN_SERVER ?? '');
      await sql.transaction((query) => query(`DROP SCHEMA "${schema.replaceAll('"', '""')}" CASCADE`));
      await sql.close();
    },
  };
}

const row = (path: string, vector: Float32Array, at = '2026-11-20T10:00:00.123Z'): VectorRow => ({
  path: vaultPath(path),
  vector,
  updatedAt: new Date(at),
});

const axis = (...at: number[]): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_, index) => (at.includes(index) ? 1 : 0));

const SUBJECTS: (readonly [name: string, make: () => Promise<Subject>])[] = [
  ['memory', inMemory],
  ['PGlite in a thread of this process', embedded],
  ['Postgres over a socket', overSocket],
  ...(OWN_SERVER === undefined ? [] : [['Postgres of BRAIN_PG_TEST_DSN', ownServer] as const]),
];

describe.each(SUBJECTS)('VectorStore in %s', (name, make) => {
  let subject: Subject;
  let store: VectorStore;
  beforeAll(async () => {
    subject = await make();
    store = subject.store;
  });
  afterAll(() => subject.close());
  beforeEach(() => store.clear());

  it('opens again and again, also at once', async () => {
    await Promise.all([store.open(), store.open(), store.open()]);
    expect(await store.count()).toBe(0);
    expect(await store.known()).toEqual(new Map());
    expect(await store.nearest(axis(0), 10, {})).toEqual([]);
  });

  it('keeps who made the vectors, whatever the name holds', async () => {
    for (const maker of ['nomic-embed-text', `it's "odd" \\ name $1 ßß`, 'nomic-embed-text']) {
      await store.mark(maker);
      expect(await store.maker()).toBe(maker);
    }
  });

  it('adds, replaces, moves and removes rows', async () => {
    const odd = `wiki/Home Lab/facts/it's 100%_ "odd" \\ {a,b} ñ 漢.md`;
    await store.put([row('wiki/a/facts/x.md', axis(0)), row(odd, axis(1))]);
    await store.put([row('wiki/a/facts/x.md', axis(2), '2026-11-21T00:00:00.000Z')]);
    await store.touch([
      { path: vaultPath(odd), updatedAt: new Date('2026-11-22T00:00:00.007Z') },
      { path: vaultPath('wiki/a/facts/nobody.md'), updatedAt: new Date(0) },
    ]);
    expect(await store.known()).toEqual(
      new Map([
        [vaultPath('wiki/a/facts/x.md'), new Date('2026-11-21T00:00:00.000Z')],
        [vaultPath(odd), new Date('2026-11-22T00:00:00.007Z')],
      ]),
    );
    expect(await store.nearest(axis(2), 1, {})).toEqual(['wiki/a/facts/x.md']);
    expect(await store.nearest(axis(1), 1, {})).toEqual([odd]);
    await store.remove([vaultPath(odd), vaultPath('wiki/never.md')]);
    expect(await store.count()).toBe(1);
    await store.put([]);
    await store.remove([]);
    await store.touch([]);
    expect(await store.count()).toBe(1);
  });

  it('adds all rows of a call or none', async () => {
    const short = { ...row('wiki/a/facts/short.md', axis(0)), vector: new Float32Array(3) };
    if (name === 'memory') return; // It takes any vector; what is tested is the transaction.
    await expect(store.put([row('wiki/a/facts/x.md', axis(0)), short])).rejects.toMatchObject({
      name: 'StoreDown',
    });
    expect(await store.count()).toBe(0);
  });

  it('orders by cosine, then by path', async () => {
    const near = Float32Array.from(axis(0, 1), (value, at) => (at === 1 ? 0.2 : value * 3));
    await store.put([
      row('wiki/a/facts/far.md', axis(5)),
      row('wiki/a/facts/c.md', axis(0)),
      row('wiki/a/facts/b.md', axis(0)),
      row('wiki/a/facts/near.md', near),
    ]);
    expect(await store.nearest(axis(0), 3, {})).toEqual([
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
    await store.put(paths.map((path, at) => row(path, axis(at))));
    const found = async (filter: Parameters<VectorStore['nearest']>[2]) =>
      (await store.nearest(axis(0), 10, filter)).sort();
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
    const count = 1500;
    const vectors = topicalVectors(count + 20, 7);
    const rows = vectors.slice(0, count).map((vector, at) => row(`wiki/w${at % 40}/facts/${at}.md`, vector));
    await store.put(rows);
    const oracle = memoryVectors();
    await oracle.put(rows);
    let kept = 0;
    for (const question of vectors.slice(count)) {
      // One wing of forty: an index that filters after its scan finds five of these.
      const filter = { prefixes: ['wiki/w7/'] };
      expect(await store.nearest(question, 40, filter)).toEqual(await oracle.nearest(question, 40, filter));
      const exact = new Set(await oracle.nearest(question, 200, {}));
      const found = await store.nearest(question, 200, {});
      expect(found).toHaveLength(200);
      kept += found.filter((path) => exact.has(path)).length;
    }
    expect(kept / (20 * 200)).toBeGreaterThanOrEqual(0.98);
  }, 120_000);
});
