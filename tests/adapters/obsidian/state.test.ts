import { openNodeState } from '../../../src/adapters/files/state-folder';
import { openState, prepareState } from '../../../src/adapters/obsidian/state';
import { durableOf } from '../../../src/adapters/obsidian/durable';
import { createHost } from '../../obsidian/index';
import { faultyStorage, type StorageFault } from '../../support/faulty-storage';
import { MemoryStorage } from '../../obsidian/storage/memory';
import { DEVICE, imageOf, openApp, withDiskApp, withMemoryApp } from '../../support/obsidian-subject';

it('is invisible to the app, and keeps this machine’s part out of git', () =>
  withMemoryApp({}, async ({ state, host }) => {
    await state.write('history/aa/x.md', 'x');
    await host.settle();
    expect(host.app.vault.getAllLoadedFiles().map(({ path }) => path)).toEqual(['/']);
    expect(await imageOf(host.storage, true)).toEqual({
      '.brain/': '',
      '.brain/.gitignore': 'local.*\n',
      '.brain/version': '1\n',
      '.brain/history/': '',
      '.brain/history/aa/': '',
      '.brain/history/aa/x.md': 'x',
      [`.brain/local.${DEVICE}/`]: '',
      [`.brain/local.${DEVICE}/tmp/`]: '',
    });
    expect(await state.list('')).toEqual(['history/aa/x.md', 'version']);
  }));

it('is the state that a headless server keeps', () =>
  withDiskApp({}, async ({ state }, root) => {
    const headless = await openNodeState(root, { device: DEVICE });
    await state.append('audit/2026-11.test.jsonl', 'one\n', true);
    await headless.append('audit/2026-11.test.jsonl', 'two\n', true);
    await state.append('audit/2026-11.test.jsonl', 'three\n', true);
    await headless.write('a.json', 'headless');
    await state.write('a.json', 'app');
    expect(await headless.read('audit/2026-11.test.jsonl')).toBe('one\ntwo\nthree\n');
    expect(await headless.read('a.json')).toBe('app');
    expect(await headless.list('')).toEqual(await state.list(''));
    await headless.close();
  }));

it('refuses a layout that it does not know', async () => {
  const host = await createHost({ files: { '.brain/version': '2\n' } });
  const { adapter } = host.app.vault;
  const prepared = prepareState({ adapter, durable: durableOf(adapter), device: DEVICE });
  await expect(prepared).rejects.toThrow('has layout "2"; this version knows 1');
  host.dispose();
});

it.each(['../secret.md', '.hidden', 'a/../../b', '/a', 'a//b', ''])(
  'leads nowhere but below its folder: %p',
  (path) =>
    withMemoryApp({ 'secret.md': 'x' }, async ({ state }) => {
      for (const call of [
        () => state.read(path),
        () => state.write(path, 'x'),
        () => state.create(path, 'x'),
        () => state.append(path, 'x', true),
        () => state.remove(path),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'path_not_allowed' });
      }
    }),
);

it('reads damaged bytes as marks, so that one of them stops no start', () =>
  withMemoryApp({}, async ({ state, host }) => {
    await host.storage.write('.brain/a.json', new Uint8Array([0xff]));
    expect(await state.read('a.json')).toBe('\ufffd');
  }));

it('looks whether the vault is its own after it has written a file, and before that gets its name', () =>
  withMemoryApp({}, async ({ state, host }) => {
    await state.write('a.json', 'old');
    const { adapter } = host.app.vault;
    const { write, writeBinary } = adapter;
    let isLost = false;
    jest.spyOn(adapter, 'write').mockImplementation(async (...to) => {
      await write.apply(adapter, to);
      isLost = true;
    });
    jest.spyOn(adapter, 'writeBinary').mockImplementation(async (...to) => {
      await writeBinary.apply(adapter, to);
      isLost = true;
    });
    const check = async (): Promise<void> => (isLost ? Promise.reject(new Error('lost')) : undefined);
    const guarded = openState({ adapter, durable: durableOf(adapter), device: DEVICE, check });
    const bytes = new TextEncoder().encode('new');
    for (const change of [
      () => guarded.write('a.json', 'new'),
      () => guarded.writeBytes('a.json', bytes),
      () => guarded.append('a.json', 'x', true),
      () => guarded.remove('a.json'),
    ]) {
      await expect(change()).rejects.toThrow('lost');
      expect(await state.read('a.json')).toBe('old');
    }
  }));

const FAULTS: StorageFault[] = [
  'crash-before',
  'crash-after',
  'crash-emptied',
  'crash-torn',
  'error-before',
  'error-after',
  'error-torn',
];

describe.each(FAULTS)('when it is cut or the disk fails (%s)', (fault) => {
  /** What the file holds after the fault at each call, and whether the call was refused. */
  async function atEveryCall(
    act: (state: ReturnType<typeof openState>) => Promise<unknown>,
    check: (text: string | undefined, refused: boolean, temps: string[]) => void,
  ): Promise<void> {
    for (let call = 1; ; call += 1) {
      const storage = faultyStorage(new MemoryStorage());
      const { host, state } = await openApp(storage);
      storage.arm(call, fault);
      const refused = await act(state).then(
        () => false,
        () => true,
      );
      storage.disarm();
      const image = await imageOf(storage, true);
      host.dispose();
      if (!storage.hit) return;
      check(
        image['.brain/a/b.json'],
        refused,
        Object.keys(image).filter((path) => /\/tmp\/./.test(path)),
      );
    }
  }

  it('a file is made as a whole or not at all', async () => {
    expect.hasAssertions();
    await atEveryCall(
      (state) => state.create('a/b.json', 'all of it'),
      (text, refused, temps) => {
        expect([undefined, 'all of it']).toContain(text);
        if (!refused) expect(text).toBe('all of it');
        // A crash leaves one at most, for the next start to sweep; an error leaves none.
        expect(temps.length).toBeLessThanOrEqual(fault.startsWith('crash') ? 1 : 0);
      },
    );
  });
});

it('never takes a file that was written in part for a written one', () =>
  withMemoryApp({}, async ({ state, host }) => {
    await state.write('a.json', 'good');
    const { adapter } = host.app.vault;
    const write = adapter.write.bind(adapter);
    adapter.write = (path, text) => write(path, text.slice(0, 3));
    await expect(state.write('a.json', 'better')).rejects.toThrow('Only 3 bytes');
    expect(await state.read('a.json')).toBe('good');
    expect(await state.list(`local.${DEVICE}/tmp`)).toEqual([]);
  }));

it('replaces a file in one step on a disk', () =>
  withDiskApp({}, async ({ state, host }) => {
    await state.write('a.json', 'old');
    const { adapter } = host.app.vault;
    // Whatever is seen between two calls of the app's adapter is the old file or the new one.
    const seen = new Set<string | null>();
    for (const name of ['write', 'remove', 'rename'] as const) {
      const call = adapter[name].bind(adapter);
      Object.assign(adapter, {
        [name]: async (...args: never[]) => {
          seen.add(await host.textOf('.brain/a.json'));
          await Reflect.apply(call, adapter, args);
          seen.add(await host.textOf('.brain/a.json'));
        },
      });
    }
    await state.write('a.json', 'new');
    expect([...seen]).toEqual(['old']);
    expect(await state.read('a.json')).toBe('new');
  }));
