import type { FileSystem } from '../../../src/adapters/files/file-system';
import { syncRecent } from '../../../src/adapters/files/sync-recent';
import { openStorage } from '../../../src/adapters/vault/storage';
import { fixedClock } from '../../support/fixed-clock';
import { type MemoryFileSystem, memoryFileSystem } from '../../support/memory-file-system';
import { silentLog } from '../../support/silent-log';
import { notOn } from '../../support/systems';

const memoryPaths = notOn(['win32'], 'the file system in memory takes POSIX paths');

const ROOT = '/vault';
/** The times of the file system in memory are the first milliseconds of 1970. */
const EPOCH = new Date(0);
const MUCH_LATER = 10_000_000;
const breathe = async (): Promise<void> => undefined;

async function write(fs: FileSystem, at: string, text: string): Promise<void> {
  const handle = await fs.open(at, 'w');
  await handle.write(Buffer.from(text), 0, text.length);
  await handle.close();
}

/** A vault in which a note was added to, one was made in a new folder, and a file was moved, nothing of it synced. */
async function unsynced(more: Readonly<Record<string, string>> = {}): Promise<MemoryFileSystem> {
  const fs = memoryFileSystem({
    [`${ROOT}/CLAUDE.md`]: 'old',
    [`${ROOT}/wiki/net/facts/a.md`]: 'one',
    [`${ROOT}/inbox/report.txt`]: 'text',
    [`${ROOT}/inbox/processed/`]: '',
    [`${ROOT}/.brain/ledger.jsonl`]: '{}\n',
    ...more,
  });
  await write(fs, `${ROOT}/CLAUDE.md`, 'new');
  await write(fs, `${ROOT}/wiki/net/facts/a.md`, 'two');
  await fs.mkdir(`${ROOT}/wiki/home`);
  await write(fs, `${ROOT}/wiki/home/b.md`, 'made');
  await fs.rename(`${ROOT}/inbox/report.txt`, `${ROOT}/inbox/processed/report.txt`);
  await write(fs, `${ROOT}/.brain/ledger.jsonl`, '{}\n{"a":1}\n');
  return fs;
}

memoryPaths.describe('syncRecent', () => {
  it('brings to the disk what was written, made and moved: a power cut takes none of it', async () => {
    const fs = await unsynced();
    const stands = fs.image(ROOT);
    const log = silentLog();
    const synced = await syncRecent(ROOT, { fs, now: EPOCH.getTime(), log, breathe });
    expect(synced).toBeGreaterThanOrEqual(9);
    fs.losePower();
    expect(fs.image(ROOT)).toEqual(stands);
    expect(log.lines).toEqual([{ level: 'info', event: 'sync.recent', fields: { synced } }]);
  });

  it('leaves alone what changed longer ago than any system keeps it, and what is none of ours', async () => {
    const fs = await unsynced({ [`${ROOT}/photos/a.png`]: 'old' });
    await write(fs, `${ROOT}/photos/a.png`, 'new');
    const log = silentLog();
    const opened: string[] = [];
    const noting: FileSystem = { ...fs, open: (at, ...rest) => (opened.push(at), fs.open(at, ...rest)) };
    await syncRecent(ROOT, { fs: noting, now: EPOCH.getTime(), log, breathe });
    expect(opened.filter((at) => at.includes('photos'))).toEqual([]);
    opened.length = 0;
    await syncRecent(ROOT, { fs: noting, now: MUCH_LATER, log, breathe });
    expect(opened).toEqual([]);
  });

  it('logs what cannot be brought to the disk, and goes on', async () => {
    const fs = await unsynced();
    const stands = fs.image(ROOT);
    const broken: FileSystem = {
      ...fs,
      open: async (at, ...rest) => {
        if (at.endsWith('a.md')) throw Object.assign(new Error('EIO: broken'), { code: 'EIO' });
        return fs.open(at, ...rest);
      },
    };
    const log = silentLog();
    await syncRecent(ROOT, { fs: broken, now: EPOCH.getTime(), log, breathe });
    fs.losePower();
    expect(fs.image(ROOT)).toEqual({ ...stands, 'wiki/net/facts/a.md': 'one' });
    expect(log.lines).toContainEqual({
      level: 'warn',
      event: 'sync.recent',
      fields: { path: 'wiki/net/facts/a.md', message: 'Error: EIO: broken' },
    });
  });

  it.each([
    ['was cut and left its lock, what it did', { [`${ROOT}/.brain/local.test/lock`]: '' }, true],
    ['let go of the vault, nothing', {}, false],
  ] as const)('is part of a start: after a run that %s is synced', async (_, lock, isSynced) => {
    const fs = await unsynced({ [`${ROOT}/.brain/local.test/tmp/`]: '', ...lock });
    const options = {
      device: 'test',
      clock: fixedClock(EPOCH.toISOString()),
      log: silentLog(),
      watch: false,
      fs,
    };
    await fs.mkdir(`${ROOT}/drop`);
    await write(fs, `${ROOT}/drop/own.txt`, 'of its own inbox');
    const storage = await openStorage(ROOT, { ...options, inbox: 'drop' });
    const stands = fs.clone();
    await storage.close();
    stands.losePower();
    const { 'wiki/net/facts/a.md': note, 'drop/own.txt': file } = stands.image(ROOT);
    expect([note, file]).toEqual(isSynced ? ['two', 'of its own inbox'] : ['one', undefined]);
  });
});
