import path from 'node:path';
import { isSettledAddress } from '../../../src/adapters/postgres/pg';
import { storeSql } from '../../../src/adapters/shared/address';
import { openTokenTable } from '../../../src/adapters/shared/store';
import { describeWithPostgres } from '../../support/postgres-server';
import { silentLog } from '../../support/silent-log';

const FAR = { log: silentLog(), connections: 1, isSettled: (dsn: string) => dsn.includes('sslmode') };

describe('an address that says nothing of TLS', () => {
  it.each([
    ...[
      'localhost',
      '127.0.0.1',
      '[::1]',
      'postgres',
      'pgbouncer:6432',
      'db.brain.svc',
      'host.docker.internal',
    ],
    ...['db.brain.svc.cluster.local', ''],
  ])('stays on this machine or among its containers: %s', (host) => {
    expect(isSettledAddress(`postgres://me:secret@${host}/brain`)).toBe(true);
  });
  it('stays here over a socket', () => {
    expect(isSettledAddress('postgres://me@/brain?host=/var/run/postgresql')).toBe(true);
  });
  it.each([
    ...['db.example.com', '10.0.0.5', '192.168.1.4:5432', '172.17.0.2', '[fd00::5]', '127.0.0.1.example.com'],
    ...['db.c.project.internal', 'postgres.local', 'localhost.example.com', '128.0.0.1'],
  ])('leads over a network: %s', (host) => {
    expect(isSettledAddress(`postgres://me:secret@${host}/brain`)).toBe(false);
  });
  it('leads over a network by its host in the query', () => {
    expect(isSettledAddress('postgres://me@localhost/brain?host=db.example.com')).toBe(false);
  });
  it.each(['disable', 'no-verify', 'require', 'verify-full'])('is settled by a word: %s', (mode) => {
    expect(isSettledAddress(`postgres://me@db.example.com/brain?sslmode=${mode}`)).toBe(true);
  });
});

describeWithPostgres('the connections of a store beyond this machine', (postgres) => {
  const addressOf = (database: string): string => postgres().dsn(database);
  const make = async (dsn: string): Promise<string | null> => {
    const { sql, warning } = await storeSql(dsn, FAR);
    await openTokenTable(sql, { makes: true }).finally(() => sql.close());
    return warning;
  };

  it('are verified for a new vault, unless the address says otherwise', async () => {
    for (const name of ['fresh', 'written', 'old']) postgres().makeDatabase(name, false);
    await expect(make(addressOf('fresh'))).rejects.toThrow(/does not speak TLS.*sslmode=disable/s);
    expect(postgres().sql('fresh', "SELECT to_regnamespace('brain') IS NULL")).toBe('t');
    expect(await make(`${addressOf('written')}?sslmode=disable`)).toBeNull();
    // Without the word in its address, it is a new one all the same.
    await expect(make(addressOf('written'))).rejects.toThrow(/cannot be verified/);
    await make(`${addressOf('old')}?sslmode=disable`);
    postgres().sql('old', 'COMMENT ON SCHEMA brain IS NULL');
    expect(await make(addressOf('old'))).toMatch(
      /^Notes and the password .* unprotected.*does not speak TLS/,
    );
  }, 60_000);

  it('are made over TLS where the server has a certificate that is trusted, and refused where it is not', async () => {
    postgres().useTls('IP:127.0.0.1');
    postgres().makeDatabase('tls', false);
    await expect(make(addressOf('tls'))).rejects.toThrow(/certificate that this machine does not trust/);
    const certificate = path.join(postgres().folder, 'server.crt');
    const { sql } = await storeSql(`${addressOf('tls')}?sslrootcert=${certificate}`, {
      ...FAR,
      isSettled: () => false,
    });
    const rows = await sql.statement('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    await sql.close();
    expect(rows).toEqual([{ ssl: true }]);
  }, 60_000);
});
