import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../src/adapters/host/device';
import { postgresSql } from '../../../src/adapters/postgres/pg';
import { SharedFeed } from '../../../src/adapters/shared/feed';
import { takePlace } from '../../../src/adapters/shared/lease';
import { migrate } from '../../../src/adapters/shared/schema';
import { sharedState } from '../../../src/adapters/shared/state';
import { GivenUp, type Query, type Sql } from '../../../src/adapters/postgres/sql';
import { codeOf } from '../../../src/adapters/postgres/vector-store';
import { openShared, type SharedStore } from '../../../src/adapters/shared/store';
import { exportFolder, importFolder } from '../../../src/adapters/shared/transfer';
import { alone, Away, Uncertain } from '../../../src/core/ports/ports';
import { settleConfig } from '../../../src/core/config/config';
import { openBrain } from '../../../src/core/vault/open';
import { readRules, type Rule, saveRules } from '../../../src/core/rules/file';
import { WriterLock } from '../../../src/core/storage/writer';
import { StepFailed } from '../../../src/core/storage/commit';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { fakeDocuments } from '../../support/fake-documents';
import { describeWithPostgres } from '../../support/postgres-server';
import { withSharedStores } from '../../support/shared-stores';
import { silentLog } from '../../support/silent-log';

const A = vaultPath('wiki/net/facts/connection-timeout.md');
const B = vaultPath('wiki/net/facts/retry.md');

describeWithPostgres('a vault in tables of Postgres', (postgres) => {
  const newDatabase = (): string => {
    const database = `s${randomBytes(6).toString('hex')}`;
    postgres().sql('postgres', `CREATE DATABASE ${database}`);
    return postgres().dsn(database);
  };

  it('reads a vault the first time as the table of codes says, and what is too slow together one by one', async () => {
    let failure: { readonly error: Error; readonly within: RegExp } | null = null;
    const failing = (sql: Sql): Sql =>
      Object.assign(Object.create(sql) as Sql, {
        statement: async (...statement: Parameters<Query>) => {
          if (failure !== null && failure.within.test(statement[0])) throw failure.error;
          return sql.statement(...statement);
        },
        transaction: sql.transaction.bind(sql),
        close: () => sql.close(),
      });
    const coded = (code: string) => Object.assign(new Error('no'), { code });
    const [each, together] = [/CASE WHEN octet_length|WITH ORDINALITY/, /WITH ORDINALITY/];
    await withSharedStores(
      postgres(),
      async ([{ vault, state }]) => {
        await vault.create(A, '# A\n');
        await vault.create(B, '# B\n');
        // Each has a snapshot of its own.
        let device = 0;
        /** What becomes of a first reading that meets an error: it is tried again, or reads so many notes. */
        const readingWith = async (error: Error, within: RegExp): Promise<number | 'tried again'> => {
          failure = { error, within };
          const { brain, loaded, close } = await openBrain(
            {
              vault,
              state,
              clock: systemClock,
              log: silentLog(),
              documents: fakeDocuments(),
              servers: alone,
            },
            settleConfig({}, {}),
            {
              ...{ device: `test${(device += 1)}`, version: '0.0.0-test' },
              sleep: () => new Promise(() => undefined),
              breathe: () => new Promise((resolve) => setImmediate(resolve)),
            },
          );
          const became = await loaded.then(
            () => brain.catalog.noteCount,
            () => 'tried again' as const,
          );
          failure = null;
          await close();
          return became;
        };
        const away = ['08006', '25006', '25P03', '53300', '57P01', '57P02', '57P03', '57P05', 'ECONNREFUSED'];
        for (const error of [
          ...away.map(coded),
          new AggregateError([coded('EACCES'), coded('ECONNREFUSED')]),
          new GivenUp(Promise.resolve()),
        ])
          expect([codeOf(error), await readingWith(error, each)]).toEqual([codeOf(error), 'tried again']);
        for (const code of ['57014', '57P04', '3D000', '42501', 'XX000'])
          expect([code, await readingWith(coded(code), each)]).toEqual([code, 0]);
        for (const error of [new GivenUp(Promise.resolve()), coded('57014'), coded('57P01')])
          expect(await readingWith(error, together)).toBe(2);
      },
      { through: failing },
    );
  });

  it('passes on what the work throws, whatever its words are', () =>
    withSharedStores(postgres(), async ([{ vault }]) => {
      const failed = new StepFailed({ kind: 'create', path: A, text: '' }, 'taken');
      const work = vault.together?.(async (stores) => {
        await stores.vault.create(A, 'a');
        throw failed;
      });
      await expect(work).rejects.toBe(failed);
      expect(await vault.stat(A)).toBeNull();
    }));

  it('says that a change may have been made when the answer to its commit was lost', async () => {
    const sql = postgresSql(newDatabase(), silentLog(), 3);
    let isCut = false;
    const answered = <T>(result: T): T => {
      if (isCut) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      return result;
    };
    const cut: typeof sql = Object.assign(Object.create(sql) as typeof sql, {
      transaction: async <T>(work: Parameters<typeof sql.transaction<T>>[0]) =>
        answered(await sql.transaction(work)),
      statement: async (...statement: Parameters<typeof sql.statement>) =>
        answered(await sql.statement(...statement)),
      close: () => sql.close(),
    });
    let store: SharedStore | null = null;
    try {
      store = await openShared(cut, {
        log: silentLog(),
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
        onLost: () => undefined,
      });
      isCut = true;
      const { vault } = store;
      const told = new Set<string>();
      vault.changes(({ path: at }) => told.add(at));
      const changes = [
        () => vault.create(A, 'a'),
        async () => vault.together?.((stores) => stores.vault.create(B, 'b')),
      ];
      for (const change of changes) {
        const error: unknown = await change().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(Uncertain);
        expect(error).toMatchObject({ code: 'busy', message: expect.stringContaining('may have been made') });
      }
      isCut = false;
      expect([...((await vault.readMany?.([A, B])) ?? [])]).toEqual([
        [A, 'a'],
        [B, 'b'],
      ]);
      // The server that made them has to be told, as it does not know.
      while (told.size < 2) await store.servers.feed.reach(Number.MAX_SAFE_INTEGER, 100);
    } finally {
      isCut = false;
      await store?.close();
    }
  });

  it('keeps the jobs of a server for the others, also after it has died', () =>
    withSharedStores(postgres(), async ([mine, other]) => {
      const record = {
        id: 'a',
        owner: 'token:x',
        isEnded: false,
        told: { state: { done: 1, text: '\u0000 ß' } },
      };
      expect(await other.servers.jobs.find('a')).toBeNull();
      await mine.servers.jobs.save({ ...record, told: {} });
      await mine.servers.jobs.save(record);
      expect(await other.servers.jobs.find('a')).toEqual({ ...record, isHeld: true });
      expect(await mine.servers.jobs.isAskedToStop('a')).toBe(false);
      await other.servers.jobs.askToStop('a');
      expect(await mine.servers.jobs.isAskedToStop('a')).toBe(true);
      // The place has another name after an answer was lost, and is overdue after an outage.
      postgres().sql(
        mine.database,
        "UPDATE brain.leases SET holder = holder || ' 1', until = now() - interval '30 s'",
      );
      expect(await other.servers.jobs.find('a')).toEqual({ ...record, isHeld: true });
      postgres().sql(mine.database, "UPDATE brain.leases SET until = now() - interval '2 minutes'");
      expect(await other.servers.jobs.find('a')).toEqual({ ...record, isHeld: false });
      postgres().sql(mine.database, "UPDATE brain.jobs SET at = now() - interval '2 hours'");
      expect(await other.servers.jobs.find('a')).toBeNull();
      await other.servers.jobs.save({ ...record, id: 'b', isEnded: true });
      expect(postgres().sql(mine.database, 'SELECT id FROM brain.jobs')).toBe('b');
    }));

  it.each(['statement', 'transaction'])(
    'leaves no place taken when its opening is cut at a %s, and may be opened again',
    (cut) =>
      withSharedStores(postgres(), async ([mine]) => {
        const sql = postgresSql(postgres().dsn(mine.database), silentLog(), 3);
        const lost = (): never => {
          throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
        };
        const failing: typeof sql = Object.assign(Object.create(sql) as typeof sql, {
          statement: async (...statement: Parameters<typeof sql.statement>) =>
            statement[0].includes('brain.keys') ? lost() : sql.statement(...statement),
          // The answer to the commit is lost.
          transaction: async <T>(work: Parameters<typeof sql.transaction<T>>[0]) => {
            const result = await sql.transaction(work);
            return cut === 'transaction' ? lost() : result;
          },
        });
        const opening = openShared(failing, {
          log: silentLog(),
          sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
          onLost: () => undefined,
        });
        await expect(opening).rejects.toBeInstanceOf(Away);
        const places = "SELECT name FROM brain.leases WHERE name LIKE 'server%' ORDER BY name";
        expect(await sql.statement(places)).toEqual([{ name: 'server 1' }, { name: 'server 2' }]);
        await sql.close();
      }),
  );

  it('appends, and keeps its duties, while its place gets another name', async () => {
    const sql = postgresSql(newDatabase(), silentLog(), 8);
    try {
      await migrate(sql);
      const place = await takePlace(sql, {
        holder: 'own',
        log: silentLog(),
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
        onLost: () => undefined,
      });
      const one: Query = (...statement) => sql.statement(...statement);
      const state = sharedState({ one, run: (work) => sql.transaction(work) }, { place });
      const work = Array.from({ length: 60 }, (_, at) => {
        if (at % 6 === 0) return place.rename(one);
        if (at % 6 === 1) return place.duty('maps');
        return state.append('log', `${at}\n`, at % 2 === 0);
      });
      await Promise.all(work);
      expect((await state.read('log'))?.trimEnd().split('\n')).toHaveLength(40);
      expect(await place.duty('maps')).toBe(true);
      await place.release();
      expect(await sql.statement('SELECT name FROM brain.leases')).toEqual([]);
    } finally {
      await sql.close();
    }
  });

  it('loses no change of the rules that two servers make at a time', () =>
    withSharedStores(postgres(), async (stores) => {
      const rule = (name: string): Rule => ({
        ...{ name, by: 'claude', per_day: 1, on: false, failures: 0, device: '0' },
        ...{ made_by: 'human:me', made_at: '2026-11-20T10:32:00Z' },
      });
      const servers = stores.map(({ state }) => ({ state, writer: new WriterLock() }));
      const names = Array.from({ length: 16 }, (_, at) => `rule-${String(at).padStart(2, '0')}`);
      await Promise.all(
        servers.flatMap((server, turn) =>
          names
            .filter((_, at) => at % 2 === turn)
            .map((name) => saveRules(server, (rules) => [...rules, rule(name)])),
        ),
      );
      expect((await readRules(stores[0].state)).rules.map(({ name }) => name)).toEqual(names);
    }));

  it('replaces one file of the state for many at a time', () =>
    withSharedStores(postgres(), async ([mine, other]) => {
      const texts = Array.from({ length: 12 }, (_, at) => `text ${at}`);
      await Promise.all(texts.map((text, at) => (at % 2 ? mine : other).state.write('rules.json', text)));
      expect(texts).toContain(await mine.state.read('rules.json'));
    }));

  it(
    'tells changes that were made after the database had crashed',
    () =>
      withSharedStores(postgres(), async ([mine, other]) => {
        const told = new Promise<string>((resolve) => mine.vault.changes(({ path: at }) => resolve(at)));
        postgres().stop();
        postgres().start();
        // The connections of the pool were cut.
        while (!(await other.vault.create(A, 'a').catch(() => false)))
          if ((await stands(other)) === 'a') break;
        expect(await told).toBe(A);
      }),
    60_000,
  );

  it('reads up to what another has written, and no further than a transaction that goes on', () =>
    withSharedStores(postgres(), async ([mine, other]) => {
      const told: string[] = [];
      other.vault.changes(({ path: at }) => told.push(at));
      for (let at = 0; at < 20; at += 1) {
        const path = vaultPath(`wiki/net/facts/n${at}.md`);
        await mine.vault.create(path, 'a');
        const { position } = mine.servers.feed;
        expect(await other.servers.feed.reach(position, 10_000)).toBeGreaterThanOrEqual(position);
        expect(told.at(-1)).toBe(path);
        expect(other.servers.feed.position).toBeGreaterThanOrEqual(position);
      }
      let end: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (end = resolve));
      let began: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => (began = resolve));
      const work = mine.vault.together?.(async (stores) => {
        await stores.vault.create(A, 'a');
        began();
        await held;
      });
      await begun;
      const { position } = mine.servers.feed;
      expect(await other.servers.feed.reach(position, 300)).toBeLessThan(position);
      expect(told).not.toContain(A);
      const reached = other.servers.feed.reach(position, 10_000);
      end();
      await work;
      expect(await reached).toBeGreaterThanOrEqual(position);
      expect(told).toContain(A);
    }));

  it('is called by another that has written, and again after its connection was cut', () =>
    withSharedStores(postgres(), async ([mine]) => {
      const sql = postgresSql(postgres().dsn(mine.database), silentLog(), 2);
      // Nothing but a call makes this feed look: it waits for ever between two looks.
      const sleep = (ms: number) =>
        new Promise<void>((resolve) => void (ms < 60_000 && setTimeout(resolve, ms / 50).unref()));
      const feed = await SharedFeed.open(sql, { own: 'other', log: silentLog(), sleep, everyMs: 3_600_000 });
      try {
        const [made, told]: [string[], string[]] = [[], []];
        feed.subscribe(({ path }) => told.push(path));
        for (const [turn, at] of ['a', 'b', 'c'].entries()) {
          const isTold = () => told.some((path) => path.startsWith(`wiki/net/facts/${at}`));
          if (turn > 0) {
            postgres().sql(
              mine.database,
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'brain-server listens'",
            );
          }
          // The writer's own connection was cut too: it calls nobody for some seconds, so one change may go unheard.
          for (let more = 0; !isTold(); more += 1) {
            const path = vaultPath(`wiki/net/facts/${at}${more}.md`);
            made.push(path);
            await mine.vault.create(path, 'a');
            for (let round = 0; round < 50 && !isTold(); round += 1)
              await new Promise((resolve) => setTimeout(resolve, 20));
          }
        }
        // What went unheard is told with the next change.
        expect(made.filter((path) => !told.includes(path))).toEqual([]);
        expect(feed.silentMs).toBeGreaterThanOrEqual(0);
      } finally {
        await feed.close();
        await sql.close();
      }
    }));

  const stands = ({ vault }: Pick<SharedStore, 'vault'>): Promise<string | null> =>
    vault.read(A).catch(() => null);

  it('refuses appends of a server whose place another has', () =>
    withSharedStores(postgres(), async ([mine]) => {
      await mine.state.append('audit/a.jsonl', 'one\n', true);
      postgres().sql(mine.database, "UPDATE brain.leases SET holder = 'another'");
      await expect(mine.state.append('audit/a.jsonl', 'two\n', true)).rejects.toMatchObject({ code: 'busy' });
      expect(await mine.state.read('audit/a.jsonl')).toBe('one\n');
    }));

  it('exports nothing to a place outside the folder', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'brain-export-'));
    const sql = postgresSql(newDatabase(), silentLog(), 2);
    try {
      await importFolder(sql, mkdtempSync(path.join(folder, 'empty-')), () => undefined);
      const hostile = ['../out.md', 'a/../../out.md', '/out.md', 'a//b.md', '.brain/x/../../../out.md'];
      for (const at of hostile) {
        await sql.transaction((query) =>
          query("INSERT INTO brain.files (path, folded, body) VALUES ($1, $1, 'x')", [at]),
        );
      }
      await sql.transaction((query) => query("INSERT INTO brain.folders VALUES ('../made')"));
      await sql.transaction((query) => query("INSERT INTO brain.state VALUES ('../../out.md', 0, 'x')"));
      const { copied, refused } = await exportFolder(sql, path.join(folder, 'in', 'vault'), () => undefined);
      expect({ copied, refused: [...refused].sort() }).toEqual({
        copied: 0,
        refused: [...hostile, '.brain/../../out.md'].sort(),
      });
      expect(readdirSync(path.join(folder, 'in'))).toEqual(['vault']);
      expect(existsSync('/out.md')).toBe(false);
    } finally {
      await sql.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
