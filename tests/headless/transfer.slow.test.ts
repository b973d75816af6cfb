import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { postgresSql } from '../../src/adapters/postgres/pg';
import { exportFolder, importFolder } from '../../src/adapters/shared/transfer';
import { describeWithPostgres } from '../support/postgres-server';
import { silentLog } from '../support/silent-log';
import { finished, Sandbox } from './brain-process';

/** The files of a folder with their bytes, and its folders. */
function imageOf(root: string): Record<string, string> {
  const image: Record<string, string> = {};
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    const at = path.relative(root, path.join(entry.parentPath, entry.name));
    image[entry.isDirectory() ? `${at}/` : at] = entry.isFile()
      ? readFileSync(path.join(root, at)).toString('hex')
      : '';
  }
  return image;
}

function layOut(root: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [at, bytes] of files) {
    mkdirSync(path.dirname(path.join(root, at)), { recursive: true });
    writeFileSync(path.join(root, at), bytes);
  }
}

const name = fc.oneof(
  fc.constantFrom(
    'Note',
    'Ärger',
    '日本',
    'a b',
    '.hidden',
    'x.sync-conflict-20261120-103200-ABCDEFG',
    "it's",
    'A%2F',
  ),
  fc.stringMatching(/^[a-z0-9]{1,8}$/),
);
const file = fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom('.md', '.png', ''));
/** Trees without a file in the place of a folder, and without two names that differ in case or form alone. */
const tree = fc.array(fc.tuple(file, fc.uint8Array({ maxLength: 400 })), { maxLength: 30 }).map((all) => {
  const files = new Map<string, Uint8Array>();
  for (const [[segments, ending], bytes] of all)
    files.set(`${segments.map((each) => `d${each}`).join('/')}/f${ending}`, bytes);
  files.set('.brain/vault-id', new TextEncoder().encode('0123'));
  files.set('.brain/history/ab/cd.md', new TextEncoder().encode('An older text.'));
  return files;
});

describeWithPostgres('a vault that goes into a database and comes out again', (postgres) => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'brain-transfer-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const makeDatabase = (): string => {
    const database = `t${randomBytes(6).toString('hex')}`;
    postgres().sql('postgres', `CREATE DATABASE ${database}`);
    return database;
  };
  const nothing = (): void => undefined;

  it('has every byte, whatever its files are called, and copies nothing twice', async () => {
    const sql = postgresSql(postgres().dsn(makeDatabase()), silentLog(), 2);
    try {
      await fc.assert(
        fc.asyncProperty(tree, async (files) => {
          await sql
            .transaction((query) => query('TRUNCATE brain.files, brain.folders, brain.state, brain.changes'))
            .catch(nothing);
          const [from, to] = [
            mkdtempSync(path.join(folder, 'from-')),
            path.join(mkdtempSync(path.join(folder, 'to-')), 'x'),
          ];
          layOut(from, files);
          const before = imageOf(from);
          expect(await importFolder(sql, from, nothing)).toEqual({
            copied: files.size,
            same: 0,
            kept: [],
            refused: [],
          });
          expect(await importFolder(sql, from, nothing)).toMatchObject({
            copied: 0,
            same: files.size,
            kept: [],
          });
          expect(await exportFolder(sql, to, nothing)).toMatchObject({
            copied: files.size,
            kept: [],
            refused: [],
          });
          expect(imageOf(to)).toEqual(before);
          expect(imageOf(from)).toEqual(before);
          expect(await exportFolder(sql, to, nothing)).toMatchObject({ copied: 0, same: files.size });
        }),
        { numRuns: 25 },
      );
    } finally {
      await sql.close();
    }
  }, 120_000);

  it('keeps the times of files, goes on after a cut, and names what stands there already', async () => {
    const sql = postgresSql(postgres().dsn(makeDatabase()), silentLog(), 2);
    try {
      const files = new Map(
        Array.from({ length: 450 }, (_, at) => [`wiki/n${at}.md`, Uint8Array.of(at % 256)]),
      );
      const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
      layOut(from, files);
      const cut = importFolder(sql, from, (done) => {
        if (done > 200) throw new Error('cut');
      });
      await expect(cut).rejects.toThrow('cut');
      expect(await importFolder(sql, from, nothing)).toEqual({
        copied: 50,
        same: 400,
        kept: [],
        refused: [],
      });
      await exportFolder(sql, to, nothing);
      expect(statSync(path.join(to, 'wiki/n7.md')).mtimeMs).toBeCloseTo(
        statSync(path.join(from, 'wiki/n7.md')).mtimeMs,
        -1,
      );
      writeFileSync(path.join(from, 'wiki/n3.md'), 'other');
      writeFileSync(path.join(from, 'wiki/N4.md'), 'case');
      symlinkSync('/etc/hostname', path.join(from, 'wiki/link.md'));
      expect(await importFolder(sql, from, nothing)).toEqual({
        copied: 0,
        same: 449,
        kept: expect.arrayContaining(['wiki/n3.md', 'wiki/N4.md']),
        refused: ['wiki/link.md'],
      });
      writeFileSync(path.join(to, 'wiki/n5.md'), 'mine');
      expect(await exportFolder(sql, to, nothing)).toMatchObject({ same: 449, kept: ['wiki/n5.md'] });
      expect(readFileSync(path.join(to, 'wiki/n5.md'), 'utf8')).toBe('mine');
    } finally {
      await sql.close();
    }
  }, 60_000);

  it('says on the command line what was copied, and what is wrong with the call', async () => {
    const sandbox = new Sandbox();
    try {
      const database = makeDatabase();
      const env = { BRAIN_STORE: postgres().dsn(database) };
      layOut(sandbox.vault, new Map([['wiki/a.md', Uint8Array.of(1)]]));
      expect(await sandbox.run(['store', 'import', '--vault', sandbox.vault], { env })).toMatchObject({
        code: 0,
        stdout: '1 files imported, 0 were there already.\n',
      });
      const out = path.join(sandbox.folder, 'out');
      expect(await sandbox.run(['store', 'export', '--vault', out], { env })).toMatchObject({ code: 0 });
      expect(imageOf(out)).toEqual(imageOf(sandbox.vault));
      expect(await sandbox.run(['store', 'import', '--vault', sandbox.vault])).toMatchObject({ code: 2 });
      expect(await sandbox.run(['import', '--vault', sandbox.vault])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('warning: "brain import" without a file is "brain store import" now'),
      });
      const nowhere = await sandbox.run(['store', 'import', '--vault', path.join(sandbox.folder, 'none')], {
        env,
      });
      expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('is no folder') });
      const down = await sandbox.run(['store', 'import', '--vault', sandbox.vault], {
        env: { BRAIN_STORE: 'postgres://u:secret@127.0.0.1:1/x' },
      });
      expect(down).toMatchObject({ code: 1, stderr: expect.stringContaining('refuses connections') });
      expect(down.stderr).not.toContain('secret');
      const odd = await sandbox.run(['store', 'export', '--vault', out, '--store', 'mysql://x']);
      expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('BRAIN_STORE') });
    } finally {
      await sandbox.remove();
    }
  }, 60_000);

  it('keeps a folder in step on the command line until Ctrl-C', async () => {
    const sandbox = new Sandbox();
    try {
      const database = makeDatabase();
      const env = { BRAIN_STORE: postgres().dsn(database) };
      layOut(sandbox.vault, new Map([['wiki/a.md', Uint8Array.of(65)]]));
      expect(await sandbox.run(['store', 'import', '--vault', sandbox.vault], { env })).toMatchObject({
        code: 0,
      });
      const other = await sandbox.run(['store', 'mirror', '--once', '--vault', sandbox.vault], { env });
      expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('no mirror wrote') });
      const out = path.join(sandbox.folder, 'out');
      const once = await sandbox.run(['store', 'mirror', '--once', '--vault', out], { env });
      expect(once).toMatchObject({ code: 0, stdout: expect.stringContaining('1 files written, 0 removed.') });
      const child = sandbox.start(['store', 'mirror', '--vault', out], env);
      const ended = finished(child);
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      postgres().sql(
        database,
        `UPDATE brain.files SET body = 'B'; INSERT INTO brain.changes (path, removed, by) VALUES ('wiki/a.md', false, 'x')`,
      );
      const text = () => readFileSync(path.join(out, 'wiki/a.md'), 'utf8');
      while (text() !== 'B') await new Promise((resolve) => setTimeout(resolve, 20));
      // Its disk is away, and comes back.
      renameSync(out, `${out}.away`);
      const toldAgain = new Promise((resolve) => child.stderr?.once('data', resolve));
      postgres().sql(
        database,
        `UPDATE brain.files SET body = 'C'; INSERT INTO brain.changes (path, removed, by) VALUES ('wiki/a.md', false, 'x')`,
      );
      expect(String(await toldAgain)).toContain('or its disk is away');
      renameSync(`${out}.away`, out);
      while (text() !== 'C') await new Promise((resolve) => setTimeout(resolve, 20));
      const second = await sandbox.run(['store', 'mirror', '--once', '--vault', out], { env });
      expect(second).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('in use by brain store mirror'),
      });
      child.kill('SIGINT');
      expect(await ended).toMatchObject({ code: 130, stdout: expect.stringContaining('is in step with') });
      const copy = makeDatabase();
      // The password is in a file of the user.
      const passwords = `127.0.0.1:${postgres().port}:${copy}:postgres:secret\n`;
      writeFileSync(path.join(sandbox.folder, '.pgpass'), passwords, { mode: 0o600 });
      const into = [
        'store',
        'import',
        '--vault',
        out,
        '--store',
        postgres().dsn(copy).replace(':secret@', '@'),
      ];
      expect(await sandbox.run(into)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 files') });
      expect(postgres().sql(copy, 'SELECT path FROM brain.files')).toBe('wiki/a.md');
    } finally {
      await sandbox.remove();
    }
  }, 120_000);

  it('makes and changes no tables but to import and to add a token, and says which side is older', async () => {
    const sandbox = new Sandbox();
    try {
      const database = makeDatabase();
      const env = { BRAIN_STORE: postgres().dsn(database) };
      const out = path.join(sandbox.folder, 'out');
      const calls = [
        ['token', 'list'],
        ['token', 'revoke', 'ada'],
        ['store', 'export', '--vault', out],
        ['store', 'mirror', '--once', '--vault', out],
      ];
      const allSay = async (said: string): Promise<void> => {
        for (const call of calls)
          expect(await sandbox.run(call, { env })).toMatchObject({
            ...{ code: 1, stdout: '', stderr: expect.stringContaining(said) },
          });
      };
      await allSay(`There is no vault of Brain Server at 127.0.0.1:${postgres().port}/${database}.`);
      expect(postgres().sql(database, "SELECT count(*) FROM pg_namespace WHERE nspname = 'brain'")).toBe('0');
      expect(await sandbox.run(['token', 'add', 'ada'], { env })).toMatchObject({ code: 0 });
      expect(await sandbox.run(['token', 'list'], { env })).toMatchObject({
        stdout: expect.stringContaining('ada'),
      });
      const own = Number(postgres().sql(database, 'SELECT max(version) FROM brain.migrations'));
      postgres().sql(database, `DELETE FROM brain.migrations WHERE version = ${own}`);
      await allSay(`is older than this program (tables of version ${own - 1}, not ${own}).`);
      postgres().sql(
        database,
        `INSERT INTO brain.migrations (version) VALUES (${own}), (${own + 1}) ON CONFLICT DO NOTHING`,
      );
      await allSay(`is newer than this program (tables of version ${own + 1}, not ${own}).`);
      expect(existsSync(out)).toBe(false);
    } finally {
      await sandbox.remove();
    }
  }, 120_000);

  it('tells what the disk said by the name of the folder, and goes on once it can', async () => {
    const sandbox = new Sandbox();
    try {
      const database = makeDatabase();
      const env = { BRAIN_STORE: postgres().dsn(database) };
      layOut(sandbox.vault, new Map([['wiki/a.md', Uint8Array.of(65)]]));
      expect(await sandbox.run(['store', 'import', '--vault', sandbox.vault], { env })).toMatchObject({
        code: 0,
      });
      const below = path.join(sandbox.vault, 'wiki/a.md/out');
      for (const call of [
        ['store', 'export'],
        ['store', 'mirror', '--once'],
      ])
        expect(await sandbox.run([...call, '--vault', below], { env })).toMatchObject({
          ...{ code: 1, stdout: '' },
          stderr: expect.stringContaining(`The folder ${below} cannot be used: not a directory, mkdir`),
        });
      const noSocket = `postgres://u@/x?host=${path.join(sandbox.folder, 'none')}`;
      const out = path.join(sandbox.folder, 'out');
      expect(await sandbox.run(['store', 'export', '--vault', out, '--store', noSocket])).toMatchObject({
        ...{ code: 1, stderr: expect.stringContaining('has no socket there') },
      });
      if (!existsSync('/dev/full')) return;
      const child = sandbox.start(['store', 'mirror', '--vault', out], env);
      const ended = finished(child);
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      const temps = path.join(out, '.brain-mirror/tmp');
      rmSync(temps, { recursive: true });
      symlinkSync('/dev/full', temps);
      const told = new Promise((resolve) => child.stderr?.once('data', resolve));
      postgres().sql(
        database,
        `UPDATE brain.files SET body = 'B'; INSERT INTO brain.changes (path, removed, by) VALUES ('wiki/a.md', false, 'x')`,
      );
      const said = String(await told);
      expect(said).toContain(`The folder ${out} cannot be used: not a directory, open '${temps}`);
      expect(said).toContain(
        'See that its disk has room and that this user has the rights. The mirror tries again until it succeeds.\n',
      );
      rmSync(temps);
      while (readFileSync(path.join(out, 'wiki/a.md'), 'utf8') !== 'B')
        await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill('SIGINT');
      expect(await ended).toMatchObject({ code: 130 });
    } finally {
      await sandbox.remove();
    }
  }, 60_000);
});
