import { MAX_PROSE, ProseCache, textsOf } from '../../../src/core/catalog/prose';
import { Pace } from '../../../src/core/base/steps';
import { BrainError } from '../../../src/core/base/errors';
import { sha256 } from '../../../src/core/base/hash';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryVault } from '../../support/memory-vault';
import { silentLog } from '../../support/silent-log';

const A = vaultPath('knowledge/a.md');
const TEXT = '---\ntitle: A\n---\n# Head\n\nSome *plain* words.';

type Brain = Parameters<typeof textsOf>[0];
type Note = Parameters<typeof textsOf>[1];

/** Returns the prose of a note. */
async function proseOf(brain: Brain, note: Note, reach = MAX_PROSE): Promise<string | null> {
  return (await textsOf(brain, note, reach))?.prose ?? null;
}

function reading(text = TEXT, prose = new ProseCache()) {
  const vault = createMemoryVault({ [A]: text });
  const log = silentLog();
  const pace = new Pace(async () => undefined, fixedClock());
  const note = { path: A, content_hash: sha256(text) };
  return { vault, log, prose, pace, note };
}

it('is made from the file once, and then remembered', async () => {
  const { note, ...brain } = reading();
  expect(await proseOf(brain, note)).toBe('Some plain words.');
  brain.vault.read = () => Promise.reject(new Error('the disk was asked'));
  expect(await proseOf(brain, note)).toBe('Some plain words.');
});

it('is never that of an older version', async () => {
  const { note, ...brain } = reading();
  await proseOf(brain, note);
  brain.vault.files.set(A, 'Other words.');
  expect(await proseOf(brain, { path: A, content_hash: sha256('Other words.') })).toBe('Other words.');
});

it('is that of the file when it has changed since, and is not remembered for the record', async () => {
  const { note, ...brain } = reading();
  brain.vault.files.set(A, 'Other words.');
  expect(await proseOf(brain, note)).toBe('Other words.');
  expect(brain.prose.size).toBe(0);
});

it.each([
  ['is gone', async () => null, 0],
  ['is no text', () => Promise.reject(new BrainError('unsupported_type', 'no text')), 0],
  ['cannot be read', () => Promise.reject(new Error('EIO')), 1],
])('is null when the file %s', async (_, read, warnings) => {
  const { note, ...brain } = reading();
  brain.vault.read = read;
  expect(await proseOf(brain, note)).toBeNull();
  expect(brain.log.lines.map(({ event }) => event)).toEqual(Array(warnings).fill('prose.read'));
});

it('is the beginning of a long note', async () => {
  const { note, ...brain } = reading('word '.repeat(500_000));
  const prose = (await proseOf(brain, note)) ?? '';
  expect(prose).toHaveLength(1 << 20);
  expect(prose.startsWith('word word')).toBe(true);
});

it('is read no further than asked, and then again when more is asked for', async () => {
  const { note, ...brain } = reading('word '.repeat(1_000));
  const read = jest.spyOn(brain.vault, 'read');
  expect(await proseOf(brain, note, 100)).toHaveLength(100);
  expect(await proseOf(brain, note, 100)).toHaveLength(100);
  expect(read).toHaveBeenCalledTimes(1);
  expect(await proseOf(brain, note)).toHaveLength(4_999);
  expect(await proseOf(brain, note, 100)).toHaveLength(100);
  expect(read).toHaveBeenCalledTimes(2);
});

it('is not read again when all of a short note is remembered', async () => {
  const { note, ...brain } = reading();
  const read = jest.spyOn(brain.vault, 'read');
  await proseOf(brain, note, 100);
  expect(await proseOf(brain, note)).toBe('Some plain words.');
  expect(read).toHaveBeenCalledTimes(1);
});

it('is made a little at a time, however few the paragraphs', async () => {
  const { note, ...brain } = reading('word '.repeat(200_000));
  let pieces = 0;
  const watch = {
    sliceBegins: () => undefined,
    pieceBegins: () => (pieces += 1),
    pieceEnds: () => undefined,
  };
  const pace = new Pace(async () => undefined, fixedClock(), watch);
  await proseOf({ ...brain, pace }, note);
  expect(pieces).toBeGreaterThan(240);
});

const textsWith = (prose: string) => ({ prose, shown: prose, comments: '' });

const named = (name: string) => ({ path: vaultPath(`raw/${name}.md`), content_hash: sha256(name) });

it('is remembered of the notes that were asked for last, as many as there is room for', () => {
  const cache = new ProseCache(10);
  cache.put(named('a'), textsWith('aaaa'), 9);
  cache.put(named('b'), textsWith('bbbb'), 9);
  expect(cache.get(named('a'), 9)?.prose).toBe('aaaa');
  cache.put(named('c'), textsWith('cccc'), 9);
  expect(cache.get(named('b'), 9)).toBeNull();
  expect(cache.get(named('a'), 9)?.prose).toBe('aaaa');
  expect(cache.size).toBe(8);
  cache.put(named('d'), textsWith('more than there is room for'), 99);
  expect(cache.size).toBe(0);
  expect(cache.get({ ...named('a'), content_hash: sha256('x') }, 9)).toBeNull();
});

it('is remembered as far as it was read, and never less than that', () => {
  const cache = new ProseCache(10);
  const note = named('a');
  cache.put(note, textsWith('aaaa'), 4);
  expect([5, 4, 2].map((reach) => cache.get(note, reach)?.prose)).toEqual([undefined, 'aaaa', 'aa']);
  cache.put(note, textsWith('aa'), 2);
  expect(cache.get(note, 4)?.prose).toBe('aaaa');
  cache.put(note, textsWith('aaaaaa'), 6);
  expect([cache.get(note, 6)?.prose, cache.size]).toEqual(['aaaaaa', 6]);
});
