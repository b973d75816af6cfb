import { sha256 } from '../../../src/core/base/hash';
import type { ChangeEvent } from '../../../src/core/storage/change-log';
import { commit } from '../../../src/core/storage/commit';
import { archive, readHistory } from '../../../src/core/storage/history';
import { Past } from '../../../src/core/past/past';
import { journalPath } from '../../../src/core/storage/journal';
import type { Plan } from '../../../src/core/storage/plan';
import { recover } from '../../../src/core/storage/recover';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { memoryPorts } from '../../support/commit-ports';

const RAW = vaultPath('raw/mtu.md');
const WIKI = vaultPath('wiki/home/facts/mtu.md');
const SECOND = vaultPath('wiki/home/facts/second.md');
const OTHER = vaultPath('wiki/home/facts/other.md');
const before = { raw: sha256('raw'), other: sha256('other') };

const promote: Plan = {
  op: 'promote',
  steps: [
    { kind: 'create', path: WIKI, text: 'promoted text' },
    { kind: 'remove', path: RAW, before: before.raw },
    { kind: 'edit', path: OTHER, before: before.other, text: 'other, edited', optional: true },
  ],
};
const merge: Plan = {
  op: 'merge',
  steps: [
    { kind: 'edit', path: OTHER, before: before.other, text: 'other and raw' },
    { kind: 'remove', path: RAW, before: before.raw },
  ],
};
const split: Plan = {
  op: 'split',
  steps: [
    { kind: 'create', path: WIKI, text: 'promoted text' },
    { kind: 'create', path: SECOND, text: 'second' },
    { kind: 'remove', path: RAW, before: before.raw },
  ],
};
/** A plan whose last step records only that something was done. */
const marked: Plan = {
  op: 'unreplace',
  steps: [
    { kind: 'create', path: WIKI, text: 'promoted text' },
    { kind: 'edit', path: OTHER, before: before.other, text: 'other' },
  ],
};
const finished = { [WIKI]: 'promoted text', [OTHER]: 'other, edited' };

/** A vault in which a plan was begun by an earlier run and which then looked like `files`. */
async function interrupted(
  files: Record<string, string>,
  plan: Plan,
  options: { folders?: string[]; undo?: number; event?: ChangeEvent } = {},
) {
  const ports = memoryPorts(files);
  for (const text of ['raw', 'other']) await archive(ports.state, sha256(text), text);
  const { journal } = ports;
  const id = await journal.begin(plan, options.folders ?? [], options.event);
  if (options.undo !== undefined) await journal.undoing(id, options.undo);
  return ports;
}

type Case = [
  string,
  Record<string, string>,
  Plan,
  Record<string, string>,
  { ended: 'finished' | 'undone' | 'open'; attention?: string[] },
];

const CASES: Case[] = [
  [
    'nothing was done',
    { [RAW]: 'raw', [OTHER]: 'other' },
    promote,
    { [RAW]: 'raw', [OTHER]: 'other' },
    { ended: 'undone' },
  ],
  [
    'the note was made',
    { [WIKI]: 'promoted text', [RAW]: 'raw', [OTHER]: 'other' },
    promote,
    finished,
    { ended: 'finished' },
  ],
  [
    'the note was made in part',
    { [WIKI]: 'promo', [RAW]: 'raw', [OTHER]: 'other' },
    promote,
    finished,
    { ended: 'finished' },
  ],
  [
    'the note was made empty',
    { [WIKI]: '', [RAW]: 'raw', [OTHER]: 'other' },
    promote,
    finished,
    { ended: 'finished' },
  ],
  [
    'the source was removed',
    { [WIKI]: 'promoted text', [OTHER]: 'other' },
    promote,
    finished,
    { ended: 'finished' },
  ],
  ['all was done', finished, promote, finished, { ended: 'finished' }],
  [
    'a note that nobody can tell from another one stands there, and the source',
    { [WIKI]: 'by hand', [RAW]: 'raw', [OTHER]: 'other' },
    promote,
    { [WIKI]: 'by hand', [RAW]: 'raw', [OTHER]: 'other' },
    { ended: 'open', attention: [WIKI, RAW] },
  ],
  [
    'note and source are both of someone else',
    { [WIKI]: 'by hand', [RAW]: 'raw, too', [OTHER]: 'other' },
    promote,
    { [WIKI]: 'by hand', [RAW]: 'raw, too', [OTHER]: 'other' },
    { ended: 'open', attention: [WIKI, RAW] },
  ],
  [
    'the note was edited since, the source is gone',
    { [WIKI]: 'by hand', [OTHER]: 'other' },
    promote,
    { [WIKI]: 'by hand', [OTHER]: 'other, edited' },
    { ended: 'finished' },
  ],
  [
    'the note was made, the source was edited since',
    { [WIKI]: 'promoted text', [RAW]: 'raw, too', [OTHER]: 'other' },
    promote,
    { [WIKI]: 'promoted text', [RAW]: 'raw, too', [OTHER]: 'other, edited' },
    { ended: 'finished', attention: [RAW] },
  ],
  [
    'the note to be edited is of someone else, and the source stands',
    { [OTHER]: 'by hand', [RAW]: 'raw' },
    merge,
    { [OTHER]: 'by hand', [RAW]: 'raw' },
    { ended: 'open', attention: [OTHER, RAW] },
  ],
  [
    'one note was made, the next place is taken, and the source stands',
    { [WIKI]: 'promoted text', [SECOND]: 'by hand', [RAW]: 'raw' },
    split,
    { [WIKI]: 'promoted text', [SECOND]: 'by hand', [RAW]: 'raw' },
    { ended: 'open', attention: [SECOND, RAW] },
  ],
  [
    'an optional edit is no longer possible',
    { [WIKI]: 'promoted text', [OTHER]: 'by hand' },
    promote,
    { [WIKI]: 'promoted text', [OTHER]: 'by hand' },
    { ended: 'finished' },
  ],
  [
    'all was done and the note was deleted since',
    { [OTHER]: 'other, edited' },
    promote,
    { [OTHER]: 'other, edited' },
    { ended: 'finished' },
  ],
  [
    'the edit was done',
    { [OTHER]: 'other and raw', [RAW]: 'raw' },
    merge,
    { [OTHER]: 'other and raw' },
    { ended: 'finished' },
  ],
  [
    'the edit was not done',
    { [OTHER]: 'other', [RAW]: 'raw' },
    merge,
    { [OTHER]: 'other', [RAW]: 'raw' },
    { ended: 'undone' },
  ],
  [
    'nothing was done before an edit without a change',
    { [OTHER]: 'other' },
    marked,
    { [OTHER]: 'other' },
    { ended: 'undone' },
  ],
  [
    'the note before an edit without a change was made',
    { [WIKI]: 'promoted text', [OTHER]: 'other' },
    marked,
    { [WIKI]: 'promoted text', [OTHER]: 'other' },
    { ended: 'finished' },
  ],
];

describe('recover', () => {
  it.each(CASES)('settles a plan when %s', async (_, files, plan, after, expected) => {
    const ports = await interrupted(files, plan);
    const report = await recover(ports, 'test');
    expect(Object.fromEntries(ports.vault.files)).toEqual(after);
    expect([report.finished.length, report.undone.length]).toEqual(
      { finished: [1, 0], undone: [0, 1], open: [0, 0] }[expected.ended],
    );
    expect(report.attention).toHaveLength(expected.attention?.length ?? 0);
    for (const [index, path] of (expected.attention ?? []).entries())
      expect(report.attention[index]).toContain(path);
  });

  it.each(CASES)('has nothing left to do the second time when %s', async (_, files, plan) => {
    const ports = await interrupted(files, plan);
    await recover(ports, 'test');
    const after = new Map(ports.vault.files);
    expect(await recover(ports, 'test')).toEqual({ finished: [], undone: [], attention: [] });
    expect(ports.vault.files).toEqual(after);
    expect(ports.state.files.get(journalPath('test'))).toBe('');
  });

  it.each([
    ['its source was removed', { [WIKI]: 'promoted text', [OTHER]: 'other' }, 2],
    ['its source stands', { [WIKI]: 'promoted text', [RAW]: 'raw', [OTHER]: 'other' }, 1],
    ['everything was taken back', { [RAW]: 'raw', [OTHER]: 'other' }, 2],
  ])('takes a plan back that had failed, when %s', async (_, files, undo) => {
    const folders = ['wiki/home', 'wiki/home/facts'];
    const ports = await interrupted(files, promote, { undo, folders });
    const report = await recover(ports, 'test');
    expect(report).toEqual({ finished: [], undone: [`promote ${WIKI}`], attention: [] });
    expect(Object.fromEntries(ports.vault.files)).toEqual({ [RAW]: 'raw', [OTHER]: 'other' });
  });

  it('restores an edit of a plan that had failed, unless someone else has edited it since', async () => {
    const restored = await interrupted({ [OTHER]: 'other and raw', [RAW]: 'raw' }, merge, { undo: 1 });
    await recover(restored, 'test');
    expect(restored.vault.files.get(OTHER)).toBe('other');
    const edited = await interrupted({ [OTHER]: 'by hand', [RAW]: 'raw' }, merge, { undo: 1 });
    const { attention } = await recover(edited, 'test');
    expect(edited.vault.files.get(OTHER)).toBe('by hand');
    expect(attention).toEqual([expect.stringContaining(OTHER)]);
  });

  it.each([
    ['the former text stands in part', { [OTHER]: 'oth', [RAW]: 'raw' }],
    ['the former text is yet to come', { [OTHER]: '', [RAW]: 'raw' }],
    ['the new text stands in part', { [OTHER]: 'other an', [RAW]: 'raw' }],
    ['the removed note stands in part', { [OTHER]: 'other and raw', [RAW]: 'r' }],
    ['the removed note stands empty', { [OTHER]: 'other and raw', [RAW]: '' }],
  ])('completes what takes a failed plan back when %s', async (_, files) => {
    const ports = await interrupted(files, merge, { undo: 2 });
    expect((await recover(ports, 'test')).attention).toEqual([]);
    expect(Object.fromEntries(ports.vault.files)).toEqual({ [OTHER]: 'other', [RAW]: 'raw' });
  });

  it.each([
    ['says something else', { [OTHER]: 'otter', [RAW]: 'rat' }],
    ['goes on after the former text', { [OTHER]: 'other!', [RAW]: 'raw!' }],
  ])('leaves what was to be taken back to the one who wrote there when it %s', async (_, files) => {
    const ports = await interrupted(files, merge, { undo: 2 });
    const { attention } = await recover(ports, 'test');
    expect(attention).toEqual([expect.stringContaining(RAW), expect.stringContaining(OTHER)]);
    expect(Object.fromEntries(ports.vault.files)).toEqual(files);
  });

  it('removes the folders of a plan that had not begun, but only empty ones', async () => {
    const ports = await interrupted({ [RAW]: 'raw', [OTHER]: 'other' }, promote, {
      folders: ['wiki/home', 'wiki/new'],
    });
    ports.vault.folders.add('wiki/new');
    await recover(ports, 'test');
    expect(ports.vault.folders.has('wiki/new')).toBe(false);
    expect(ports.vault.folders.has('wiki/home')).toBe(true);
  });

  it('has in the history what it removes, even when it was lost there', async () => {
    const ports = await interrupted({ [WIKI]: 'promoted text', [RAW]: 'raw' }, promote);
    ports.state.files.forEach((_, path) => path.startsWith('history/') && ports.state.files.delete(path));
    await recover(ports, 'test');
    expect(ports.vault.files.has(RAW)).toBe(false);
    expect(await readHistory(ports.state, before.raw)).toBe('raw');
  });

  it('sweeps the temporary files of this device and no other', async () => {
    const ports = memoryPorts();
    for (const path of ['local.test/tmp/1-1', 'local.test/lock', 'local.other/tmp/1-1'])
      ports.state.files.set(path, '');
    await recover(ports, 'test');
    expect([...ports.state.files.keys()]).toEqual(['local.test/lock', 'local.other/tmp/1-1']);
  });

  it('leaves the journals of other devices alone', async () => {
    const ports = await interrupted({ [WIKI]: 'promoted text', [RAW]: 'raw' }, promote);
    expect(await recover(ports, 'other')).toEqual({ finished: [], undone: [], attention: [] });
    expect(ports.vault.files.has(RAW)).toBe(true);
  });
});

describe('the log of changes', () => {
  const event: ChangeEvent = { id: 'test.run.1', at: Date.parse('2026-11-20T10:00:00Z'), key: 'key' };
  const logged = async (ports: Awaited<ReturnType<typeof interrupted>>) => {
    const past = await new Past(ports.state, ports.pace).read();
    return (await past.withKey('key')).map(({ id, at, notes }) => ({
      id,
      at,
      paths: notes.map(({ path }) => path),
    }));
  };

  it('gets a cut change once, under the name and the time at which it began', async () => {
    const ports = await interrupted({ [WIKI]: 'promoted text', [RAW]: 'raw', [OTHER]: 'other' }, promote, {
      event,
    });
    await recover(ports, 'test');
    const once = [{ id: event.id, at: event.at, paths: [WIKI, RAW, OTHER] }];
    expect(await logged(ports)).toEqual(once);
    // The cut came after the log had the change.
    await ports.journal.begin(promote, [], event);
    await recover(ports, 'test');
    expect(await logged(ports)).toEqual(once);
  });

  it('gets a made change whose line could not be written, and its files stay as others left them', async () => {
    const ports = memoryPorts({ [OTHER]: 'other' });
    const root = { path: OTHER, before: before.other, after: sha256('edited'), actor: 'me', reason: 'why' };
    const plan: Plan = {
      op: 'edit-root',
      steps: [{ kind: 'edit', path: OTHER, before: before.other, text: 'edited' }],
      data: { root },
    };
    const { append } = ports.state;
    ports.state.append = async (path, ...rest) => {
      if (path.startsWith('past/')) throw new Error('disk full');
      return append(path, ...rest);
    };
    await commit(ports, plan);
    ports.state.append = append;
    ports.vault.files.set(OTHER, 'other');
    expect(await recover(ports, 'test')).toEqual({ finished: [], undone: [], attention: [] });
    expect(ports.vault.files.get(OTHER)).toBe('other');
    const told = await (await new Past(ports.state, ports.pace).read()).telling('root');
    expect(told).toMatchObject([{ op: 'edit-root', notes: [{ path: OTHER }], data: { root } }]);
  });

  it('gets of a change that ends early what was done', async () => {
    const ports = await interrupted({ [WIKI]: 'promoted text', [SECOND]: 'foreign', [RAW]: 'raw' }, split, {
      event,
    });
    await recover(ports, 'test');
    expect(await logged(ports)).toEqual([{ id: event.id, at: event.at, paths: [WIKI] }]);
  });
});
