import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { nodeFileSystem } from '../../../src/adapters/files/file-system';
import { postgresSql } from '../../../src/adapters/postgres/pg';
import type { Sql } from '../../../src/adapters/postgres/sql';
import { Mirror } from '../../../src/adapters/shared/mirror';
import { migrate } from '../../../src/adapters/shared/schema';
import { describeWithPostgres } from '../../support/postgres-server';
import { silentLog } from '../../support/silent-log';

const NAMES = ['wiki/net/a.md', 'wiki/net/b.md', 'wiki/c.md', 'd.md/e.md', 'd.md', 'pic.png'];

/** What happens: in the database, in the folder, or with the mirror. */
const act = fc.record({
  kind: fc.constantFrom(
    ...['put', 'put', 'lay', 'remove', 'edit', 'delete', 'sync', 'sync', 'syncAll', 'reopen'],
  ),
  name: fc.nat(NAMES.length - 1),
  text: fc.nat(3),
});

describeWithPostgres('a folder that mirrors a vault in tables of Postgres', (postgres) => {
  let root: string;
  let sql: Sql;
  let opened: Mirror[];
  beforeEach(async () => {
    root = mkdtempSync(path.join(tmpdir(), 'brain-mirror-'));
    opened = [];
    const database = `m${randomBytes(6).toString('hex')}`;
    postgres().sql('postgres', `CREATE DATABASE ${database}`);
    sql = postgresSql(postgres().dsn(database), silentLog(), 2);
    await migrate(sql);
  });
  afterEach(async () => {
    await closeAll();
    await sql.close();
    rmSync(root, { recursive: true, force: true });
  });

  const put = (at: string, text: string) =>
    sql.statement(
      `INSERT INTO brain.files (path, folded, body) VALUES ($1, $1, $2)
         ON CONFLICT (path) DO UPDATE SET body = excluded.body, mtime = clock_timestamp()`,
      [at, Buffer.from(text)],
    );
  const remove = (at: string) => sql.statement('DELETE FROM brain.files WHERE path = $1', [at]);
  const onDisk = (at: string): string | null => {
    const target = path.join(root, at);
    return existsSync(target) && statSync(target).isFile() ? readFileSync(target, 'utf8') : null;
  };

  const openMirror = async (place?: Parameters<typeof Mirror.open>[2]): Promise<Mirror> => {
    const mirror = await Mirror.open(sql, root, place);
    opened.push(mirror);
    return mirror;
  };
  const closeAll = async (): Promise<void> => {
    for (const mirror of opened.splice(0)) await mirror.close();
  };

  /** Returns true when nothing is at a path of the folder, and no file is where one of its folders has to be. */
  const canLay = (at: string): boolean =>
    !existsSync(path.join(root, at)) && onDisk(path.dirname(at)) === null;

  it('is in step with it after any changes, cuts and edits, and changes nothing that somebody else wrote', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
        await sql.statement('DELETE FROM brain.files');
        await closeAll();
        rmSync(root, { recursive: true, force: true });
        mkdirSync(root);
        let mirror = await openMirror();
        const store = new Map<string, string>();
        const edits = new Map<string, string>();
        const changed = new Set<string>();
        let laid = 0;
        const isFree = (at: string): boolean =>
          [...store.keys()].every((each) => !each.startsWith(`${at}/`) && !at.startsWith(`${each}/`));
        const intact = (): void => {
          for (const [at, text] of edits) expect({ at, text: onDisk(at) }).toEqual({ at, text });
        };
        for (const { kind, name, text } of acts) {
          const at = NAMES[name] ?? '';
          const target = path.join(root, at);
          if (kind === 'put' && isFree(at)) {
            await put(at, `text ${text}`);
            store.set(at, `text ${text}`);
          } else if (kind === 'lay' && isFree(at) && canLay(at)) {
            // Somebody puts a file there with the very bytes that the vault has, which the mirror never wrote.
            laid += 1;
            await put(at, `laid ${laid}`);
            store.set(at, `laid ${laid}`);
            mkdirSync(path.dirname(target), { recursive: true });
            writeFileSync(target, `laid ${laid}`);
            edits.set(at, `laid ${laid}`);
            changed.add(at);
          } else if (kind === 'remove') {
            await remove(at);
            store.delete(at);
          } else if (kind === 'edit' && onDisk(at) !== null) {
            rmSync(target);
            writeFileSync(target, `mine ${text}`);
            edits.set(at, `mine ${text}`);
          } else if (kind === 'delete' && onDisk(at) !== null) {
            rmSync(target);
            edits.delete(at);
          } else if (kind === 'reopen') mirror = await openMirror();
          else if (kind === 'syncAll') await mirror.syncAll();
          else if (kind === 'sync') {
            await mirror.sync([...changed]);
            changed.clear();
          }
          if (kind === 'put' || kind === 'remove') changed.add(at);
          intact();
        }
        const { left } = await mirror.syncAll();
        intact();
        for (const at of NAMES) {
          const isBlocked = left.some((each) => each.startsWith(`${at}/`) || at.startsWith(`${each}/`));
          if (edits.has(at) || isBlocked || [...edits.keys()].some((each) => at.startsWith(`${each}/`)))
            continue;
          const isBelow = [...edits.keys()].some((each) => each.startsWith(`${at}/`));
          expect({ at, text: onDisk(at) }).toEqual({ at, text: isBelow ? null : (store.get(at) ?? null) });
        }
        expect(await mirror.syncAll()).toMatchObject({ written: 0, removed: 0 });
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('goes on after a cut between its log and the file, and in the middle of a line', async () => {
    await put('a.md', 'one');
    await (await openMirror()).syncAll();
    const log = path.join(root, '.brain-mirror', 'files.jsonl');
    writeFileSync(log, `${readFileSync(log, 'utf8')}["a.md","0000"]\n["a.m`);
    writeFileSync(path.join(root, '.brain-mirror', 'tmp', 'x'), 'a part');
    await put('a.md', 'two');
    expect(await (await openMirror()).syncAll()).toMatchObject({ written: 1, left: [] });
    expect(onDisk('a.md')).toBe('two');
    expect(readdirSync(path.join(root, '.brain-mirror', 'tmp'))).toEqual([]);
  });

  it('leaves a file that somebody else put there with the same bytes', async () => {
    const mirror = await openMirror();
    await put('a.md', 'one');
    writeFileSync(path.join(root, 'a.md'), 'one');
    expect(await mirror.syncAll()).toMatchObject({ written: 0, left: [] });
    await put('a.md', 'two');
    expect(await mirror.sync(['a.md'])).toMatchObject({ written: 0, left: ['a.md'] });
    await remove('a.md');
    await (await openMirror()).syncAll();
    expect(onDisk('a.md')).toBe('one');
  });

  it('tries again to remove a file that the disk did not let go', async () => {
    await put('a.md', 'one');
    const failed = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    const unlink = jest.fn(nodeFileSystem.unlink);
    const mirror = await openMirror({ fs: { ...nodeFileSystem, unlink } });
    await mirror.syncAll();
    await remove('a.md');
    unlink.mockRejectedValueOnce(failed);
    await expect(mirror.sync(['a.md'])).rejects.toBe(failed);
    expect(onDisk('a.md')).toBe('one');
    expect(await mirror.syncAll()).toMatchObject({ removed: 1 });
    expect(onDisk('a.md')).toBeNull();
  });

  it('reads only what differs, and never many large files at a time', async () => {
    const size = 1024 * 1024;
    for (let at = 0; at < 20; at += 1)
      await put(`large ${at}.png`, String.fromCharCode(65 + at).repeat(size));
    const read: number[] = [];
    const statement: Sql['statement'] = async (...asked) => {
      const rows = await sql.statement(...asked);
      read.push(rows.reduce((sum, { body }) => sum + (body instanceof Uint8Array ? body.length : 0), 0));
      return rows;
    };
    const mirror = await Mirror.open({ statement }, root);
    opened.push(mirror);
    expect(await mirror.syncAll()).toMatchObject({ written: 20 });
    expect(read.reduce((sum, each) => sum + each, 0)).toBe(20 * size);
    expect(Math.max(...read)).toBeLessThanOrEqual(8 * size);
    read.length = 0;
    writeFileSync(path.join(root, 'mine.md'), 'mine');
    await put('mine.md', 'yours');
    await put('large 3.png', 'small');
    expect(await mirror.syncAll()).toMatchObject({ written: 1, left: ['mine.md'] });
    expect(read.reduce((sum, each) => sum + each, 0)).toBe('small'.length);
  });

  it('keeps the times of files, and what is hidden to itself', async () => {
    await put('a.md', 'one');
    await put('.obsidian/app.json', '{}');
    mkdirSync(path.join(root, '.obsidian'));
    await (await openMirror()).syncAll();
    const [row] = await sql.statement(
      "SELECT extract(epoch FROM mtime) AS at FROM brain.files WHERE path = 'a.md'",
    );
    expect(statSync(path.join(root, 'a.md')).mtimeMs / 1000).toBeCloseTo(Number(row?.at), 2);
    expect(readdirSync(path.join(root, '.obsidian'))).toEqual([]);
  });

  it('refuses a folder with files of others, and writes nothing through a link', async () => {
    writeFileSync(path.join(root, 'mine.md'), 'mine');
    await expect(openMirror()).rejects.toMatchObject({ code: 'destination_exists' });
    expect(readdirSync(root)).toEqual(['mine.md']);
    rmSync(path.join(root, 'mine.md'));
    const mirror = await openMirror();
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'brain-elsewhere-'));
    try {
      symlinkSync(elsewhere, path.join(root, 'wiki'));
      await put('wiki/a.md', 'a');
      expect(await mirror.syncAll()).toMatchObject({ written: 0, refused: ['wiki/a.md'] });
      expect(readdirSync(elsewhere)).toEqual([]);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });
});
