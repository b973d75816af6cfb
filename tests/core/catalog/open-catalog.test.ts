import { Away } from '../../../src/core/ports/ports';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { catalogWorld } from '../../support/catalog-world';
import { searchNotes } from '../../support/search-notes';

it('goes on reading until every restored note is listed, though a search finds all of them before', async () => {
  const names = Array.from({ length: 50 }, (_, n) => `raw/n${n}.md`);
  const world = catalogWorld(Object.fromEntries(names.map((name) => [name, 'idea'])));
  world.clock.advance(60_000);
  const first = await world.open();
  expect(first.opening.progress()).toBeNull();
  await first.wake();
  await first.close();

  const { catalog, opening, close } = world.start();
  await opening.searchable;
  const keys = () => {
    const record = catalog.record(vaultPath('raw/n0.md'));
    return record === undefined ? 0 : catalog.keyOwners(record.content_key).length;
  };
  expect(searchNotes(catalog, 'idea', { limit: 100, includeRaw: true })).toHaveLength(50);
  expect(keys()).toBeLessThan(50);
  expect(opening.progress()).toEqual({ done: 50, total: 50 });
  // What is changed meanwhile is no part of what was to be read.
  world.vault.touch('raw/n0.md');
  expect(opening.progress()).toEqual({ done: 50, total: 50 });
  await opening.read;
  expect(keys()).toBe(50);
  expect(opening.progress()).toBeNull();
  await close();
});

it('tells what was moved since the last run, also when the first try to read the vault fails', async () => {
  const world = catalogWorld({ 'A/Plan.md': 'The plan.' });
  world.clock.advance(60_000);
  const first = await world.open();
  await first.wake();
  await first.close();

  world.vault.outside('A/Plan.md', null);
  world.vault.outside('B/Plan.md', 'The plan.');
  const { read } = world.vault;
  world.vault.read = () => Promise.reject(new Away('busy', 'The disk is away.'));
  const { opening, missed, wake, close } = world.start();
  await expect(opening.firstTry).rejects.toThrow('The disk is away.');
  expect(missed).toEqual([]);
  world.vault.read = read;
  await wake();
  await opening.read;
  expect(missed).toEqual(['A/Plan.md', 'B/Plan.md']);
  await close();
});
