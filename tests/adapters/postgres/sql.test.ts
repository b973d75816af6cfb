import fc from 'fast-check';
import { placeOf } from '../../../src/adapters/postgres/pg';
import { explain, isAway, isMissingTable, sqlVectorStore } from '../../../src/adapters/postgres/vector-store';
import { identifier, literal, type Sql } from '../../../src/adapters/postgres/sql';
import type { VectorFilter } from '../../../src/core/ports/ports';
import { ConfigError } from '../../../src/core/config/config';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { StoreDown, type VectorRow, type VectorStore } from '../../../src/core/embeddings/store';
import { connect, type SocketDatabase, socketDatabase } from '../../support/vector-databases';
import { nodePace } from '../../support/node-pace';

const MAKER = { model: 'm', vault: 'v' };
const NOTED = 'vault v; 768 dimensions; m';

describe('addresses', () => {
  it.each([
    ['postgres://me:secret@db.lan/brain', 'db.lan:5432/brain'],
    ['postgresql://me:secret@[::1]:6000/brain?sslmode=require&password=secret', '[::1]:6000/brain'],
    ['postgres:///brain', 'localhost:5432/brain'],
    ['postgres://me:secret@/brain?host=/run/pg&port=6000', '/run/pg:6000/brain'],
    ['postgres://me:secret@%2Frun%2Fpg/brain', '/run/pg:5432/brain'],
    ['host=db user=me password=secret', 'the address in BRAIN_PG_DSN'],
    ['/var/run/postgresql secret', 'the address in BRAIN_PG_DSN'],
  ])('of %s names no secret', (dsn, place) => expect(placeOf(dsn)).toBe(place));
});

describe('what went wrong', () => {
  it.each([
    [Object.assign(new Error('password=secret'), { code: '28P01' }), /does not take the user and password/],
    [new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]), /refuses connections/],
    [new Error('timeout exceeded when trying to connect'), /does not answer/],
    [Object.assign(new Error('secret'), { code: 'XX000' }), /cannot be used \(XX000\)/],
    [new Error('secret'), /cannot be used \(no code\)/],
    ['secret', /cannot be used/],
  ])('is said without what the driver says: %s', (error, message) => {
    const said = explain(error, 'db:5432/brain');
    expect(said).toMatch(message);
    expect(said).toContain('db:5432/brain');
    expect(said).not.toContain('secret');
  });

  it.each([
    ['28P01', true],
    ['28000', true],
    ['53300', true],
    ['ECONNREFUSED', false],
    ['57P03', false],
  ])('is told from a database that lets nobody in: %s', async (code, isRefusal) => {
    const store = sqlVectorStore(
      {
        ...unasked('db:5432/brain'),
        transaction: () => Promise.reject(Object.assign(new Error('secret'), { code })),
      },
      'public',
      nodePace(),
    );
    await expect(store.count(MAKER)).rejects.toMatchObject({ name: 'StoreDown', isRefusal });
  });

  it.each([
    [new Error('Connection terminated unexpectedly'), true],
    [new Error('timeout exceeded when trying to connect'), true],
    [Object.assign(new Error(), { code: 'ECONNREFUSED' }), true],
    [Object.assign(new Error('terminating connection'), { code: '28P01' }), false],
    [Object.assign(new Error('starting up'), { code: '57P03' }), true],
    [Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }), false],
    // It passes only when somebody mends the address, and says how.
    [new ConfigError('The connection to the database cannot be verified.'), false],
  ])('waits for what passes by itself: %s', (error, isPassing) => {
    expect(isAway(error)).toBe(isPassing);
  });

  it('knows a table that was taken away', () => {
    expect(isMissingTable(Object.assign(new Error(), { code: '42P01' }))).toBe(true);
    expect(isMissingTable(new Error())).toBe(false);
  });
});

it('refuses names that no database has', () => {
  expect(() => identifier('')).toThrow();
  expect(() => identifier('a\0b')).toThrow();
});

/** The parts of a database that these tests do not ask. */
function unasked(place: string): Omit<Sql, 'transaction'> {
  const none = async () => null;
  return { place, close: async () => undefined, statement: async () => [], hold: none, listen: none };
}

/** A database that says what it was asked, fails where it is told to, and counts more rows than a search looks at. */
function script(failure: (text: string) => string | null, version = '0.8.0') {
  const asked: string[] = [];
  const params: (readonly unknown[])[] = [];
  const sql: Sql = {
    ...unasked('a script'),
    transaction: (work) =>
      work(async (text, given = []) => {
        asked.push(text);
        params.push(given);
        const code = failure(text);
        if (code !== null) throw Object.assign(new Error('no'), { code });
        if (text.includes('pg_extension')) return [{ schema: 'public', version }];
        if (text.includes('format_type'))
          return [{ type: 'vector(768)', storage: 'p', indexes: ['brain_embeddings_embedding_idx'] }];
        if (text.includes('obj_description')) return [{ maker: NOTED, filled: true }];
        return text.includes('count(*)') ? [{ rows: 20_001 }] : [];
      }),
  };
  return { sql, asked, params };
}

describe('emptying the table', () => {
  it('is one step, and notes in the same transaction whose it is now', async () => {
    const { sql, asked } = script(() => null);
    await sqlVectorStore(sql, 'public', nodePace()).clear(MAKER);
    const steps = asked.filter((text) => !text.startsWith('SELECT'));
    expect(steps.slice(-2)).toEqual([
      'TRUNCATE "public".brain_embeddings',
      `COMMENT ON TABLE "public".brain_embeddings IS '${NOTED}'`,
    ]);
    expect(steps.at(-3)).toContain('lock_timeout');
  });

  it.each(['55P03', '42501'])(
    'goes row by row, without a limit of time, when that fails with %s',
    async (code) => {
      const { sql, asked } = script((text) => (text.startsWith('TRUNCATE') ? code : null));
      await sqlVectorStore(sql, 'public', nodePace()).clear(MAKER);
      const steps = asked.filter((text) => !text.startsWith('SELECT'));
      expect(steps.slice(-4)).toEqual([
        'ROLLBACK TO SAVEPOINT filled',
        'LOCK TABLE "public".brain_embeddings IN SHARE ROW EXCLUSIVE MODE',
        'DELETE FROM "public".brain_embeddings',
        `COMMENT ON TABLE "public".brain_embeddings IS '${NOTED}'`,
      ]);
      expect(asked).toContain('SET LOCAL statement_timeout = 0');
    },
  );

  it('fails with what else is wrong', async () => {
    const { sql, asked } = script((text) => (text.startsWith('TRUNCATE') ? '53100' : null));
    await expect(sqlVectorStore(sql, 'public', nodePace()).clear(MAKER)).rejects.toThrow(/has no room left/);
    expect(asked.some((text) => text.startsWith('DELETE'))).toBe(false);
  });
});

describe('what writes rows', () => {
  const names = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1 }).map(vaultPath), {
    minLength: 1,
    maxLength: 12,
  });
  const given = names.chain((some) =>
    fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })),
  );
  const WRITES: readonly (readonly [
    string,
    (store: VectorStore, rows: readonly VectorRow[]) => Promise<void>,
  ])[] = [
    ['put', (store, rows) => store.put(rows, MAKER)],
    ['touch', (store, rows) => store.touch(rows, MAKER)],
    [
      'remove',
      (store, rows) =>
        store.remove(
          rows.map(({ path }) => path),
          MAKER,
        ),
    ],
  ];

  it.each(WRITES)(
    '%s takes the same rows in the same order, whoever gives them in whichever',
    async (_, write) => {
      await fc.assert(
        fc.asyncProperty(given, async (orders) => {
          const taken = await Promise.all(
            orders.map(async (order) => {
              const { sql, params } = script(() => null);
              const rows = order.map((name) => ({
                path: vaultPath(name),
                vector: new Float32Array([name.length]),
                updatedAt: new Date(name.charCodeAt(0)),
              }));
              await write(sqlVectorStore(sql, 'public', nodePace()), rows);
              const paths = params.flatMap(([first]) => (Array.isArray(first) ? first : []));
              expect([...paths].sort()).toEqual([...order].sort());
              return { paths, params };
            }),
          );
          expect(taken[0]).toEqual(taken[1]);
          // And so do the different writes among each other.
          const [{ paths } = { paths: [] }] = taken;
          expect(paths).toEqual([...paths].sort((a, b) => (a < b ? -1 : 1)));
        }),
        { numRuns: 50 },
      );
    },
  );

  it.each(WRITES.slice(1))('%s locks them in that order before it changes one', async (_, write) => {
    const { sql, asked } = script(() => null);
    await write(sqlVectorStore(sql, 'public', nodePace()), [
      { path: vaultPath('wiki/x.md'), vector: new Float32Array(1), updatedAt: new Date(0) },
    ]);
    expect(asked.at(-1)).toMatch(
      /^WITH held AS \(SELECT [^]* WITH ORDINALITY [^]* ORDER BY t\.at FOR UPDATE OF e\)/,
    );
  });
});

describe.each([
  ['0.7.4', false],
  ['0.8.0', true],
  ['0.10.1', true],
  ['1.0', true],
])('a search in pgvector %s', (version, iterates) => {
  const searched = async (filter: VectorFilter): Promise<string[]> => {
    const { sql, asked } = script(() => null, version);
    await sqlVectorStore(sql, 'public', nodePace()).nearest(new Float32Array(768).fill(1), 10, filter, MAKER);
    return asked;
  };

  it('goes by the index behind a filter, or looks at each row', async () => {
    const asked = await searched({ hall: 'facts' });
    expect(asked.some((text) => text.includes('hnsw.iterative_scan'))).toBe(iterates);
    expect(asked.includes('SET LOCAL enable_indexscan = off')).toBe(!iterates);
  });

  it('goes by the index without one, on through rows that are gone where it can', async () => {
    const asked = await searched({});
    expect(asked.some((text) => text.includes('hnsw.iterative_scan = strict_order'))).toBe(iterates);
    expect(asked.some((text) => text.includes('hnsw.max_scan_tuples'))).toBe(iterates);
    expect(asked).not.toContain('SET LOCAL enable_indexscan = off');
  });
});

describe('a filter by half of a large vault', () => {
  const paths = Array.from({ length: 50_000 }, (_, at) =>
    vaultPath(`wiki/wing-${at % 20}/facts/note ${at}.md`),
  );

  it.each(['only', 'except'])('is one text, which is made in steps: %s', async (kind) => {
    const { sql, params } = script(() => null);
    let steps = 0;
    const pace = { run: async <T>(work: () => T): Promise<T> => ((steps += 1), work()) };
    await sqlVectorStore(sql, 'public', pace).nearest(new Float32Array(768), 10, { [kind]: paths }, MAKER);
    expect(params.at(-1)?.slice(2)).toEqual([paths.join('//')]);
    expect(steps).toBeGreaterThan(20);
  });
});

describe('in a database', () => {
  let database: SocketDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await socketDatabase();
    sql = connect(database.dsn);
  }, 60_000);
  afterAll(async () => {
    await sql.close();
    await database.close();
  });

  it('literals and identifiers are what they were, whatever they hold', async () => {
    const odd = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => !/\0|\p{Surrogate}/u.test(text));
    await fc.assert(
      fc.asyncProperty(odd, async (text) => {
        const name = Array.from(text).slice(0, 10).join('');
        const [row] = await sql.transaction((query) =>
          query(`SELECT ${literal(text)} AS text, 1 AS ${identifier(name)}`),
        );
        expect(row?.text).toBe(text);
        expect(Object.keys(row ?? {})).toContain(name);
      }),
      { numRuns: 200 },
    );
  });

  it('sees what was committed meanwhile, whatever the database has as its default', async () => {
    const set = (isolation: string) =>
      sql.transaction((query) => query(`SET default_transaction_isolation = ${literal(isolation)}`));
    for (const isolation of ['repeatable read', 'serializable']) {
      await set(isolation);
      const [row] = await sql.transaction((query) =>
        query(
          `SELECT current_setting('transaction_isolation') AS own, current_setting('default_transaction_isolation') AS other`,
        ),
      );
      expect(row).toEqual({ own: 'read committed', other: isolation });
    }
    await set('read committed');
  });

  it('undoes a transaction that fails, and goes on', async () => {
    await sql.transaction((query) => query('CREATE TABLE undone (x int)'));
    const failing = sql.transaction(async (query) => {
      await query('INSERT INTO undone VALUES (1)');
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    expect(await sql.transaction((query) => query('SELECT * FROM undone'))).toEqual([]);
  });

  it('takes what several servers make at once, and what is there already', async () => {
    const stores = Array.from({ length: 4 }, () =>
      sqlVectorStore(connect(database.dsn), 'at once', nodePace()),
    );
    await Promise.all(stores.map((store) => store.open()));
    await Promise.all(stores.map((store) => store.close()));
    const found = await sql.transaction((query) =>
      query(
        `SELECT indexdef FROM pg_indexes WHERE schemaname = 'at once' AND tablename = 'brain_embeddings' ORDER BY indexname`,
      ),
    );
    expect(found.map(({ indexdef }) => String(indexdef))).toEqual([
      expect.stringContaining('USING hnsw (embedding vector_cosine_ops)'),
      expect.stringContaining('UNIQUE INDEX brain_embeddings_pkey'),
    ]);
    const columns = await sql.transaction((query) =>
      query(
        `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
         WHERE attrelid = '"at once".brain_embeddings'::regclass AND attnum > 0 ORDER BY attnum`,
      ),
    );
    expect(columns).toEqual([
      { name: 'path', type: 'text' },
      { name: 'embedding', type: 'vector(768)' },
      { name: 'updated_at', type: 'timestamp with time zone' },
    ]);
  });

  it('makes a table again that was taken away', async () => {
    const store = sqlVectorStore(connect(database.dsn), 'taken', nodePace());
    await store.clear(MAKER);
    await sql.transaction((query) => query('DROP SCHEMA taken CASCADE'));
    await expect(store.count(MAKER)).rejects.toThrow(StoreDown);
    expect(await store.count(MAKER)).toBe(0);
    await store.close();
  });

  it('leaves a table alone that is another one', async () => {
    await sql.transaction((query) => query('CREATE SCHEMA other'));
    await sql.transaction((query) =>
      query('CREATE TABLE other.brain_embeddings (path text, embedding vector(3))'),
    );
    const store = sqlVectorStore(connect(database.dsn), 'other', nodePace());
    await expect(store.open()).rejects.toThrow(/its column embedding is vector\(3\) and not vector\(768\)/);
    await store.close();
  });

  it('is asked again after it was gone, and no lost connection ends the process', async () => {
    const store = sqlVectorStore(connect(database.dsn), 'gone', nodePace());
    expect(await store.count(MAKER)).toBe(0);
    await database.stop();
    await expect(store.count(MAKER)).rejects.toThrow(StoreDown);
    await expect(store.count(MAKER)).rejects.toThrow(StoreDown);
    await database.start();
    expect(await store.count(MAKER)).toBe(0);
    await store.close();
  });
});
