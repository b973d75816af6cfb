import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkDsn, dsnProblem, postgresSql } from '../../../src/adapters/postgres/pg';
import { sqlVectorStore } from '../../../src/adapters/postgres/vector-store';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import type { Maker, VectorStore } from '../../../src/core/embeddings/store';
import { describeWithPostgres, type PostgresServer } from '../../support/postgres-server';
import { nearPaths } from '../../support/memory-vectors';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';
import { connect } from '../../support/vector-databases';
import { nodePace } from '../../support/node-pace';

describe('the address of a server', () => {
  it.each([
    'postgres://db/brain',
    'POSTGRESQL://me:secret@db.lan:6432/brain',
    'postgres://me:a%40b%2Fc%25@[::1]/brain?sslmode=verify-full',
    'postgres:///brain?host=/var/run/postgresql',
    'postgres://me:secret@/brain?host=/var/run/postgresql&port=5433',
    'postgres://me:secret@%2Fvar%2Frun%2Fpostgresql/brain',
    'postgres://me@db/brain?target_session_attrs=any&sslmode=no-verify&application_name=x',
  ])('%s can be used', (dsn) => expect(dsnProblem(dsn)).toBeNull());

  it.each([
    ['mysql://me:secret@db/brain', /no address of a Postgres server/],
    ['host=db user=me password=secret', /no address of a Postgres server/],
    ['/var/run/postgresql secret', /host=\/var\/run\/postgresql/],
    ['local:', /no address of a Postgres server/],
    ['postgres:db/secret', /no address of a Postgres server/],
    ['postgres://me:secret@a,b:5432/brain', /several hosts/],
    ['postgres://me:secret@a:1,b:2/brain?target_session_attrs=read-write', /several hosts/],
    ['postgres://me:secret@/brain?host=a,b', /several hosts/],
    ['postgres://me:secret@a/brain?target_session_attrs=primary', /target_session_attrs/],
    ['postgres://me:secret@db:99999/brain', /port from 1 to 65535/],
    ['postgres://me:secret@db:0/brain', /port/],
    ['postgres://me:secret@db/brain?port=many', /port/],
    ['postgres://me:secret@db:x/brain', /port/],
    ['postgres://me:sec ret@db/brain', /%20/],
    ['postgres://me:secret%zz@db/brain', /no percent-encoding/],
    ['postgres://me:secret%ff@db/brain', /no UTF-8/],
    ['postgres://me:12/secret@db/brain', /encoded/],
    ['postgres://me:12#secret@db/brain', /encoded/],
    ['postgres://me:12?secret@db/brain', /encoded/],
    ['postgres://me:se/cret@db/brain', /%2F/],
    ['postgres://me:secret@db/brain?sslmode=allow', /sslmode/],
    ['postgres://me:secret@db/brain?sslmode=full', /sslmode/],
  ])('%s cannot, and nothing of it is said', async (dsn, problem) => {
    const said = dsnProblem(dsn);
    expect(said).toMatch(problem);
    expect(said).not.toMatch(/secret|cret@/);
    await expect(checkDsn(dsn)).rejects.toThrow(said ?? '');
  });

  it('never says a password, wherever it stands', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 8 }), (odd) => {
        for (const dsn of [
          `postgres://me:${odd}PASSW0RD${odd}@db/brain`,
          `postgres://PASSW0RD${odd}`,
          `${odd}PASSW0RD`,
        ]) {
          expect(dsnProblem(dsn) ?? '').not.toContain('PASSW0RD');
        }
      }),
    );
  });

  it.each(['sslrootcert', 'sslcert', 'sslkey'])('whose %s cannot be read is told of', async (name) => {
    await withTempFolder(async (folder) => {
      const dsn = `postgres://me:secret@db/brain?${name}=${folder}/none.pem`;
      await expect(checkDsn(dsn)).rejects.toThrow(
        /sslrootcert, sslcert or sslkey that cannot be read \(ENOENT\)/,
      );
    });
  });
});

const MAKER: Maker = { model: 'm', vault: 'a1' };
const axis = (at: number) => Float32Array.from({ length: 768 }, (_, index) => (at === index ? 1 : 0));
const row = (name: string, at: number) => ({
  path: vaultPath(`wiki/a/facts/${name}.md`),
  vector: axis(at),
  updatedAt: new Date(0),
});

/** Opens a store for as long as `work` takes. */
async function withStore<T>(
  dsn: string,
  work: (store: VectorStore) => Promise<T>,
  schema = 'public',
): Promise<T> {
  const store = sqlVectorStore(connect(dsn), schema, nodePace());
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const messageOf = async (dsn: string, schema?: string): Promise<string> => {
  const said = await withStore(
    dsn,
    (store) =>
      store.open().then(
        () => 'opened',
        (error: unknown) => String(error),
      ),
    schema,
  );
  expect(said).not.toContain('secret');
  return said;
};

describeWithPostgres('On a real server', (running) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = running();
    server.makeDatabase('brain');
    server.makeDatabase('bare', false);
    server.sql(
      'brain',
      `CREATE ROLE reader LOGIN PASSWORD 'secret'; CREATE ROLE worker LOGIN PASSWORD 'secret'; CREATE ROLE locked NOLOGIN PASSWORD 'secret';
       CREATE ROLE standby LOGIN PASSWORD 'secret'; ALTER ROLE standby SET default_transaction_read_only = on;`,
    );
    await withStore(server.dsn('brain'), (store) => store.put([row('x', 1), row('y', 2)], MAKER));
    server.sql(
      'brain',
      `GRANT SELECT ON brain_embeddings TO reader, standby; GRANT SELECT, INSERT, UPDATE, DELETE ON brain_embeddings TO worker, standby`,
    );
  }, 60_000);

  it.each(['reader', 'worker', 'standby'])('%s, who makes nothing, can search', async (role) => {
    await withStore(server.dsn('brain', role), async (store) => {
      await store.open();
      expect(await nearPaths(store, axis(2), 1, {}, MAKER)).toEqual(['wiki/a/facts/y.md']);
      expect(await nearPaths(store, axis(1), 5, { hall: 'facts' }, MAKER)).toHaveLength(2);
      expect((await store.known(MAKER))?.size).toBe(2);
      expect(await store.count(MAKER)).toBe(2);
      expect(await store.advice()).toBeNull();
    });
  });

  it('a role that may change rows embeds notes without owning the table', async () => {
    await withStore(server.dsn('brain', 'worker'), async (store) => {
      await store.put([row('z', 3)], MAKER);
      await store.touch([row('z', 3)], MAKER);
      await store.remove([row('z', 3).path], MAKER);
      expect(await store.count(MAKER)).toBe(2);
    });
  });

  it.each(['reader', 'standby'])('says that %s may not write', async (role) => {
    await withStore(server.dsn('brain', role), async (store) => {
      await expect(store.put([row('z', 3)], MAKER)).rejects.toThrow(
        /does not let this user do that|can only be read/,
      );
    });
  });

  it('searches without the index, where nobody may make it', async () => {
    await withStore(server.dsn('brain'), (store) => store.put([row('x', 1)], MAKER), 'plain');
    server.sql(
      'brain',
      `GRANT USAGE ON SCHEMA plain TO reader, standby; GRANT SELECT ON plain.brain_embeddings TO reader, standby; DROP INDEX plain.brain_embeddings_embedding_idx`,
    );
    for (const role of ['reader', 'standby']) {
      await withStore(
        server.dsn('brain', role),
        async (store) => expect(await nearPaths(store, axis(1), 1, {}, MAKER)).toEqual(['wiki/a/facts/x.md']),
        'plain',
      );
    }
  });

  it('keeps vectors in their rows, and gives the statement for a table that does not', async () => {
    const storage = (schema: string) =>
      server.sql(
        'brain',
        `SELECT attstorage FROM pg_attribute WHERE attrelid = '${schema}.brain_embeddings'::regclass AND attname = 'embedding'`,
      );
    expect(storage('public')).toBe('p');
    server.sql(
      'brain',
      `CREATE SCHEMA old; CREATE TABLE old.brain_embeddings (path text PRIMARY KEY, embedding vector(768) NOT NULL, updated_at timestamptz NOT NULL)`,
    );
    await withStore(
      server.dsn('brain'),
      async (store) => {
        await store.put([row('x', 1)], MAKER);
        const advice = await store.advice();
        expect(advice).toContain('SET STORAGE PLAIN');
        for (const statement of advice?.split(/(?<=;)/) ?? []) server.sql('brain', statement);
      },
      'old',
    );
    expect(storage('old')).toBe('p');
    await withStore(
      server.dsn('brain'),
      async (store) => {
        expect(await store.advice()).toBeNull();
        expect(await nearPaths(store, axis(1), 1, {}, MAKER)).toEqual(['wiki/a/facts/x.md']);
      },
      'old',
    );
  });

  it('gives a table of an earlier version to the vault that writes first', async () => {
    await withStore(
      server.dsn('brain'),
      async (store) => {
        await store.put([row('x', 1)], MAKER);
        server.sql('brain', `COMMENT ON TABLE adopted.brain_embeddings IS 'm'`);
        const other = { ...MAKER, vault: 'b2' };
        for (const maker of [MAKER, other]) expect((await store.known(maker))?.size).toBe(1);
        await store.put([], MAKER);
        expect(await nearPaths(store, axis(1), 1, {}, MAKER)).toHaveLength(1);
        await expect(nearPaths(store, axis(1), 1, {}, other)).rejects.toThrow(
          /The table "adopted".brain_embeddings at 127.0.0.1:\d+\/brain holds the vectors of another vault.* Set BRAIN_PG_SCHEMA/,
        );
      },
      'adopted',
    );
    expect(server.sql('brain', `SELECT obj_description('adopted.brain_embeddings'::regclass)`)).toBe(
      'vault a1; 768 dimensions; m',
    );
  });

  it('connects over its socket', async () => {
    const dsn = `postgres://postgres:secret@/brain?host=${server.socket}&port=${server.port}`;
    expect(await messageOf(dsn)).toBe('opened');
    expect(await messageOf(dsn.replace(server.socket, '/nowhere'))).toMatch(
      /at \/nowhere:\d+\/brain has no socket there/,
    );
  });

  it('says what is true and what to do', async () => {
    const wrong = (user: string, password: string, database = 'brain') =>
      messageOf(`postgres://${user}:${password}@127.0.0.1:${server.port}/${database}`);
    expect(await wrong('postgres', 'secret-2')).toMatch(/does not take the user and password/);
    expect(await wrong('nobody', 'secret')).toMatch(/does not take the user and password/);
    expect(await wrong('locked', 'secret')).toMatch(/does not let this user in: .*pg_hba\.conf/);
    expect(await wrong('postgres', '')).toMatch(
      /asks for a password, and BRAIN_PG_DSN has none|does not take/,
    );
    expect(await wrong('postgres', 'secret', 'nothing')).toMatch(/does not have the database/);
    expect(await messageOf(server.dsn('bare'))).toMatch(
      /has no pgvector, nor has its server\. .*superuser.* CREATE EXTENSION vector;/,
    );
    expect(await messageOf(server.dsn('brain', 'worker'), 'mine')).toMatch(
      /does not let this user do that.*CREATE on the schema/,
    );
    expect(await messageOf(server.dsn('brain', 'standby'), 'mine')).toMatch(/can only be read/);
    expect(await messageOf('postgres://me:secret@127.0.0.1:1/x')).toMatch(/refuses connections/);
    expect(await messageOf('postgres://me:secret@nowhere.invalid/x')).toMatch(/cannot be found/);
    expect(await messageOf(`${server.dsn('brain')}?sslmode=require`)).toMatch(/does not speak TLS/);
  });

  it('gives the lease of a vault to one device, until that stops or is cut', async () => {
    const [first, second] = [0, 1].map(() =>
      sqlVectorStore(connect(server.dsn('brain')), 'public', nodePace()),
    );
    if (first === undefined || second === undefined) throw new Error('There are two.');
    expect(await first.lease(MAKER, 'ada1')).toBeNull();
    expect(await first.lease(MAKER, 'ada1')).toBeNull();
    expect(await second.lease(MAKER, 'bob2')).toBe('ada1');
    expect(await second.lease({ ...MAKER, vault: 'b2' }, 'bob2')).toBeNull();
    await first.close();
    const third = sqlVectorStore(connect(server.dsn('brain')), 'public', nodePace());
    expect(await third.lease(MAKER, 'cid3')).toBeNull();
    server.sql(
      'brain',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'brain-server cid3'`,
    );
    const fourth = sqlVectorStore(connect(server.dsn('brain')), 'public', nodePace());
    expect(await fourth.lease(MAKER, 'dan4')).toBeNull();
    expect(await third.lease(MAKER, 'cid3')).toBe('dan4');
    await Promise.all([second, third, fourth].map((store) => store.close()));
  });

  it('opens no more connections than it is told to', async () => {
    const sql = postgresSql(server.dsn('brain'), silentLog(), 2);
    const open = () =>
      sql.transaction(
        async (query) => (await query('SELECT pg_backend_pid() AS pid, pg_sleep(0.05)'))[0]?.pid,
      );
    expect(new Set(await Promise.all(Array.from({ length: 8 }, open))).size).toBe(2);
    await sql.close();
  });

  it('lets the server end a session whose machine is gone', async () => {
    const sql = connect(server.dsn('brain'));
    const names = ['tcp_keepalives_idle', 'tcp_user_timeout', 'idle_in_transaction_session_timeout'];
    const [row] = await sql.transaction((query) =>
      query(`SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join()}`),
    );
    expect(Object.values(row ?? {})).toEqual(['60', '60000', '1min']);
    await sql.close();
  });

  it('goes on after a crash of the server', async () => {
    await withStore(server.dsn('brain'), async (store) => {
      expect(await store.count(MAKER)).toBe(2);
      server.stop();
      await expect(store.count(MAKER)).rejects.toMatchObject({ name: 'StoreDown' });
      await expect(store.count(MAKER)).rejects.toThrow(/refuses connections/);
      server.start();
      expect(await store.count(MAKER)).toBe(2);
    });
  });

  it('checks its certificate unless told not to', async () => {
    server.useTls();
    expect(await messageOf(`${server.dsn('brain')}?sslmode=require`)).toMatch(
      /certificate that this machine does not trust.*sslrootcert/,
    );
    const named = path.join(server.folder, 'server.crt');
    expect(await messageOf(`${server.dsn('brain')}?sslmode=verify-full&sslrootcert=${named}`)).toMatch(
      /opened|another name/,
    );
    expect(await messageOf(`${server.dsn('brain')}?sslmode=no-verify`)).toBe('opened');
    await withTempFolder(async (folder) => {
      const junk = path.join(folder, 'junk.pem');
      writeFileSync(junk, 'secret');
      expect(await messageOf(`${server.dsn('brain')}?sslmode=verify-full&sslrootcert=${junk}`)).toMatch(
        /TLS|certificate/,
      );
    });
  });
});
