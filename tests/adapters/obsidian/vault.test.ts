import { TFile } from 'obsidian';
import { durableOf } from '../../../src/adapters/obsidian/durable';
import { createVault, readText } from '../../../src/adapters/obsidian/vault';
import type { VaultChange, VaultStore } from '../../../src/core/ports/ports';
import { sanitiseWing } from '../../../src/core/vocabulary/address';
import { MAX_NOTE_BYTES } from '../../../src/core/vocabulary/limits';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { wingIndexText } from '../../../src/core/wings/map';
import { createHost } from '../../obsidian/index';
import { MemoryStorage } from '../../obsidian/storage/memory';
import { faultyStorage, type StorageFault } from '../../support/faulty-storage';
import { createMemoryState } from '../../support/memory-state';
import { DEVICE, imageOf, openApp, withMemoryApp } from '../../support/obsidian-subject';

const A = vaultPath('wiki/home/facts/a.md');
const B = vaultPath('wiki/home/facts/b.md');

describe('a name that is taken', () => {
  it.each([
    ['by one that differs in case', 'wiki/home/facts/A.md', A],
    ['by one that looks the same', 'wiki/home/facts/caf\u00e9.md', 'wiki/home/facts/cafe\u0301.md'],
    ['by one that Windows takes for the same', 'wiki/home/facts/STRASSE.md', 'wiki/home/facts/straße.md'],
    ['by a folder', 'wiki/home/facts/a.md/b.md', A],
  ])('%s is refused, with nothing made', (_, standing, wanted) =>
    withMemoryApp({ [standing]: 'x' }, async ({ vault, host }) => {
      const before = await imageOf(host.storage);
      expect(await vault.create(vaultPath(wanted), 'other')).toBe(false);
      expect(await vault.createBytes(vaultPath(wanted), new Uint8Array([1]))).toBe(false);
      expect(await imageOf(host.storage)).toEqual(before);
    }),
  );

  it('is refused where the disk knows no case', () =>
    withMemoryApp(
      { 'wiki/home/facts/A.md': 'x' },
      async ({ vault, host }) => {
        expect(await vault.create(A, 'other')).toBe(false);
        expect(await imageOf(host.storage)).toMatchObject({ 'wiki/home/facts/A.md': 'x' });
      },
      { caseInsensitive: true },
    ));

  it('is refused when the app has not yet seen what stands there', () =>
    withMemoryApp({ [A]: 'x' }, async ({ vault, host }) => {
      await host.outside(B, 'from elsewhere');
      expect(host.app.vault.getFileByPath(B)).toBeNull();
      expect(await vault.create(B, 'ours')).toBe(false);
      await host.settle();
      expect(await vault.read(B)).toBe('from elsewhere');
    }));
});

it.each([
  ['append', (vault: VaultStore) => vault.append(B, 'ours')],
  [
    'putDerived',
    async (vault: VaultStore) => vault.putDerived(B, 'ours', { was: await vault.read(B), durable: true }),
  ],
])('%s leaves alone what the app has not yet seen', (_, act) =>
  withMemoryApp({ [A]: 'x' }, async ({ vault, host }) => {
    await host.outside(B, '');
    await expect(act(vault)).rejects.toMatchObject({ code: 'busy' });
    expect(await host.textOf(B)).toBe('');
    await host.settle();
    await act(vault);
    expect(await vault.read(B)).toBe('ours');
  }),
);

it('says which folder is in the way where the disk knows no case', () =>
  withMemoryApp(
    { 'Inbox/mine.md': 'x' },
    async ({ vault, host }) => {
      const before = await imageOf(host.storage);
      await expect(vault.create(vaultPath('inbox/new/a.md'), 'a')).rejects.toMatchObject({
        code: 'path_not_allowed',
        message: expect.stringContaining('"Inbox" takes its place'),
      });
      expect(await imageOf(host.storage)).toEqual(before);
    },
    { caseInsensitive: true },
  ));

it('asks to come back when a folder has appeared that the app has not seen', () =>
  withMemoryApp({ [A]: 'x' }, async ({ vault, host }) => {
    await host.storage.mkdir('raw');
    await expect(vault.create(vaultPath('raw/a.md'), 'a')).rejects.toMatchObject({ code: 'busy' });
    await host.app.vault.adapter.mkdir('raw');
    await host.settle();
    expect(await vault.create(vaultPath('raw/a.md'), 'a')).toBe(true);
  }));

describe('a folder of which the app does not hear while it makes it', () => {
  const NEW = vaultPath('raw/a.md');

  it('is left alone when somebody else has made it in the same moment', () =>
    withMemoryApp({ [A]: 'x' }, async ({ vault, host }) => {
      const make = host.app.vault.createFolder.bind(host.app.vault);
      host.app.vault.createFolder = async (at) => {
        await host.storage.mkdir(at);
        return make(at);
      };
      await expect(vault.create(NEW, 'a')).rejects.toMatchObject({ code: 'busy' });
      expect(await imageOf(host.storage)).toHaveProperty(['raw/'], '');
    }));

  it('is taken back when it was made and not looked at, so that the next try makes it', () =>
    withMemoryApp({ [A]: 'x' }, async ({ vault, host }) => {
      const before = await imageOf(host.storage);
      const make = host.app.vault.createFolder;
      host.app.vault.createFolder = async (at) => {
        await host.storage.mkdir(at);
        throw Object.assign(new Error('EIO: i/o error, stat'), { code: 'EIO' });
      };
      await expect(vault.create(NEW, 'a')).rejects.toMatchObject({ code: 'EIO' });
      expect(await imageOf(host.storage)).toEqual(before);
      host.app.vault.createFolder = make;
      expect(await vault.create(NEW, 'a')).toBe(true);
    }));
});

it.each(['.obsidian/app.json', 'wiki/.a.md', '../a.md', 'wiki/../../a.md', '/a.md', 'a//b.md', '', 'a/'])(
  'lets nothing reach %p',
  (path) =>
    withMemoryApp({ [A]: 'x', '.obsidian/app.json': '{}' }, async ({ vault }) => {
      const at = vaultPath(path);
      for (const call of [
        () => vault.read(at),
        () => vault.stat(at),
        () => vault.create(at, 'x'),
        () => vault.edit(at, () => 'x'),
        () => vault.readBytes(at, 10),
        () => vault.createBytes(at, new Uint8Array()),
        () => vault.move(at, B),
        () => vault.move(A, at),
        () => vault.remove(at),
        () => vault.putDerived(at, 'x', { was: null, durable: true }),
        () => vault.append(at, 'x'),
        () => vault.missingFolders(at),
        () => vault.subfolders(at),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'path_not_allowed' });
      }
    }),
);

describe('text', () => {
  it('that is not UTF-8 is refused, and left as it is', async () => {
    const bytes = new Uint8Array([0x61, 0xff, 0xfe, 0x62]);
    await withMemoryApp({ [A]: 'x' }, async ({ vault, host }) => {
      await host.outside(A, bytes);
      await expect(vault.read(A)).rejects.toMatchObject({ code: 'unsupported_type' });
      await expect(vault.edit(A, () => 'other')).rejects.toMatchObject({ code: 'unsupported_type' });
      expect(await host.storage.read(A)).toEqual(bytes);
    });
  });

  it.each([true, false])('keeps its byte order mark (the app strips it: %s)', (processStripsBom) =>
    withMemoryApp(
      { [A]: '\uFEFFone\r\n' },
      async ({ vault, host }) => {
        expect(await vault.read(A)).toBe('\uFEFFone\r\n');
        let seen = '';
        expect(await vault.edit(A, (old) => `${(seen = old)}two`)).toBe(true);
        expect(seen).toBe('\uFEFFone\r\n');
        expect(await imageOf(host.storage)).toMatchObject({ [A]: '\uFEFFone\r\ntwo' });
      },
      { settings: { processStripsBom } },
    ),
  );
});

describe('an edit', () => {
  /** Lets something happen between the reading of the text and the app's own turn, so often. */
  function interrupt(
    vault: { process: unknown },
    times: number,
    between: (count: number) => Promise<void>,
  ): void {
    const process = vault.process;
    if (typeof process !== 'function') throw new Error('There is nothing to interrupt.');
    let count = 0;
    vault.process = async (...args: unknown[]) => {
      if (count < times) await between((count += 1));
      return Reflect.apply(process, vault, args);
    };
  }

  it('sees the text as it is in the moment of writing', () =>
    withMemoryApp({ [A]: 'one' }, async ({ vault, host }) => {
      interrupt(host.app.vault, 1, () => host.outside(A, 'two'));
      expect(await vault.edit(A, (old) => `${old}, edited`)).toBe(true);
      expect(await imageOf(host.storage)).toMatchObject({ [A]: 'two, edited' });
    }));

  it('gives up when someone else keeps writing', () =>
    withMemoryApp({ [A]: 'one' }, async ({ vault, host }) => {
      interrupt(host.app.vault, Infinity, (count) => host.outside(A, `typed ${count}`));
      await expect(vault.edit(A, (old) => `${old}, edited`)).rejects.toMatchObject({ code: 'busy' });
      expect((await imageOf(host.storage))[A]).toMatch(/^typed \d$/);
    }));

  it('finds no file that was removed meanwhile', () =>
    withMemoryApp({ [A]: 'one' }, async ({ vault, host }) => {
      await host.storage.remove(A);
      expect(await vault.edit(A, () => 'two')).toBe(false);
      expect(await vault.read(A)).toBeNull();
      expect(await vault.stat(A)).toBeNull();
    }));

  it('goes through the app, so that editors and caches hear of it', () =>
    withMemoryApp({ [A]: 'one' }, async ({ vault, host }) => {
      const heard: string[] = [];
      host.app.vault.on('modify', (file) => heard.push(`modify ${file.path}`));
      host.app.vault.on('create', (file) => heard.push(`create ${file.path}`));
      const file = host.app.vault.getFileByPath(A);
      if (file === null) throw new Error('The file is not known.');
      await host.app.vault.cachedRead(file);
      await vault.edit(A, () => 'two');
      await vault.create(B, 'b');
      expect(heard).toEqual([`modify ${A}`, `create ${B}`]);
      expect(await host.app.vault.cachedRead(file)).toBe('two');
    }));
});

describe('a removal', () => {
  it.each([
    ['system', { '.trash': [], system: [A] }],
    ['local', { '.trash': ['.trash/a.md'], system: [] }],
    ['none', { '.trash': [], system: [] }],
  ] as const)('goes where the person has chosen (%s)', (trash, expected) =>
    withMemoryApp(
      { [A]: 'a' },
      async ({ vault, host }) => {
        await vault.remove(A);
        expect(await vault.read(A)).toBeNull();
        expect((await host.paths(true)).filter((path) => path.startsWith('.trash'))).toEqual(
          expected['.trash'],
        );
        expect(host.systemTrash).toEqual(expected.system);
      },
      { settings: { trash } },
    ),
  );

  it('removes no folder, and nothing that the app has not seen', () =>
    withMemoryApp({ [A]: 'a' }, async ({ vault, host }) => {
      await expect(vault.remove(vaultPath('wiki/home'))).rejects.toMatchObject({ code: 'path_not_allowed' });
      await host.outside(B, 'b');
      await expect(vault.remove(B)).rejects.toMatchObject({ code: 'busy' });
      expect(await imageOf(host.storage)).toMatchObject({ [A]: 'a', [B]: 'b' });
    }));
});

it('makes a folder again that the app still shows although it is gone', () =>
  withMemoryApp({ [A]: 'a' }, async ({ vault, host }) => {
    await vault.remove(A);
    await host.storage.rmdir('wiki', true);
    expect(await vault.missingFolders(A)).toEqual(['wiki', 'wiki/home', 'wiki/home/facts']);
    expect(await vault.create(A, 'again')).toBe(true);
    await host.settle();
    expect(await vault.read(A)).toBe('again');
  }));

describe('changes', () => {
  function collect(vault: { changes(listener: (change: VaultChange) => void): () => void }) {
    const seen: string[] = [];
    const stop = vault.changes(({ kind, path }) => seen.push(`${kind} ${path}`));
    return { seen, stop, take: () => [...new Set(seen.splice(0))].sort() };
  }

  it('of the start of the app are not told: everything appears then', async () => {
    const storage = new MemoryStorage();
    const host = await createHost({ storage, files: { [A]: 'a' } });
    const { app } = host;
    const state = createMemoryState();
    const vault = createVault({ app, durable: durableOf(app.vault.adapter), state, device: 'test' });
    const { take, stop } = collect(vault);
    const other = collect(vault);
    other.stop();
    await host.layoutReady();
    expect(take()).toEqual([]);
    await host.outside(B, 'b');
    await host.settle();
    expect(take()).toEqual([`changed ${B}`]);
    expect(other.seen).toEqual([]);
    stop();
    expect(host.leaks().events).toEqual([]);
    host.dispose();
  });

  it.each([0, 3])('are told whoever made them, also more than once (%s times more)', (repeatedModify) =>
    withMemoryApp(
      { [A]: 'a', [B]: 'b' },
      async ({ vault, host }) => {
        const { take } = collect(vault);
        await host.outside(A, 'changed');
        await host.outside(B, null);
        await host.settle();
        expect(take()).toEqual([`changed ${A}`, `removed ${B}`]);
        await vault.edit(A, () => 'ours');
        await host.settle();
        expect(take()).toEqual([`changed ${A}`]);
      },
      { settings: { repeatedModify } },
    ),
  );

  it('tell a file that was moved as gone and come', () =>
    withMemoryApp({ [A]: 'a' }, async ({ vault, host }) => {
      const { take } = collect(vault);
      const file = host.app.vault.getFileByPath(A);
      if (file === null) throw new Error('The file is not known.');
      await host.app.vault.rename(file, B);
      expect(take()).toEqual([`changed ${B}`, `removed ${A}`]);
    }));

  it('tell every file of a folder that was moved, and of one that was deleted', () =>
    withMemoryApp({ [A]: 'a', [B]: 'b', 'wiki/home/c.md': 'c' }, async ({ vault, host }) => {
      const { take } = collect(vault);
      const { app } = host;
      const folder = app.vault.getFolderByPath('wiki/home');
      if (folder === null) throw new Error('The folder is not known.');
      await app.vault.rename(folder, 'wiki/house');
      const moved = ['c.md', 'facts/a.md', 'facts/b.md'];
      expect(take()).toEqual([
        ...moved.map((name) => `changed wiki/house/${name}`),
        ...moved.map((name) => `removed wiki/home/${name}`),
      ]);
      await app.fileManager.trashFile(folder);
      expect(take()).toEqual(moved.map((name) => `removed wiki/house/${name}`));
    }));

  it('name no file that never was, when a moved folder is told before what lies in it', () =>
    withMemoryApp({ [A]: 'a' }, async ({ vault, host }) => {
      const { take } = collect(vault);
      const { app } = host;
      const folder = app.vault.getFolderByPath('wiki/home');
      if (folder === null) throw new Error('The folder is not known.');
      folder.path = 'wiki/house';
      app.vault.trigger('rename', folder, 'wiki/home');
      expect(take()).toEqual([]);
    }));

  it('of hidden, temporary and conflict files are nobody’s business', () =>
    withMemoryApp({}, async ({ vault, host }) => {
      const { take } = collect(vault);
      for (const name of ['.hidden.md', '~$a.docx', 'a.sync-conflict-20261120-103200-ABCDEFG.md']) {
        await host.outside(`wiki/${name}`, 'x');
      }
      await host.settle();
      expect(take()).toEqual([]);
    }));
});

describe('a derived file that a person wrote into', () => {
  const INDEX = vaultPath('wiki/home/_index.md');

  const TEXT = 'my words and 橋';
  const bytes = new TextEncoder().encode(TEXT);

  /** The storage after a cut in the middle of replacing the file. */
  async function cut(left: Uint8Array): Promise<MemoryStorage> {
    const storage = new MemoryStorage();
    const { host, vault } = await openApp(storage, { files: { [INDEX]: 'my words' } });
    host.app.vault.process = async () => {
      await storage.write(INDEX, left);
      throw new Error('cut');
    };
    const derived = { was: 'my words', durable: true };
    await expect(vault.putDerived(INDEX, TEXT, derived)).rejects.toThrow('cut');
    host.dispose();
    return storage;
  }

  it.each([
    ['was emptied', bytes.slice(0, 0), TEXT],
    ['was cut off', bytes.slice(0, 11), TEXT],
    ['was cut off in the middle of a character', bytes.slice(0, -1), TEXT],
    ['is someone else’s by now', new TextEncoder().encode('other words'), 'other words'],
  ])('is whole again after a start when it %s', async (_, left, expected) => {
    const storage = await cut(left);
    const { host } = await openApp(storage);
    expect((await imageOf(storage))[INDEX]).toBe(expected);
    expect(Object.keys(await imageOf(storage, true)).filter((path) => path.endsWith('derived.json'))).toEqual(
      [],
    );
    host.dispose();
  });

  it('is left alone where it is no text and not the beginning of ours, and nothing else waits for it', async () => {
    const foreign = Uint8Array.from([...bytes.slice(0, 4), 0xe6]);
    const storage = await cut(foreign);
    const { host } = await openApp(storage);
    expect(await storage.read(INDEX)).toEqual(foreign);
    host.dispose();
  });

  it('leaves nothing to be settled when all went well', () =>
    withMemoryApp({ [INDEX]: 'my words' }, async ({ vault, host }) => {
      const derived = { was: 'my words', durable: true };
      expect(await vault.putDerived(INDEX, 'my words and the map', derived)).toBe(true);
      const everything = await imageOf(host.storage, true);
      expect(everything[INDEX]).toBe('my words and the map');
      expect(Object.keys(everything).filter((path) => path.endsWith('derived.json'))).toEqual([]);
    }));
});

describe('the map of a wing in which nobody has written', () => {
  const wing = sanitiseWing('橋');
  const INDEX = vaultPath('wiki/橋/_index.md');
  const mapOf = (...names: string[]) => ({
    wing,
    halls: [
      {
        hall: 'facts' as const,
        count: names.length,
        text: names.map((name) => `- [[wiki/橋/facts/${name}|${name}]] — 知識`).join('\n'),
      },
    ],
    tunnels: new Map(),
  });
  const [old, next] = [
    wingIndexText(null, mapOf('甲')).text,
    wingIndexText(null, mapOf('甲', '乙', '丙丁')).text,
  ];

  it.each<StorageFault>(['crash-before', 'crash-after', 'crash-emptied', 'crash-torn', 'error-torn'])(
    'can be read and made whole after a start, however it was cut (%s)',
    async (fault) => {
      for (const files of [{ [INDEX]: old }, { 'wiki/橋/facts.md': 'a note of the wing' }]) {
        // One letter more at a time, so that the half that is written ends in each part of a character.
        for (let more = 0; more < 6; more += 1) {
          const text = wingIndexText(null, mapOf('甲', '乙', `丙${'x'.repeat(more)}`)).text;
          const storage = faultyStorage(new MemoryStorage());
          const { host, vault } = await openApp(storage, { files });
          storage.arm(1, fault);
          const derived = { was: INDEX in files ? old : null, durable: false };
          await vault.putDerived(INDEX, text, derived).catch(() => undefined);
          expect(storage.hit).toBe(true);
          storage.disarm();
          host.dispose();
          const again = await openApp(storage.real);
          const { text: mended, handWritten } = wingIndexText(
            await again.vault.read(INDEX),
            mapOf('甲', '乙'),
          );
          expect([mended, handWritten]).toEqual([wingIndexText(null, mapOf('甲', '乙')).text, false]);
          again.host.dispose();
        }
      }
    },
  );

  it('is left alone where it is no text of ours', async () => {
    for (const bytes of [
      Uint8Array.from([...new TextEncoder().encode('Caf'), 0xe9]),
      Uint8Array.from([...new TextEncoder().encode(old), 0xe6]),
      Uint8Array.from([...new TextEncoder().encode(next.slice(0, -40)), 0xff]),
    ]) {
      const storage = new MemoryStorage();
      await storage.mkdir('wiki/橋');
      await storage.write(INDEX, bytes);
      const { host } = await openApp(storage);
      expect(await storage.read(INDEX)).toEqual(bytes);
      host.dispose();
    }
  });
});

describe('a file of bytes', () => {
  const AT = vaultPath('inbox/processed/2026-11-20/text-0a1b2c3d.txt');
  const bytes = new TextEncoder().encode('What somebody has sent, word for word. '.repeat(20));
  const faults: StorageFault[] = [
    'crash-before',
    'crash-after',
    'crash-emptied',
    'crash-torn',
    'error-before',
    'error-torn',
  ];

  it('is taken away where a loss of power has left zeros in the place of what was not on the disk, and only there', async () => {
    const zeros = (from: number): Uint8Array<ArrayBuffer> => {
      const left = bytes.slice();
      left.fill(0, from);
      return left;
    };
    const ending = Uint8Array.from([...bytes, 0, 0]);
    const cases: [whole: Uint8Array<ArrayBuffer>, left: Uint8Array<ArrayBuffer>, stays: boolean][] = [
      [bytes, zeros(0), false],
      [bytes, zeros(30), false],
      [bytes, zeros(bytes.length - 1), false],
      [bytes, zeros(70).slice(0, 100), false],
      [ending, ending, true],
      [ending, Uint8Array.from([...bytes.slice(0, -1), 0, 0, 0]), false],
      [bytes, new TextEncoder().encode('W'.repeat(bytes.length)), true],
      [bytes, Uint8Array.from([...new TextEncoder().encode('Another text'), 0, 0]), true],
    ];
    /** A vault in which the making was cut when the file stood and was remembered. */
    const cut = async (whole: Uint8Array<ArrayBuffer>) => {
      for (let call = 1; ; call += 1) {
        const storage = faultyStorage(new MemoryStorage());
        const { host, vault } = await openApp(storage, { files: { [A]: 'a' } });
        storage.arm(call, 'crash-after');
        await vault.createBytes(AT, whole).catch(() => undefined);
        expect(storage.hit).toBe(true);
        storage.disarm();
        host.dispose();
        const stands = Object.keys(await imageOf(storage.real, true));
        if (stands.includes(AT) && stands.some((path) => path.includes('new-bytes'))) return storage.real;
      }
    };
    for (const [whole, left, stays] of cases) {
      const storage = await cut(whole);
      await storage.write(AT, left);
      const again = await openApp(storage);
      expect(await again.vault.readBytes(AT, 1_000_000)).toEqual(stays ? left : null);
      again.host.dispose();
    }
  });

  it.each(faults)(
    'stands whole or not at all after a start, wherever making it was cut (%s)',
    async (fault) => {
      for (let call = 1; ; call += 1) {
        const storage = faultyStorage(new MemoryStorage());
        const { host, vault } = await openApp(storage, { files: { [A]: 'a' } });
        storage.arm(call, fault);
        const made = await vault.createBytes(AT, bytes).catch(() => false);
        const { hit } = storage;
        storage.disarm();
        host.dispose();
        const again = await openApp(storage.real);
        const stands = await again.vault.readBytes(AT, 1_000_000);
        if (made || stands !== null) expect(stands).toEqual(bytes);
        expect(
          Object.keys(await imageOf(storage.real, true)).filter((path) => path.includes('new-bytes')),
        ).toEqual([]);
        again.host.dispose();
        if (!hit) break;
      }
    },
  );

  it.each([
    ['another text', 'Quite another text.'],
    ['a longer text that begins like it', `${new TextDecoder().decode(bytes)} And more.`],
  ])('that somebody has put there after a cut is left alone: %s', async (_, foreign) => {
    let isCut = false;
    for (let call = 1; !isCut; call += 1) {
      const storage = faultyStorage(new MemoryStorage());
      const { host, vault } = await openApp(storage, { files: { [A]: 'a' } });
      storage.arm(call, 'crash-torn');
      await vault.createBytes(AT, bytes).catch(() => undefined);
      host.dispose();
      expect(storage.hit).toBe(true);
      isCut = (await storage.real.stat(AT)) !== null;
      if (!isCut) continue;
      await storage.real.write(AT, new TextEncoder().encode(foreign));
      const again = await openApp(storage.real);
      expect(await again.vault.read(AT)).toBe(foreign);
      again.host.dispose();
    }
  });
});

it('mends a map with a person’s words before the next one is written, when a write of it has failed', async () => {
  const INDEX = vaultPath('wiki/home/_index.md');
  const storage = faultyStorage(new MemoryStorage());
  const { host, vault, state } = await openApp(storage, { files: { [INDEX]: 'map, my words' } });
  for (let call = 1; ; call += 1) {
    storage.arm(call, 'error-torn');
    const text = `map ${call}, my words`;
    const was = await vault.read(INDEX);
    const failed = await vault.putDerived(INDEX, text, { was, durable: true }).then(
      () => false,
      () => true,
    );
    storage.disarm();
    // What is made from the beginning that is left must not take the place of the person's words.
    const seen = await vault.read(INDEX);
    const written = await vault.putDerived(INDEX, 'next, my words', { was: seen, durable: true });
    if (written) expect([was, text]).toContain(seen);
    else expect([failed, await vault.read(INDEX)]).toEqual([true, text]);
    if (!storage.hit) break;
  }
  expect((await state.list(`local.${DEVICE}`)).filter((at) => at.endsWith('derived.json'))).toEqual([]);
  host.dispose();
});

it('looks before an edit is written whether the vault is its own, and not only before the text is read', () =>
  withMemoryApp({ [A]: 'a' }, async ({ host: { app }, state }) => {
    let isLost = false;
    const { readBinary } = app.vault;
    jest.spyOn(app.vault, 'readBinary').mockImplementation(async (...of) => {
      isLost = true;
      return readBinary.apply(app.vault, of);
    });
    const check = async (): Promise<void> => (isLost ? Promise.reject(new Error('lost')) : undefined);
    const durable = durableOf(app.vault.adapter);
    const vault = createVault({ app, durable, state, device: 'test', check });
    await expect(vault.edit(A, () => 'b')).rejects.toThrow('lost');
    expect(await vault.read(A)).toBe('a');
  }));

it.each([
  ['asks the app for none of a note whose size says that it is too large', MAX_NOTE_BYTES + 1, 1, 0],
  ['keeps nothing of one that has grown meanwhile', 1, MAX_NOTE_BYTES + 1, 1],
])('%s', (_, told, held, asked) =>
  withMemoryApp({ [A]: 'a' }, async ({ host }) => {
    const file = host.app.vault.getAbstractFileByPath(A);
    if (!(file instanceof TFile)) throw new Error('The note is not there.');
    file.stat.size = told;
    let reads = 0;
    const read = async (): Promise<ArrayBuffer> => {
      reads += 1;
      return new ArrayBuffer(held);
    };
    await expect(readText(file, read)).rejects.toMatchObject({ code: 'unsupported_type' });
    expect(reads).toBe(asked);
  }),
);
