import { proseOf } from '../../../src/core/catalog/prose';
import { ProseCache } from '../../../src/core/catalog/prose-cache';
import { Pace } from '../../../src/core/pace';
import { BrainError } from '../../../src/core/errors';
import { sha256 } from '../../../src/core/rules/hash';
import { vaultPath } from '../../../src/core/rules/paths';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryVault } from '../../support/memory-vault';
import { silentLog } from '../../support/silent-log';

const A = vaultPath('knowledge/a.md');
const TEXT = '---\ntitle: A\n---\n# Head\n\nSome *plain* words.';

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

it('is remembered of the notes that were asked for last, as many as there is room for', () => {
  const cache = new ProseCache(10);
  const of = (name: string) => ({ path: vaultPath(`raw/${name}.md`), content_hash: sha256(name) });
  cache.put(of('a'), 'aaaa');
  cache.put(of('b'), 'bbbb');
  expect(cache.get(of('a'))).toBe('aaaa');
  cache.put(of('c'), 'cccc');
  expect(cache.get(of('b'))).toBeNull();
  expect(cache.get(of('a'))).toBe('aaaa');
  expect(cache.size).toBe(8);
  cache.put(of('d'), 'more than there is room for');
  expect(cache.size).toBe(0);
  expect(cache.get({ ...of('a'), content_hash: sha256('x') })).toBeNull();
});
