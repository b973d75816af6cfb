import pg from 'pg';
import { postgresSql } from '../../../src/adapters/postgres/pg';
import { SharedFeed } from '../../../src/adapters/shared/feed';
import type { SharedStore } from '../../../src/adapters/shared/store';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { randomFrom } from '../../../bench/support';
import { describeWithCluster } from '../../support/postgres-cluster';
import { describeWithPostgres } from '../../support/postgres-server';
import { silentLog } from '../../support/silent-log';
import { type Database, withSharedStores } from '../../support/shared-stores';

const at = (name: string) => vaultPath(`wiki/net/facts/${name}.md`);

/** A transaction of another program, which tells of a change as a server does. */
class Writer {
  readonly #client: pg.Client;
  #xid = 0n;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async on(dsn: string): Promise<Writer> {
    const client = new pg.Client({ connectionString: dsn });
    await client.connect();
    return new Writer(client);
  }

  get xid(): bigint {
    return this.#xid;
  }

  async begin(path: string): Promise<void> {
    await this.#client.query('BEGIN');
    const { rows } = await this.#client.query<{ xid: string }>(
      "INSERT INTO brain.changes (path, removed, by) VALUES ($1, false, 'a test') RETURNING xid::text",
      [path],
    );
    this.#xid = BigInt(rows[0]?.xid ?? '');
  }

  async finish(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    await this.#client.query(how);
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

/** Everything that a follower is told, in its order. */
function toldTo({ vault }: Pick<SharedStore, 'vault'>): string[] {
  const told: string[] = [];
  vault.changes(({ path }) => told.push(path));
  return told;
}

/** Resolves when a follower has read all that has ended, by a look of its own. */
async function untilRead({ servers: { feed } }: Pick<SharedStore, 'servers'>, past: bigint): Promise<void> {
  while ((await feed.reach(Number(past) + 1, 1_000)) <= Number(past));
}

/** Uses up ids of transactions that leave nothing on the disk: a database that crashes gives them again. */
const USE_UP_IDS = 'BEGIN; SELECT pg_current_xact_id(); ROLLBACK;\n'.repeat(200);

/** Puts in a row as a restored dump of another cluster has it: of a transaction whose id this one has yet to give. */
function restoreRow(server: Database, database: string, path: string): void {
  server.sql(
    database,
    `INSERT INTO brain.changes VALUES ((pg_current_xact_id()::text::bigint + 100)::text::xid8, '${path}', false, 'another', now() - interval '1 h')`,
  );
}

describeWithPostgres('The feed of changes', (postgres) => {
  it('tells each change once, as soon as it can be seen, whatever began before it', () =>
    withSharedStores(postgres(), async ([mine, other]) => {
      const { database } = mine;
      const followers = [mine, other];
      const told = followers.map(toldTo);
      const [first, second] = [
        await Writer.on(postgres().dsn(database)),
        await Writer.on(postgres().dsn(database)),
      ];
      try {
        await first.begin(at('first'));
        await second.begin(at('second'));
        expect(second.xid).toBeGreaterThan(first.xid);
        await second.finish('COMMIT');
        for (const follower of followers) await untilRead(follower, second.xid);
        expect(told).toEqual([[at('second')], [at('second')]]);
        await first.finish('COMMIT');
        await mine.vault.create(at('third'), 'a');
        for (const follower of followers) await untilRead(follower, BigInt(mine.servers.feed.position - 1));
        expect(told).toEqual([
          [at('second'), at('first')],
          [at('second'), at('first'), at('third')],
        ]);
      } finally {
        await first.close();
        await second.close();
      }
    }));

  it('is held back by no transaction that goes on, in this database or in another', () =>
    withSharedStores(postgres(), async ([mine, other]) => {
      const { database } = mine;
      const told = toldTo(other);
      const [here, elsewhere] = [
        new pg.Client(postgres().dsn(database)),
        new pg.Client(postgres().dsn('postgres')),
      ];
      try {
        for (const client of [here, elsewhere]) {
          await client.connect();
          await client.query('BEGIN; SELECT pg_current_xact_id()');
        }
        const written = Array.from({ length: 10 }, (_, number) => at(`meanwhile-${number}`));
        for (const path of written) {
          await mine.vault.create(path, 'a');
          // A client that wrote here is answered there, and not told that the other server is behind.
          const { position } = mine.servers.feed;
          expect(await other.servers.feed.reach(position, 1_000)).toBe(position);
          expect(told.at(-1)).toBe(path);
        }
        await here.query('COMMIT');
        await other.servers.feed.reach(Number.MAX_SAFE_INTEGER, 300);
        expect(told).toEqual(written);
      } finally {
        for (const client of [here, elsewhere]) await client.end();
      }
    }));

  it('forgets rows of a restored dump when it begins, and tells none of them when ids get there', () =>
    withSharedStores(postgres(), async ([mine]) => {
      const { database } = mine;
      restoreRow(postgres(), database, at('stale'));
      const sql = postgresSql(postgres().dsn(database), silentLog(), 2);
      const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
      const feed = await SharedFeed.open(sql, { own: 'new', log: silentLog(), sleep, everyMs: 200 });
      try {
        const told: string[] = [];
        feed.subscribe(({ path }) => told.push(path));
        postgres().sql(database, USE_UP_IDS);
        await mine.vault.create(at('after'), 'a');
        while ((await feed.reach(mine.servers.feed.position, 500)) < mine.servers.feed.position);
        expect(told).toEqual([at('after')]);
      } finally {
        await feed.close();
        await sql.close();
      }
    }));

  it('tells what many write at a time, in whatever order they begin and end', () =>
    withSharedStores(postgres(), async ([mine, other]) => {
      const { database } = mine;
      const random = randomFrom(20261127);
      const told = [mine, other].map(toldTo);
      const writers = await Promise.all(Array.from({ length: 6 }, () => Writer.on(postgres().dsn(database))));
      const open = new Map<Writer, string>();
      const committed: { readonly xid: bigint; readonly path: string }[] = [];
      let last = 0n;
      const turn = async (writer: Writer, number: number): Promise<void> => {
        const path = open.get(writer);
        if (path === undefined) {
          await writer.begin(at(`n-${number}`));
          open.set(writer, at(`n-${number}`));
          return;
        }
        const how = random() < 0.2 ? 'ROLLBACK' : 'COMMIT';
        await writer.finish(how);
        open.delete(writer);
        last = writer.xid > last ? writer.xid : last;
        if (how === 'COMMIT') committed.push({ xid: writer.xid, path });
      };
      try {
        for (let number = 0; number < 400; number += 1) {
          const writer = writers[Math.floor(random() * writers.length)];
          if (writer !== undefined) await turn(writer, number);
          if (random() < 0.1) await mine.servers.feed.reach(Number(last) + 1, 20);
        }
        for (const writer of open.keys()) await turn(writer, 0);
        for (const follower of [mine, other]) await untilRead(follower, last);
        const all = committed.map(({ path }) => path).sort();
        expect(all.length).toBeGreaterThan(100);
        expect(told.map((paths) => [...paths].sort())).toEqual([all, all]);
      } finally {
        for (const writer of writers) await writer.close();
      }
    }));
});

describeWithCluster('The feed of changes behind pgbouncer', (cluster) => {
  it.each(['a crash', 'a failover'])(
    'misses nothing after %s that no connection has shown',
    (what) =>
      withSharedStores(cluster(), async ([mine, other]) => {
        const { database } = mine;
        const told = toldTo(other);
        cluster().sql('postgres', "ALTER SYSTEM SET wal_writer_delay = '10s'; SELECT pg_reload_conf()");
        await mine.vault.create(at('before'), 'a');
        // The feed of the first server reads on as well, so its position has to be asked for before.
        const target = mine.servers.feed.position + 200;
        cluster().sql(database, USE_UP_IDS);
        while (other.servers.feed.position < target) await other.servers.feed.reach(target, 500);
        if (what === 'a crash') {
          cluster().stop();
          await cluster().start();
        } else await cluster().failOver();
        const after = ['x', 'y', 'z'].map(at);
        for (const path of after) {
          while (!(await mine.vault.create(path, 'a').catch(() => false)))
            // The answer of one that was made may have been lost.
            if ((await mine.vault.read(path).catch(() => null)) === 'a') break;
        }
        while (!after.every((path) => told.includes(path)))
          await other.servers.feed.reach(Number.MAX_SAFE_INTEGER, 500);
      }),
    60_000,
  );
});
