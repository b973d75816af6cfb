import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { VaultChange, VaultStore } from '../../src/core/ports/ports';
import { MAX_NOTE_BYTES } from '../../src/core/vocabulary/limits';
import { vaultPath } from '../../src/core/vocabulary/paths';
import { IS_NIGHT } from '../support/by-night';
import { diskImage, layOut } from '../support/disk-image';
import { createMemoryVault } from '../support/memory-vault';
import { openVault } from '../support/node-vault-subject';
import { type AppStores, imageOf, withDiskApp, withMemoryApp } from '../support/obsidian-subject';
import { describeWithCluster } from '../support/postgres-cluster';
import { describeWithPostgres } from '../support/postgres-server';
import { type Database, putShared, sharedImage, withSharedStores } from '../support/shared-stores';
import { silentLog } from '../support/silent-log';
import { withTempFolder } from '../support/temp-folder';

/** A store with a way to see and change its files from outside. */
interface Subject {
  readonly vault: VaultStore;
  /** Files with their texts, and folders with a trailing slash. */
  image(): Promise<Record<string, string>>;
  outside(at: string, text: string | null): Promise<void>;
}

type WithSubject = (
  files: Record<string, string>,
  work: (subject: Subject) => Promise<void>,
) => Promise<void>;

const withMemory: WithSubject = async (files, work) => {
  const vault = createMemoryVault(files);
  await work({
    vault,
    image: async () => {
      const folders = [...vault.folders].map((folder) => [`${folder}/`, '']);
      return Object.fromEntries([...folders, ...vault.files]);
    },
    outside: async (at, text) => vault.outside(at, text),
  });
};

const withNode: WithSubject = (files, work) => withNodeVault(files, work, false);

const withNodeVault = (...[files, work, watched]: [...Parameters<WithSubject>, boolean]): Promise<void> =>
  withTempFolder(async (root) => {
    await layOut(root, files);
    const vault = await openVault(root, { device: 'test', ...(watched && { watch: silentLog() }) });
    try {
      await work({
        vault,
        image: async () => {
          const image = Object.entries(await diskImage(root));
          return Object.fromEntries(image.filter(([at]) => !at.startsWith('.brain/')));
        },
        outside: async (at, text) => {
          if (text === null) await rm(path.join(root, at));
          else await writeFile(path.join(root, at), text);
        },
      });
    } finally {
      await vault.close();
    }
  });

const inApp = ({ host, vault }: AppStores): Subject => ({
  vault,
  image: () => imageOf(host.storage),
  outside: (at, text) => host.outside(at, text),
});

const withObsidian: WithSubject = (files, work) => withMemoryApp(files, (stores) => work(inApp(stores)));

const withObsidianOnDisk: WithSubject = (files, work) => withDiskApp(files, (stores) => work(inApp(stores)));

/** Listens to a vault; `until` resolves when a change like that has been told. */
function collectChanges(vault: VaultStore) {
  const seen: VaultChange[] = [];
  let wake = (): void => undefined;
  const stop = vault.changes((change) => {
    seen.push(change);
    wake();
  });
  const until = async (kind: VaultChange['kind'], at: string): Promise<void> => {
    while (!seen.some((change) => change.kind === kind && change.path === at)) {
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return { seen, stop, until };
}

const A = vaultPath('wiki/home/facts/a.md');
const B = vaultPath('wiki/home/facts/b.md');
const NEW = vaultPath('wiki/new/decisions/c.md');
const SCAN = vaultPath('inbox/scan.png');
const NO_TEXT = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe]);

describe.each<[string, WithSubject, WithSubject]>([
  ['memory', withMemory, withMemory],
  ['Node', withNode, (files, work) => withNodeVault(files, work, true)],
  ['Obsidian, in memory', withObsidian, withObsidian],
  ['Obsidian, on disk', withObsidianOnDisk, withObsidianOnDisk],
])('VaultStore in %s', (_, withSubject, withWatchedSubject) => contract(withSubject, withWatchedSubject));

describeWithCluster('VaultStore behind pgbouncer, with a standby', inTables);

// What goes through the pooler and waits for the standby goes to a server of its own too.
if (IS_NIGHT) describeWithPostgres('VaultStore in tables of Postgres', inTables);

function inTables(server: () => Database): void {
  const withShared: WithSubject = (files, work) =>
    withSharedStores(server(), async ([mine, other]) => {
      const hidden = Object.keys(files).filter((at) => /(?:^|\/)\./.test(at));
      // The vault itself makes none, but an import brings some.
      for (const at of hidden) {
        const name = `'${at.replaceAll("'", "''")}'`;
        server().sql(
          mine.database,
          `INSERT INTO brain.files (path, folded, body) VALUES (${name}, ${name}, 'x')`,
        );
      }
      for (const [at, text] of Object.entries(files))
        if (!hidden.includes(at)) await putShared(other.vault, at, text);
      await work({
        vault: mine.vault,
        image: () => sharedImage(server(), mine.database),
        outside: (at, text) => putShared(other.vault, at, text),
      });
    });
  contract(withShared, withShared);
}

function contract(withSubject: WithSubject, withWatchedSubject: WithSubject): void {
  it('reads what stands there, byte for byte, and null where nothing does', () =>
    withSubject({ [A]: '\uFEFFa\r\nß 東京\n', [B]: '' }, async ({ vault }) => {
      expect(await vault.read(A)).toBe('\uFEFFa\r\nß 東京\n');
      expect(await vault.read(B)).toBe('');
      expect(await vault.read(NEW)).toBeNull();
      expect(await vault.read(vaultPath('wiki/home/facts'))).toBeNull();
    }));

  it('reads many as it reads one, where it can', () =>
    withSubject({ [A]: '\uFEFFa ß', [B]: '' }, async ({ vault }) => {
      await vault.createBytes(SCAN, NO_TEXT);
      const texts = await vault.readMany?.([B, NEW, SCAN, A]);
      expect([undefined, [A, B]]).toContainEqual(texts && [...texts.keys()].sort());
      for (const [at, text] of texts ?? []) expect(text).toBe(await vault.read(at));
    }));

  it('reads no note of more bytes than a note may have, and a map of as many', () => {
    const text = 'a'.repeat(MAX_NOTE_BYTES + 1);
    const map = vaultPath('wiki/home/_index.md');
    return withSubject({ [A]: text, [B]: text.slice(1), [map]: text }, async ({ vault }) => {
      await expect(vault.read(A)).rejects.toMatchObject({ code: 'unsupported_type', details: { path: A } });
      await expect(vault.edit(A, () => 'x')).rejects.toMatchObject({ code: 'unsupported_type' });
      expect((await vault.stat(A))?.size).toBe(text.length);
      expect((await vault.read(B))?.length).toBe(MAX_NOTE_BYTES);
      expect((await vault.read(map))?.length).toBe(text.length);
    });
  }, 120_000);

  it('tells time and size of a file, and null for anything else', () =>
    withSubject({ [A]: 'ßß' }, async ({ vault, outside }) => {
      const first = await vault.stat(A);
      expect(first?.size).toBe(4);
      expect(await vault.stat(NEW)).toBeNull();
      expect(await vault.stat(vaultPath('wiki/home'))).toBeNull();
      await outside(A, 'longer');
      expect(await vault.stat(A)).not.toEqual(first);
    }));

  it('tells when a file was made, also after it was written anew', () =>
    withSubject({ [A]: 'a' }, async ({ vault, outside }) => {
      const first = await vault.stat(A);
      expect(first?.born).toBeLessThanOrEqual(first?.mtime ?? 0);
      await outside(A, 'longer');
      expect(await vault.stat(A)).toMatchObject({ born: first?.born });
      const listed = [];
      for await (const file of vault.list('')) if (file.path === A) listed.push(file);
      expect(listed).toMatchObject([{ born: first?.born }]);
    }));

  it.each([
    ['a name', `wiki/home/facts/${'a'.repeat(260)}.md`],
    ['the name of a folder', `wiki/${'東'.repeat(90)}/facts/a.md`],
    ['a path', `wiki/${'a/'.repeat(3000)}a.md`],
  ])('takes %s that is longer than any disk has for one that is not there', (_name, long) =>
    withSubject({ [A]: 'a' }, async ({ vault, image }) => {
      const [at, before] = [vaultPath(long), await image()];
      expect(await vault.stat(at)).toBeNull();
      expect(await vault.read(at)).toBeNull();
      expect(await vault.readBytes(at, 10)).toBeNull();
      expect(await vault.edit(at, () => 'made')).toBe(false);
      expect(await vault.move(at, NEW)).toBe(false);
      expect(await vault.missingFolders(at)).toEqual(expect.any(Array));
      expect(await image()).toEqual(before);
    }),
  );

  it('creates a file with its folders', () =>
    withSubject({ [A]: 'a' }, async ({ vault, image }) => {
      expect(await vault.create(NEW, 'neu ß')).toBe(true);
      expect(await image()).toMatchObject({ [A]: 'a', [NEW]: 'neu ß', 'wiki/new/decisions/': '' });
    }));

  it('creates nothing, not even a folder, when the path is taken', () =>
    withSubject({ [A]: 'a' }, async ({ vault, image }) => {
      const before = await image();
      expect(await vault.create(A, 'other')).toBe(false);
      expect(await image()).toEqual(before);
    }));

  it('keeps bytes of any kind as they are, in a file of its own', () =>
    withSubject({ [A]: 'ß' }, async ({ vault, image }) => {
      const within = new Uint8Array([1, ...NO_TEXT, 2]).subarray(1, NO_TEXT.length + 1);
      expect(await vault.createBytes(SCAN, within)).toBe(true);
      expect(await vault.readBytes(SCAN, NO_TEXT.length)).toEqual(NO_TEXT);
      expect((await vault.stat(SCAN))?.size).toBe(NO_TEXT.length);
      expect(await vault.readBytes(A, 10)).toEqual(new TextEncoder().encode('ß'));
      expect(await vault.readBytes(NEW, 10)).toBeNull();
      expect(await vault.readBytes(vaultPath('wiki/home'), 10)).toBeNull();
      expect(await vault.createBytes(vaultPath('inbox/empty.png'), new Uint8Array())).toBe(true);
      expect((await image())['inbox/empty.png']).toBe('');
    }));

  it('gives bytes that are the caller’s own', () =>
    withSubject({ [A]: 'abc' }, async ({ vault }) => {
      (await vault.readBytes(A, 10))?.fill(0);
      expect(await vault.read(A)).toBe('abc');
    }));

  it('refuses to read more bytes than are wanted', () =>
    withSubject({ [A]: 'abcd' }, async ({ vault }) => {
      expect(await vault.readBytes(A, 4)).toHaveLength(4);
      await expect(vault.readBytes(A, 3)).rejects.toMatchObject({ code: 'too_large', details: { limit: 3 } });
    }));

  it('makes no file of bytes, and no folder, where the path is taken or leads through a file', () =>
    withSubject({ [A]: 'a' }, async ({ vault, image }) => {
      const before = await image();
      expect(await vault.createBytes(A, NO_TEXT)).toBe(false);
      await expect(vault.createBytes(vaultPath(`${A}/b.png`), NO_TEXT)).rejects.toMatchObject({
        code: 'path_not_allowed',
      });
      expect(await image()).toEqual(before);
    }));

  it('moves a file, bytes and all, making the folders', () =>
    withSubject({ [A]: 'a' }, async ({ vault, image }) => {
      await vault.createBytes(SCAN, NO_TEXT);
      const done = vaultPath('inbox/processed/2026-11-20/scan.png');
      expect(await vault.move(SCAN, done)).toBe(true);
      expect(await vault.readBytes(done, 100)).toEqual(NO_TEXT);
      expect(await vault.stat(SCAN)).toBeNull();
      expect(Object.keys(await image())).toEqual(expect.arrayContaining([A, 'inbox/processed/2026-11-20/']));
      expect(await vault.move(done, SCAN)).toBe(true);
      expect(await vault.readBytes(SCAN, 100)).toEqual(NO_TEXT);
    }));

  it('gives up the first path only when what it waits for is done, and not when that failed', () =>
    withSubject({ [A]: 'a' }, async ({ vault, image }) => {
      const before = await image();
      const failing = Promise.reject(new Error('The disk is full.'));
      failing.catch(() => undefined);
      await expect(vault.move(A, vaultPath('inbox/processed/a.md'), failing)).rejects.toThrow('disk is full');
      expect(await image()).toEqual(before);

      let done = (): void => undefined;
      const noted = new Promise<void>((resolve) => (done = resolve));
      const moved = vault.move(A, NEW, noted);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await vault.read(A)).toBe('a');
      done();
      expect(await moved).toBe(true);
      expect([await vault.read(A), await vault.read(NEW)]).toEqual([null, 'a']);
    }));

  it.each([
    ['the name is taken', A, B],
    ['it is moved to where it is', A, A],
    ['there is no such file', NEW, vaultPath('knowledge/old/c.md')],
    ['it is a folder', vaultPath('wiki/home'), vaultPath('knowledge/home')],
    ['the new folder is not there and the file neither', NEW, vaultPath('a/b/c.md')],
  ])('moves nothing, and makes no folder, when %s', (_, from, to) =>
    withSubject({ [A]: 'a', [B]: 'b' }, async ({ vault, image }) => {
      const before = await image();
      expect(await vault.move(from, to)).toBe(false);
      expect(await image()).toEqual(before);
    }),
  );

  it('refuses to move a file below another', () =>
    withSubject({ [A]: 'a', [B]: 'b' }, async ({ vault, image }) => {
      const before = await image();
      const below = vault.move(A, vaultPath(`${B}/a.md`));
      await expect(below).rejects.toMatchObject({ code: 'path_not_allowed' });
      expect(await image()).toEqual(before);
    }));

  it('lets only one of several have a name that they move to', () =>
    withSubject({ [A]: 'a', [B]: 'b' }, async ({ vault, image }) => {
      const won = await Promise.all([A, B].map((from) => vault.move(from, NEW)));
      expect(won.filter(Boolean)).toHaveLength(1);
      const left = won[0] === true ? { [B]: 'b', [NEW]: 'a' } : { [A]: 'a', [NEW]: 'b' };
      expect(Object.fromEntries(Object.entries(await image()).filter(([at]) => !at.endsWith('/')))).toEqual(
        left,
      );
    }));

  it('does other work while it creates, each piece once and in order, and has done it when it is through', () =>
    withSubject({ [A]: 'a' }, async ({ vault, image }) => {
      const done: string[] = [];
      const pieces = (name: string) => [1, 2, 3].map((piece) => () => void done.push(`${name}${piece}`));
      expect(await vault.create(NEW, 'new', pieces('made '))).toBe(true);
      // Which pieces an adapter has time for is its own affair.
      expect(['made 1', 'made 2', 'made 3'].filter((each) => done.includes(each))).toEqual(done);
      const before = [...done];
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(done).toEqual(before);
      expect(await vault.create(B, 'b', [])).toBe(true);
      expect(await image()).toMatchObject({ [A]: 'a', [B]: 'b', [NEW]: 'new' });
    }));

  it('lets only one of several creators have the path', () =>
    withSubject({}, async ({ vault, image }) => {
      const texts = ['1', '2', '3', '4', '5'];
      const won = await Promise.all(texts.map((text) => vault.create(NEW, text)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect((await image())[NEW]).toBe(texts[won.indexOf(true)]);
    }));

  it('refuses a path that leads through a file', () =>
    withSubject({ 'wiki/home': 'a file' }, async ({ vault, image }) => {
      const before = await image();
      await expect(vault.create(A, 'a')).rejects.toMatchObject({ code: 'path_not_allowed' });
      expect(await image()).toEqual(before);
    }));

  it('edits by what stands there at that moment', () =>
    withSubject({ [A]: 'one' }, async ({ vault, image }) => {
      expect(await vault.edit(A, (old) => `${old} two`)).toBe(true);
      expect((await image())[A]).toBe('one two');
    }));

  it('leaves a file alone when the edit says so, and when there is none', () =>
    withSubject({ [A]: 'one' }, async ({ vault, image }) => {
      const before = await image();
      expect(await vault.edit(A, () => null)).toBe(false);
      expect(await vault.edit(NEW, () => 'made')).toBe(false);
      expect(await image()).toEqual(before);
    }));

  it('passes on what an edit throws, with nothing changed', () =>
    withSubject({ [A]: 'one' }, async ({ vault, image }) => {
      const edit = vault.edit(A, () => {
        throw new Error('stop');
      });
      await expect(edit).rejects.toThrow('stop');
      expect((await image())[A]).toBe('one');
    }));

  it('removes a file but not its folder, and does not mind that there is none', () =>
    withSubject({ [A]: 'a' }, async ({ vault, image }) => {
      await vault.remove(A);
      await vault.remove(A);
      await vault.remove(NEW);
      expect(await image()).toEqual({ 'wiki/': '', 'wiki/home/': '', 'wiki/home/facts/': '' });
    }));

  it('removes a file only while it holds what was read there, when told what that was', () =>
    withSubject({ [A]: 'a' }, async ({ vault, image, outside }) => {
      await outside(A, 'theirs');
      expect(await vault.remove(A, 'a')).toBe(false);
      expect((await image())[A]).toBe('theirs');
      expect(await vault.remove(A, 'theirs')).toBe(true);
      expect(await vault.remove(A, 'theirs')).toBe(true);
      expect(A in (await image())).toBe(false);
    }));

  it.each([true, false])('makes and replaces a derived file (durable: %s)', (durable) =>
    withSubject({}, async ({ vault, image }) => {
      expect(await vault.putDerived(NEW, 'first', { was: null, durable })).toBe(true);
      expect(await vault.putDerived(NEW, '', { was: 'first', durable })).toBe(true);
      expect(await vault.putDerived(NEW, 'second', { was: '', durable })).toBe(true);
      expect((await image())[NEW]).toBe('second');
    }),
  );

  it.each<[string, Record<string, string>, string | null]>([
    ['another text stands there', { [A]: 'by hand' }, 'map'],
    ['a line feed has come', { [A]: 'map\n' }, 'map'],
    ['it is empty now', { [A]: '' }, 'map'],
    ['it has been made meanwhile', { [A]: 'by hand' }, null],
    ['it has been removed meanwhile', { [B]: 'b' }, 'map'],
    ['its folder is gone as well', {}, 'map'],
  ])('leaves a derived file alone when %s', (_, files, was) =>
    withSubject(files, async ({ vault, image }) => {
      const before = await image();
      for (const durable of [true, false]) {
        expect(await vault.putDerived(A, 'newer map', { was, durable })).toBe(false);
      }
      expect(await image()).toEqual(before);
    }),
  );

  it('replaces a derived file that begins with a byte order mark', () =>
    withSubject({ [A]: '\uFEFFmap' }, async ({ vault, image }) => {
      const derived = { was: await vault.read(A), durable: false };
      expect(await vault.putDerived(A, '\uFEFFnewer map', derived)).toBe(true);
      expect((await image())[A]).toBe('\uFEFFnewer map');
    }));

  it('appends, making the file when there is none', () =>
    withSubject({}, async ({ vault, image }) => {
      const log = vaultPath('sessions/2026-11.test.jsonl');
      await vault.append(log, '{"a":1}\n');
      await vault.append(log, '{"b":2}\n');
      expect((await image())[log]).toBe('{"a":1}\n{"b":2}\n');
    }));

  it('lists every file below a folder but hidden, temporary and conflict files', () => {
    const noise = [
      'wiki/.hidden.md',
      'wiki/.obsidian/app.json',
      'wiki/.trash/old.md',
      'wiki/.~a.md',
      'wiki/~$a.docx',
      'wiki/desktop.ini',
      'wiki/.DS_Store',
      'wiki/a.md.icloud',
      'wiki/a.sync-conflict-20261120-103200-ABCDEFG.md',
      "wiki/a (Anna's conflicted copy 2026-11-20).md",
      'wiki/a (Conflicted copy laptop 202611201032).md',
    ];
    const files = Object.fromEntries(
      [A, B, 'wiki/x.canvas', 'knowledge/k.md', ...noise].map((at) => [at, 'x']),
    );
    return withSubject(files, async ({ vault }) => {
      const listed = [];
      for await (const entry of vault.list('wiki')) listed.push(entry);
      expect(listed.map((entry) => entry.path).sort()).toEqual([A, B, 'wiki/x.canvas']);
      for (const { path: at, ...stat } of listed) expect(stat).toEqual(await vault.stat(at));
      const everything = [];
      for await (const entry of vault.list('')) everything.push(entry.path);
      expect(everything.sort()).toEqual(['knowledge/k.md', A, B, 'wiki/x.canvas']);
    });
  });

  it('lists nothing of a folder that is not there', () =>
    withSubject({}, async ({ vault }) => {
      for await (const entry of vault.list('wiki')) throw new Error(entry.path);
      expect(await vault.missingFolders(A)).toEqual(['wiki', 'wiki/home', 'wiki/home/facts']);
    }));

  it('names the folders that a path lacks, and removes those that stand empty', () =>
    withSubject({ [A]: 'a' }, async ({ vault, image }) => {
      expect(await vault.missingFolders(B)).toEqual([]);
      const folders = await vault.missingFolders(NEW);
      expect(folders).toEqual(['wiki/new', 'wiki/new/decisions']);
      const before = await image();
      await vault.create(NEW, 'c');
      await vault.removeEmptyFolders(folders);
      expect(await vault.read(NEW)).toBe('c');
      await vault.remove(NEW);
      await vault.removeEmptyFolders(folders);
      await vault.removeEmptyFolders([...folders, 'wiki/home']);
      expect(await image()).toEqual(before);
    }));

  it('names the folders directly below one, empty ones too, without ignored ones', () =>
    withSubject({ [A]: 'a', 'wiki/loose.md': 'x', 'wiki/.hidden/x.md': 'x' }, async ({ vault, image }) => {
      const passing = [vaultPath('wiki/Net Work/facts/n.md'), vaultPath('wiki/Grün/x.md')];
      const ignored = vaultPath('wiki/a (conflicted copy 2026-11-20)/x.md');
      for (const at of [...passing, ignored]) await vault.create(at, 'x');
      for (const at of passing) await vault.remove(at);
      expect((await vault.subfolders('wiki')).sort()).toEqual(['Grün', 'Net Work', 'home']);
      expect(await vault.subfolders('wiki/Net Work')).toEqual(['facts']);
      for (const none of ['wiki/home/facts', 'wiki/gone', 'knowledge'])
        expect(await vault.subfolders(none)).toEqual([]);
      expect(await image()).toMatchObject({ 'wiki/Net Work/facts/': '' });
    }));

  it('tells of changes from outside until unsubscribed', () =>
    withWatchedSubject({ [A]: 'a', [B]: 'b' }, async ({ vault, outside }) => {
      const first = collectChanges(vault);
      const second = collectChanges(vault);
      await outside(A, 'changed');
      await first.until('changed', A);
      await outside(B, null);
      await first.until('removed', B);
      first.stop();
      const before = first.seen.length;
      await outside(B, 'back');
      await second.until('changed', B);
      expect(first.seen).toHaveLength(before);
    }));
}
