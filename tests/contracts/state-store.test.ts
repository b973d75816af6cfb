import { openNodeState, prepareState } from '../../src/adapters/files/state-folder';
import type { StateStore } from '../../src/core/ports/ports';
import { createMemoryState } from '../support/memory-state';
import { withDiskApp, withMemoryApp } from '../support/obsidian-subject';
import { describeWithCluster } from '../support/postgres-cluster';
import { describeWithPostgres } from '../support/postgres-server';
import { type Database, withSharedStores } from '../support/shared-stores';
import { withTempFolder } from '../support/temp-folder';

type WithState = (work: (state: StateStore) => Promise<void>) => Promise<void>;

const withMemory: WithState = (work) => work(createMemoryState());

const withNode: WithState = (work) =>
  withTempFolder(async (root) => {
    await prepareState(root, { device: 'test' });
    const state = await openNodeState(root, { device: 'test' });
    try {
      await work(state);
    } finally {
      await state.close();
    }
  });

const withObsidian: WithState = (work) => withMemoryApp({}, ({ state }) => work(state));

const withObsidianOnDisk: WithState = (work) => withDiskApp({}, ({ state }) => work(state));

describe.each([
  ['memory', withMemory],
  ['Node', withNode],
  ['Obsidian, in memory', withObsidian],
  ['Obsidian, on disk', withObsidianOnDisk],
])('StateStore in %s', (_, withState) => contract(withState));

const inTables = (server: () => Database): void =>
  contract((work) => withSharedStores(server(), ([{ state }]) => work(state)));

describeWithPostgres('StateStore in tables of Postgres', inTables);

describeWithCluster('StateStore behind pgbouncer, with a standby', inTables);

function contract(withState: WithState): void {
  it('reads what was written last, and null where nothing was', () =>
    withState(async (state) => {
      expect(await state.read('a/b.json')).toBeNull();
      await state.write('a/b.json', 'one ß');
      await state.write('a/b.json', 'two');
      expect(await state.read('a/b.json')).toBe('two');
    }));

  it('replaces a text that is still as it was, where it can', () =>
    withState(async (state) => {
      if (state.replace === undefined) return;
      expect(await state.replace('a.json', 'one', 'none')).toBe(false);
      expect(await state.read('a.json')).toBeNull();
      expect(await state.replace('a.json', 'one', null)).toBe(true);
      expect(await state.replace('a.json', 'two', null)).toBe(false);
      expect(await state.replace('a.json', 'two', 'on')).toBe(false);
      expect(await state.replace('a.json', 'two', 'one')).toBe(true);
      expect(await state.read('a.json')).toBe('two');
    }));

  it('reads the bytes that were written last, and null where nothing was', () =>
    withState(async (state) => {
      expect(await state.readBytes('a/index.bin')).toBeNull();
      const bytes = Uint8Array.from({ length: 70_000 }, (_unused, at) => (at * 31) % 256);
      await state.writeBytes('a/index.bin', Uint8Array.of(1, 2, 3));
      await state.writeBytes('a/index.bin', bytes);
      const found = await state.readBytes('a/index.bin');
      expect(found).not.toBeNull();
      expect(Buffer.from(found ?? []).equals(bytes)).toBe(true);
      expect(await state.list('a')).toEqual(['a/index.bin']);
    }));

  it('reads the bytes between two offsets, however the file was made, and no more than it has', () =>
    withState(async (state) => {
      expect(await state.readPart('log.jsonl', 0, 10)).toBeNull();
      const parts = ['one\n', 'größe\n', 'x'.repeat(5_000), '\n'];
      for (const part of parts) await state.append('log.jsonl', part, false);
      const bytes = Buffer.from(parts.join(''));
      const spans = [
        [0, 4],
        [2, 9],
        [5, 6],
        [4_000, 5_005],
        [0, 100_000],
        [5_011, 9_000],
        [7_000, 8_000],
        [3, 3],
      ] as const;
      for (const [from, to] of spans)
        expect(Buffer.from((await state.readPart('log.jsonl', from, to)) ?? [1])).toEqual(
          bytes.subarray(from, to),
        );
      await state.writeBytes('whole.bin', Uint8Array.of(1, 2, 3));
      expect(await state.readPart('whole.bin', 1, 3)).toEqual(Uint8Array.of(2, 3));
    }));

  it('yields the files below a folder with their sizes, and tells each change of one', () =>
    withState(async (state) => {
      const filesBelow = async (folder: string) => {
        const files = new Map<string, { readonly size: number; readonly stamp: string }>();
        for await (const { path, ...file } of state.stats(folder)) files.set(path, file);
        return files;
      };
      expect([...(await filesBelow('logs'))]).toEqual([]);
      await state.append('logs/a.jsonl', 'ß\n', false);
      await state.write('logs/below/b.json', 'one');
      await state.write('other.json', 'other');
      const first = await filesBelow('logs');
      expect([...first.keys()].sort()).toEqual(['logs/a.jsonl', 'logs/below/b.json']);
      expect(first.get('logs/a.jsonl')?.size).toBe(3);
      expect(await filesBelow('logs')).toEqual(first);
      await state.append('logs/a.jsonl', 'two\n', false);
      await state.write('logs/below/b.json', 'three');
      const second = await filesBelow('logs');
      expect(second.get('logs/a.jsonl')?.size).toBe(7);
      for (const [path, { stamp }] of second) expect(stamp).not.toBe(first.get(path)?.stamp);
      expect([...(await filesBelow(''))].map(([path]) => path)).toContain('other.json');
    }));

  it('writes the part of a memory that it was given, and hands out memory of its own', () =>
    withState(async (state) => {
      const whole = Uint8Array.from({ length: 100 }, (_unused, at) => at);
      await state.writeBytes('part.bin', whole.subarray(10, 20));
      const first = await state.readBytes('part.bin');
      expect([...(first ?? [])]).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
      expect(first?.buffer.byteLength).toBe(10);
      first?.fill(0);
      expect((await state.readBytes('part.bin'))?.[0]).toBe(10);
      await state.writeBytes('empty.bin', new Uint8Array());
      expect(await state.readBytes('empty.bin')).toHaveLength(0);
      await state.remove('part.bin');
      expect(await state.readBytes('part.bin')).toBeNull();
    }));

  it('rewrites a log while lines are appended, and loses none of them', () =>
    withState(async (state) => {
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      expect(await state.rewrite('log.jsonl', async () => Uint8Array.of(1))).toBe(false);
      expect(await state.read('log.jsonl')).toBeNull();
      await state.append('log.jsonl', 'one\n', true);
      await state.append('log.jsonl', 'two\n', false);
      expect(await state.rewrite('log.jsonl', async () => null)).toBe(false);
      expect(await state.read('log.jsonl')).toBe('one\ntwo\n');
      const appends: Promise<void>[] = [];
      const isChanged = await state.rewrite('log.jsonl', async (bytes) => {
        appends.push(state.append('log.jsonl', 'three\n', true));
        return new TextEncoder().encode(text(bytes).replace('one', 'a longer line'));
      });
      await Promise.all(appends);
      expect(isChanged).toBe(true);
      expect(await state.read('log.jsonl')).toBe('a longer line\ntwo\nthree\n');
      await state.append('log.jsonl', 'four\n', true);
      await state.rewrite('log.jsonl', async (bytes) => bytes.slice(0, 2));
      expect(await state.read('log.jsonl')).toBe('a ');
    }));

  it('tells text and bytes of one file alike', () =>
    withState(async (state) => {
      await state.write('text', 'one ß');
      expect(new TextDecoder().decode((await state.readBytes('text')) ?? undefined)).toBe('one ß');
      await state.writeBytes('text', new TextEncoder().encode('two ß'));
      expect(await state.read('text')).toBe('two ß');
      expect(await state.create('text', 'three')).toBe(false);
    }));

  it('creates once', () =>
    withState(async (state) => {
      expect(await state.create('history/aa/x.md', 'first')).toBe(true);
      expect(await state.create('history/aa/x.md', 'second')).toBe(false);
      expect(await state.read('history/aa/x.md')).toBe('first');
    }));

  it.each([true, false])('appends, making file and folders (synced: %s)', (sync) =>
    withState(async (state) => {
      await state.append('audit/2026-11.jsonl', '', sync);
      expect(await state.read('audit/2026-11.jsonl')).toBe('');
      await state.append('audit/2026-11.jsonl', 'one\n', sync);
      await state.append('audit/2026-11.jsonl', 'two\n', sync);
      expect(await state.read('audit/2026-11.jsonl')).toBe('one\ntwo\n');
    }),
  );

  it('keeps appends whole that run at the same time', () =>
    withState(async (state) => {
      const lines = Array.from({ length: 20 }, (_unused, index) => `${String(index).repeat(500)}\n`);
      await state.append('log.jsonl', '', true);
      await Promise.all(lines.map((line) => state.append('log.jsonl', line, true)));
      const text = (await state.read('log.jsonl')) ?? '';
      expect(text.split('\n').slice(0, -1).sort()).toEqual(lines.map((line) => line.trim()).sort());
    }));

  it('names the folders directly below a folder', () =>
    withState(async (state) => {
      for (const path of ['x/a/b', 'x/b', 'y/c/d', 'z']) await state.write(path, '');
      expect(await state.folders('')).toEqual(expect.arrayContaining(['x', 'y']));
      expect(await state.folders('x')).toEqual(['a']);
      expect(await state.folders('x/a')).toEqual([]);
      expect(await state.folders('absent')).toEqual([]);
    }));

  it('lists the files below a folder, sorted', () =>
    withState(async (state) => {
      for (const at of ['x/b', 'x/a/c', 'x/a/b', 'y', 'xa']) await state.write(at, '');
      expect(await state.list('x')).toEqual(['x/a/b', 'x/a/c', 'x/b']);
      expect(await state.list('absent')).toEqual([]);
      expect(await state.list('')).toEqual(expect.arrayContaining(['x/a/b', 'x/b', 'xa', 'y']));
    }));

  it('removes, and does not mind that there is nothing', () =>
    withState(async (state) => {
      await state.write('a', 'x');
      await state.remove('a');
      await state.remove('a');
      expect(await state.read('a')).toBeNull();
    }));
}
