import fc from 'fast-check';
import { Catalog } from '../../../src/core/catalog/catalog';
import { loadCatalog, refreshCatalog } from '../../../src/core/catalog/load';
import { OutsideChanges } from '../../../src/core/catalog/outside-changes';
import { BrainError } from '../../../src/core/base/errors';
import { Pace } from '../../../src/core/base/steps';
import type { VaultStore } from '../../../src/core/ports/ports';
import type { LogFields } from '../../../src/core/base/host';
import { opens } from '../../../src/core/links/resolve';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { ReadScope } from '../../../src/core/vocabulary/read-scope';
import { MAX_NOTE_BYTES } from '../../../src/core/vocabulary/limits';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryVault, type MemoryVault } from '../../support/memory-vault';
import { silentLog } from '../../support/silent-log';
import { searchNotes } from '../../support/search-notes';

const MTU = vaultPath('wiki/net/facts/mtu.md');
const IDEA = vaultPath('raw/idea.md');
/** After so many milliseconds a file that could not be read is tried again. */
const REST = 5_000;

function readingOf(vault: VaultStore, scope?: ReadScope) {
  const pace = new Pace(async () => undefined, fixedClock());
  return {
    vault,
    clock: fixedClock(),
    catalog: new Catalog(scope),
    pace,
    outside: new OutsideChanges(),
    log: silentLog(),
  };
}

async function open(files: Readonly<Record<string, string>> | MemoryVault, scope?: ReadScope) {
  const vault = isVault(files) ? files : createMemoryVault(files);
  const reading = readingOf(vault, scope);
  const { catalog } = reading;
  vault.changes((change) => catalog.markDirty(change));
  await loadCatalog(reading);
  return { vault, catalog, reading };
}

function isVault(files: Readonly<Record<string, string>> | MemoryVault): files is MemoryVault {
  return typeof files.list === 'function';
}

/** Makes the files at `broken` fail when they are read, until they are taken out; lists what was read. */
function breaking(vault: VaultStore, broken: Set<string>) {
  const read = vault.read.bind(vault);
  const reads: string[] = [];
  vault.read = (path) => {
    reads.push(path);
    return broken.has(path) ? Promise.reject(new Error('EIO')) : read(path);
  };
  return reads;
}

describe('loadCatalog', () => {
  const FILES = {
    'wiki/net/facts/mtu.md': 'one',
    'wiki/net/_index.md': 'index',
    'knowledge/old.md': 'two',
    'raw/idea.md': 'three',
    'raw/rejected/bad.md': 'four',
    'inbox/drop.txt': 'five',
    'sessions/2026-01.jsonl': '{}',
    'AGENTS.md': 'guide',
    'diary/today.md': 'private',
    'diary/sketch.canvas': '{}',
    'node_modules/lib/README.md': 'code',
  };
  const OURS = ['knowledge/old.md', 'raw/idea.md', 'raw/rejected/bad.md', 'wiki/net/facts/mtu.md'];
  const SCOPE = { exclude: [], own: ['AGENTS.md'] };

  it('knows the notes and the other files of the vault', async () => {
    const { catalog } = await open(FILES, new ReadScope({ ...SCOPE, scope: 'vault' }));
    expect(catalog.notes().map(({ path }) => path)).toEqual(['diary/today.md', ...OURS]);
    expect(catalog.record(vaultPath('diary/today.md'))?.status).toBe('vault');
    expect(catalog.pathsBelow('')).toHaveLength(8);
    expect(catalog.dirtyCount).toBe(0);
  });

  it('knows of what is left out the names alone, and visits no programs', async () => {
    const visited: string[] = [];
    const vault = createMemoryVault(FILES);
    const list = vault.list.bind(vault);
    vault.list = async function* (folder, skip) {
      for await (const entry of list(folder, skip)) {
        visited.push(entry.path);
        yield entry;
      }
    };
    const read = jest.spyOn(vault, 'read');
    const scope = new ReadScope({ ...SCOPE, scope: 'vault', exclude: ['diary'] });
    const { catalog } = await open(vault, scope);
    expect(catalog.notes().map(({ path }) => path)).toEqual(OURS);
    expect(visited.filter((path) => path.startsWith('node_modules/'))).toEqual([]);
    expect(read.mock.calls.flat().filter((path) => /diary|sessions|AGENTS/.test(path))).toEqual([]);
    const here = vaultPath('wiki/net/facts/mtu.md');
    expect(opens('today', here, catalog)).toBe('diary/today.md');
    const diary = vaultPath('diary/today.md');
    expect([catalog.has(diary), catalog.taken(diary), catalog.candidates('basename', 'today')]).toEqual([
      null,
      null,
      [],
    ]);
    catalog.markDirty({ kind: 'removed', path: diary });
    expect(opens('today', here, catalog)).toBeNull();
    catalog.markDirty({ kind: 'changed', path: diary });
    expect([opens('today', here, catalog), catalog.dirtyCount]).toEqual([diary, 0]);
  });

  it('knows the files of its own folders alone when the owner wants that', async () => {
    const { catalog } = await open(FILES, new ReadScope({ ...SCOPE, scope: 'brain' }));
    expect(catalog.notes().map(({ path }) => path)).toEqual(OURS);
    expect(catalog.pathsBelow('')).toHaveLength(6);
  });

  it('reads many notes', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`wiki/net/facts/n${n}.md`, `note ${n}`]),
    );
    const { catalog } = await open(files);
    expect(catalog.notes()).toHaveLength(200);
  });

  it('passes over a file that is no text, logs it, and keeps its name taken', async () => {
    const vault = createMemoryVault({ [MTU]: 'x', 'raw/idea.md': 'idea' });
    const read = vault.read.bind(vault);
    vault.read = (path) =>
      path === MTU ? Promise.reject(new BrainError('unsupported_type', 'not UTF-8')) : read(path);
    const warnings: unknown[] = [];
    const reading = readingOf(vault);
    const { catalog } = reading;
    const warn = (event: string, fields?: LogFields) => warnings.push([event, fields]);
    await loadCatalog({ ...reading, log: { ...reading.log, warn } });
    expect(warnings).toEqual([['catalog.unreadable', { path: MTU, message: 'not UTF-8' }]]);
    expect(catalog.taken(MTU)).toBe(MTU);
    expect(catalog.record(MTU)).toBeUndefined();
    expect(catalog.notes()).toHaveLength(1);
    expect(catalog.dirtyCount).toBe(0);
  });

  it('reads a file that cannot be read once, and no reader waits for it soon after', async () => {
    const vault = createMemoryVault({ [MTU]: 'one', [IDEA]: 'idea' });
    const reading = readingOf(vault);
    const { catalog } = reading;
    const reads = breaking(vault, new Set([MTU]));
    await loadCatalog(reading);
    await refreshCatalog(reading);
    expect(reads.sort()).toEqual([IDEA, MTU]);
    expect(catalog.unreadable.get(MTU)).toEqual({
      reason: 'EIO',
      tooLarge: null,
      entangled: false,
      forgotten: false,
    });
    expect(catalog.dirtyCount).toBe(1);
  });
});

it('reads a note again that changed after it was read, though time and size say nothing', async () => {
  const vault = createMemoryVault({ [MTU]: 'old', 'raw/idea.md': 'idea' });
  const reading = readingOf(vault);
  const { catalog } = reading;
  const read = vault.read.bind(vault);
  vault.read = async (path) => {
    while (path !== MTU && catalog.record(MTU) === undefined) await new Promise((go) => setImmediate(go));
    if (path !== MTU) {
      vault.files.set(MTU, 'new');
      catalog.markDirty({ kind: 'changed', path: MTU });
    }
    return read(path);
  };
  await loadCatalog(reading);
  expect(catalog.record(MTU)?.excerpt).toBe('new');
});

/** Makes the vault tell another size of one file, which nothing is read of to know it. */
function sizing(vault: VaultStore, sized: string, size: number): void {
  const { stat, list } = vault;
  vault.stat = async (path) => {
    const found = await stat.call(vault, path);
    return found && path === sized ? { ...found, size } : found;
  };
  vault.list = async function* (folder) {
    for await (const entry of list.call(vault, folder))
      yield entry.path === sized ? { ...entry, size } : entry;
  };
}

describe('a note that is larger than notes are read', () => {
  const TOO_MUCH = MAX_NOTE_BYTES + 1;

  it.each([
    [MAX_NOTE_BYTES, [IDEA, MTU], 2],
    [TOO_MUCH, [IDEA], 1],
    [1000 * MAX_NOTE_BYTES, [IDEA], 1],
  ])(
    'is known by its path alone, and not read, from the first byte too much on (%i)',
    async (size, read, notes) => {
      const vault = createMemoryVault({ [MTU]: 'one', [IDEA]: 'idea' });
      sizing(vault, MTU, size);
      const reads = breaking(vault, new Set());
      const reading = readingOf(vault);
      await loadCatalog(reading);
      await refreshCatalog(reading);
      const { catalog } = reading;
      expect([reads.sort(), catalog.notes().length, catalog.taken(MTU)]).toEqual([read, notes, MTU]);
      const unread = [...catalog.unreadable].map(([path, { tooLarge }]) => [path, tooLarge]);
      expect(unread).toEqual(size > MAX_NOTE_BYTES ? [[MTU, size]] : []);
      expect(catalog.dirtyCount).toBe(0);
    },
  );

  it('is none any more when it has grown to that, and one again when it is small', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'one', [IDEA]: 'idea' });
    const { stat } = vault;
    const reads = breaking(vault, new Set());
    sizing(vault, MTU, TOO_MUCH);
    vault.touch(MTU);
    await refreshCatalog(reading);
    expect([reads, catalog.record(MTU)]).toEqual([[], undefined]);
    vault.stat = stat;
    vault.touch(MTU);
    await refreshCatalog(reading);
    expect([catalog.record(MTU)?.excerpt, catalog.unreadable.size]).toEqual(['one', 0]);
  });

  it('is not taken over from a snapshot either', async () => {
    const vault = createMemoryVault({ [MTU]: 'one', [IDEA]: 'idea' });
    const before = readingOf(vault);
    await loadCatalog(before);
    sizing(vault, MTU, TOO_MUCH);
    const records = before.catalog
      .records()
      .map((note) => (note.path === MTU ? { ...note, size: TOO_MUCH } : note));
    const reading = readingOf(vault);
    for (const record of records) reading.catalog.restore(record);
    const reads = breaking(vault, new Set());
    await loadCatalog(reading, { snapshot: { records, doubtful: new Set() } });
    expect([reads, reading.catalog.notes().map(({ path }) => path)]).toEqual([[], [IDEA]]);
  });
});

describe('refreshCatalog', () => {
  it('sees what others changed, made and removed', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old words', 'raw/idea.md': 'idea' });
    vault.outside(MTU, 'new words');
    vault.outside('raw/other.md', 'other');
    vault.outside('raw/idea.md', null);
    vault.outside('inbox/drop.txt', 'drop');
    vault.outside('sessions/x.jsonl', '{}');
    expect(catalog.dirtyCount).toBe(4);
    await refreshCatalog(reading);
    expect(catalog.dirtyCount).toBe(0);
    expect(catalog.record(MTU)?.excerpt).toBe('new words');
    expect(catalog.notes('raw').map(({ path }) => path)).toEqual(['raw/other.md']);
    expect(catalog.taken(vaultPath('raw/idea.md'))).toBeNull();
    expect(catalog.taken(vaultPath('inbox/drop.txt'))).toBe('inbox/drop.txt');
  });

  it('reads nothing when nothing was marked', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'words' });
    vault.files.set(MTU, 'unannounced');
    vault.stat = () => Promise.reject(new Error('the disk was asked'));
    await refreshCatalog(reading);
    expect(catalog.record(MTU)?.excerpt).toBe('words');
  });

  it('does not put an older text over what the catalog was told while it read', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'first' });
    const read = vault.read.bind(vault);
    let meanwhile = () => {
      vault.files.set(MTU, 'ours');
      catalog.put(MTU, 'ours', { mtime: 9, size: 4 });
    };
    vault.read = async (path) => {
      const text = await read(path);
      meanwhile();
      meanwhile = () => undefined;
      return text;
    };
    vault.outside(MTU, 'theirs');
    await refreshCatalog(reading);
    expect(catalog.record(MTU)?.excerpt).toBe('ours');
    expect(catalog.dirtyCount).toBe(0);
  });

  it('sees a change that arrives while it reads, at once or next time', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'first' });
    const read = vault.read.bind(vault);
    let changes = 0;
    vault.read = async (path) => {
      const text = await read(path);
      if ((changes += 1) < 6) vault.outside(path, `change ${changes}`);
      return text;
    };
    vault.outside(MTU, 'change 0');
    await refreshCatalog(reading);
    expect(catalog.dirtyCount).toBe(1);
    await refreshCatalog(reading);
    expect(catalog.record(MTU)?.excerpt).toBe('change 5');
    expect(catalog.dirtyCount).toBe(0);
  });

  it('serves readers that come at the same time', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old' });
    vault.outside(MTU, 'new');
    const seen = await Promise.all(
      [1, 2, 3].map(async () => {
        await refreshCatalog(reading);
        return catalog.record(MTU)?.excerpt;
      }),
    );
    expect(seen).toEqual(['new', 'new', 'new']);
  });

  it('keeps a note that cannot be read just now, says why, and tries again', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old' });
    const read = vault.read.bind(vault);
    vault.read = () => Promise.reject(new Error('EIO'));
    vault.outside(MTU, 'new');
    await refreshCatalog(reading);
    expect(catalog.unreadable.get(MTU)).toEqual({
      reason: 'EIO',
      tooLarge: null,
      entangled: false,
      forgotten: false,
    });
    expect(catalog.record(MTU)?.excerpt).toBe('old');
    vault.read = read;
    reading.clock.advance(REST);
    await refreshCatalog(reading);
    expect(catalog.record(MTU)?.excerpt).toBe('new');
    expect(catalog.unreadable.size).toBe(0);
  });

  it('reads a file that cannot be read once, and leaves it alone for a while', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old', [IDEA]: 'idea' });
    const broken = new Set<string>([MTU]);
    const reads = breaking(vault, broken);
    vault.outside(MTU, 'new');
    await refreshCatalog(reading);
    await refreshCatalog(reading);
    reading.clock.advance(REST - 1);
    vault.outside(IDEA, 'thought');
    await refreshCatalog(reading);
    expect(reads).toEqual([MTU, IDEA]);
    expect(catalog.unreadable.get(MTU)).toEqual({
      reason: 'EIO',
      tooLarge: null,
      entangled: false,
      forgotten: false,
    });
    expect(catalog.dirtyCount).toBe(1);
    reading.clock.advance(1);
    await refreshCatalog(reading);
    await refreshCatalog(reading);
    expect(reads).toEqual([MTU, IDEA, MTU]);
    broken.clear();
    reading.clock.advance(REST);
    await refreshCatalog(reading);
    expect(catalog.record(MTU)?.excerpt).toBe('new');
    expect([catalog.dirtyCount, catalog.unreadable.size]).toEqual([0, 0]);
  });

  it('leaves a file alone that cannot even be looked at', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old' });
    const stat = vault.stat.bind(vault);
    let looks = 0;
    vault.stat = () => ((looks += 1), Promise.reject(new Error('EACCES')));
    vault.outside(MTU, 'new');
    await refreshCatalog(reading);
    await refreshCatalog(reading);
    expect(looks).toBe(1);
    vault.stat = stat;
    reading.clock.advance(REST);
    await refreshCatalog(reading);
    expect(catalog.record(MTU)?.excerpt).toBe('new');
  });

  it('reads a file at once that failed and has changed since', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old' });
    const broken = new Set<string>([MTU]);
    const reads = breaking(vault, broken);
    vault.outside(MTU, 'one');
    await refreshCatalog(reading);
    vault.outside(MTU, 'two');
    broken.clear();
    await refreshCatalog(reading);
    expect(reads).toEqual([MTU, MTU]);
    expect(catalog.record(MTU)?.excerpt).toBe('two');
    expect([catalog.dirtyCount, catalog.unreadable.size]).toEqual([0, 0]);
  });

  it('reads a file again that changes while it fails', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old' });
    const read = vault.read.bind(vault);
    vault.read = async () => {
      vault.read = read;
      vault.outside(MTU, 'new');
      throw new Error('EBUSY');
    };
    vault.outside(MTU, 'half');
    await refreshCatalog(reading);
    expect(catalog.record(MTU)?.excerpt).toBe('new');
    expect([catalog.dirtyCount, catalog.unreadable.size]).toEqual([0, 0]);
  });

  it('does not wait for many files again because reading them took longer than they rest', async () => {
    const paths = Array.from({ length: 40 }, (_, n) => `raw/n${n}.md`);
    const { vault, catalog, reading } = await open(Object.fromEntries(paths.map((path) => [path, 'old'])));
    let reads = 0;
    vault.read = async () => {
      reads += 1;
      reading.clock.advance(1000);
      throw new Error('ETIMEDOUT');
    };
    for (const path of paths) vault.outside(path, 'new');
    await refreshCatalog(reading);
    await refreshCatalog(reading);
    expect(reads).toBe(40);
    expect(catalog.dirtyCount).toBe(40);
  });

  it('tries a file again when the clock was set back', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old' });
    const broken = new Set<string>([MTU]);
    breaking(vault, broken);
    vault.outside(MTU, 'new');
    await refreshCatalog(reading);
    broken.clear();
    reading.clock.advance(-86_400_000);
    await refreshCatalog(reading);
    expect(catalog.record(MTU)?.excerpt).toBe('new');
  });

  it('drops a note that goes between the look at it and the reading', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old words' });
    const read = vault.read.bind(vault);
    vault.read = (path) => (vault.files.delete(path), read(path));
    vault.outside(MTU, 'new words');
    await refreshCatalog(reading);
    expect(catalog.record(MTU)).toBeUndefined();
    expect(catalog.taken(MTU)).toBeNull();
    expect(searchNotes(catalog, 'words', { limit: 5 })).toEqual([]);
    expect(catalog.dirtyCount).toBe(0);
  });

  it('reads a failing file once per change and rest, and knows all when nothing fails any more', async () => {
    const PATHS = [MTU, IDEA, 'wiki/net/facts/dns.md'];
    const step = fc.record({
      path: fc.constantFrom(...PATHS),
      kind: fc.constantFrom('write', 'write', 'remove', 'break', 'mend', 'nothing'),
      wait: fc.constantFrom(0, 0, 1, 2000, REST - 1, REST),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { vault, catalog, reading } = await open({ [MTU]: 'text' });
        const broken = new Set<string>();
        const reads = breaking(vault, broken);
        const failedAt = new Map<string, number>();
        const time = () => reading.clock.now().getTime();
        for (const [n, { path, kind, wait }] of steps.entries()) {
          if (kind === 'write') vault.outside(path, `text ${n}`);
          if (kind === 'remove') vault.outside(path, null);
          if (kind === 'write' || kind === 'remove') failedAt.delete(path);
          if (kind === 'break') broken.add(path);
          if (kind === 'mend') broken.delete(path);
          reading.clock.advance(wait);
          reads.splice(0);
          await refreshCatalog(reading);
          expect(new Set(reads).size).toBe(reads.length);
          for (const each of reads) {
            expect(time() - (failedAt.get(each) ?? -Infinity)).toBeGreaterThanOrEqual(REST);
            if (broken.has(each)) failedAt.set(each, time());
            else failedAt.delete(each);
          }
          const behind = PATHS.filter(
            (each) => catalog.record(vaultPath(each))?.excerpt !== vault.files.get(each),
          );
          expect(behind.filter((each) => !failedAt.has(each))).toEqual([]);
          expect(catalog.dirtyCount).toBe(failedAt.size);
        }
        broken.clear();
        reading.clock.advance(REST);
        await refreshCatalog(reading);
        expect(PATHS.map((each) => catalog.record(vaultPath(each))?.excerpt)).toEqual(
          PATHS.map((each) => vault.files.get(each)),
        );
        expect([catalog.dirtyCount, catalog.unreadable.size]).toEqual([0, 0]);
      }),
    );
  });

  it('forgets a note that has become no text', async () => {
    const { vault, catalog, reading } = await open({ [MTU]: 'old' });
    vault.read = () => Promise.reject(new BrainError('unsupported_type', 'not UTF-8'));
    vault.outside(MTU, 'bytes');
    await refreshCatalog(reading);
    expect(catalog.record(MTU)).toBeUndefined();
    expect(searchNotes(catalog, 'old', { limit: 5 })).toEqual([]);
    expect(catalog.dirtyCount).toBe(0);
  });
});

describe('what others changed', () => {
  async function heard(files: Readonly<Record<string, string>>) {
    const opened = await open(files);
    const told: string[] = [];
    opened.reading.outside.on(({ path, appeared, before, after }) => {
      told.push(`${path} ${before?.title} -> ${after?.title}${appeared ? ' (new)' : ''}`);
    });
    return { ...opened, told };
  }

  it('is told once it has been read: made, changed, removed', async () => {
    const { vault, reading, told } = await heard({ [MTU]: '# MTU', 'raw/idea.md': '# Idea' });
    vault.outside(MTU, '# Size');
    vault.outside('raw/idea.md', null);
    vault.outside('raw/other.md', '# Other');
    vault.outside('wiki/net/_index.md', '# net');
    expect(told).toEqual([]);
    await refreshCatalog(reading);
    await refreshCatalog(reading);
    expect(told.sort()).toEqual([
      'raw/idea.md Idea -> undefined',
      'raw/other.md undefined -> Other (new)',
      `${MTU} MTU -> Size`,
    ]);
  });

  it('is not told of the vault as it was opened, nor of what the catalog knows already', async () => {
    const { vault, catalog, reading, told } = await heard({ [MTU]: '# MTU' });
    vault.touch(MTU);
    vault.files.set('raw/ours.md', '# Ours');
    catalog.put(vaultPath('raw/ours.md'), '# Ours', { mtime: 1, size: 6 });
    vault.touch('raw/ours.md');
    await refreshCatalog(reading);
    expect(told).toEqual([]);
  });

  it('is not new where a file stood that could not be read before', async () => {
    const vault = createMemoryVault({ [MTU]: '# MTU' });
    const reading = readingOf(vault);
    const read = vault.read.bind(vault);
    vault.read = () => Promise.reject(new Error('EIO'));
    await loadCatalog(reading);
    const told: boolean[] = [];
    reading.outside.on(({ appeared }) => told.push(appeared));
    vault.read = read;
    reading.clock.advance(REST);
    await refreshCatalog(reading);
    expect(told).toEqual([false]);
  });
});

it('rests between notes, so that reading many holds the thread for no more than a slice', async () => {
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`raw/n${n}.md`, `note ${n}`]));
  const clock = fixedClock();
  let rests = 0;
  const breathe = async () => {
    rests += 1;
  };
  const pace = new Pace(breathe, { now: () => (clock.advance(1), clock.now()) });
  const reading = { ...readingOf(createMemoryVault(files)), pace };
  await loadCatalog(reading);
  expect(reading.catalog.notes()).toHaveLength(100);
  expect(rests).toBeGreaterThan(30);
});

it('reads a changed file once for all who come while it is being read', async () => {
  const { vault, catalog, reading } = await open({ [MTU]: 'old', 'raw/idea.md': 'idea' });
  const read = vault.read.bind(vault);
  const reads: string[] = [];
  vault.read = async (path) => {
    reads.push(path);
    await new Promise((resolve) => setImmediate(resolve));
    return read(path);
  };
  vault.outside(MTU, 'new');
  const first = refreshCatalog(reading);
  const others = Array.from({ length: 16 }, async () => {
    await refreshCatalog(reading);
    return catalog.record(MTU)?.excerpt;
  });
  // This one comes when the others have begun to read, and is for those who ask from now on.
  vault.outside('raw/idea.md', 'thought');
  const last = refreshCatalog(reading).then(() => catalog.record(vaultPath('raw/idea.md'))?.excerpt);
  await first;
  expect(await Promise.all(others)).toEqual(Array.from({ length: 16 }, () => 'new'));
  expect(await last).toBe('thought');
  expect(reads.sort()).toEqual(['raw/idea.md', MTU]);
});
