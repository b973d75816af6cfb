import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/adapters/host/device';
import { postgresSql } from '../../src/adapters/postgres/pg';
import type { Sql } from '../../src/adapters/postgres/sql';
import { openShared, type SharedStore } from '../../src/adapters/shared/store';
import { settleConfig } from '../../src/core/config/config';
import type { VaultStore } from '../../src/core/ports/ports';
import { openBrain, type OpenedBrain } from '../../src/core/vault/open';
import { vaultPath } from '../../src/core/vocabulary/paths';
import { fakeDocuments } from './fake-documents';
import type { PostgresServer } from './postgres-server';
import { silentLog } from './silent-log';

/** What leads to a database: a server, or a cluster. */
export type Database = Pick<PostgresServer, 'dsn' | 'sql' | 'drop'>;

type Opened = SharedStore & { readonly database: string };

/** Opens a new shared vault twice, as two servers do, each by what `through` makes of its way to the database; closes both at the end. */
export async function withSharedStores(
  server: Database,
  work: (stores: [mine: Opened, other: Opened]) => Promise<void>,
  {
    through = (sql) => sql,
    renewMs,
    timeoutMs,
  }: { readonly through?: (sql: Sql) => Sql; readonly renewMs?: number; readonly timeoutMs?: number } = {},
): Promise<void> {
  const database = `v${randomBytes(6).toString('hex')}`;
  server.sql('postgres', `CREATE DATABASE ${database}`);
  const open = async (): Promise<Opened> => {
    const store = await openShared(through(postgresSql(server.dsn(database), silentLog(), 5, timeoutMs)), {
      ...(renewMs !== undefined && { renewMs }),
      log: silentLog(),
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
      onLost: () => undefined,
    });
    return { ...store, database };
  };
  const [mine, other] = [await open(), await open()];
  try {
    await work([mine, other]);
  } finally {
    await mine.close();
    await other.close();
    await server.drop(database);
  }
}

/** Opens a brain over each of two servers of a new shared vault, which have read it; closes both at the end. */
export async function withSharedBrains(
  server: Database,
  work: (one: OpenedBrain, two: OpenedBrain, stores: readonly [Opened, Opened]) => Promise<void>,
): Promise<void> {
  const opened = ({ vault, state, servers, device }: Opened): Promise<OpenedBrain> =>
    openBrain(
      { vault, state, servers, clock: systemClock, log: silentLog(), documents: fakeDocuments() },
      settleConfig({}, {}),
      {
        device,
        version: '0.0.0-test',
        sleep: () => new Promise(() => undefined),
        breathe: () => new Promise((resolve) => setImmediate(resolve)),
      },
    );
  await withSharedStores(server, async (stores) => {
    const [one, two] = await Promise.all([opened(stores[0]), opened(stores[1])]);
    await Promise.all([one.read, two.read]);
    await work(one, two, stores);
    await Promise.all([one.close(), two.close()]);
  });
}

/** Makes, replaces or (null) removes a file. */
export async function putShared(vault: VaultStore, at: string, text: string | null): Promise<void> {
  const path = vaultPath(at);
  if (text === null) await vault.remove(path);
  else if (!(await vault.create(path, text))) await vault.edit(path, () => text);
}

/** The files of a shared vault with their texts, and its folders with a trailing slash. */
export async function sharedImage(server: Database, database: string): Promise<Record<string, string>> {
  const files = server.sql(
    database,
    `SELECT coalesce(json_object_agg(path, encode(body, 'base64')), '{}') FROM brain.files`,
  );
  const folders = server.sql(database, `SELECT coalesce(json_agg(path), '[]') FROM brain.folders`);
  const image: Record<string, string> = {};
  for (const [path, body] of Object.entries(JSON.parse(files) as Record<string, string>))
    image[path] = Buffer.from(body, 'base64').toString('utf8');
  for (const folder of JSON.parse(folders) as string[]) image[`${folder}/`] = '';
  return image;
}
