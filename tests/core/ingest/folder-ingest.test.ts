import { ingestFolder } from '../../../src/core/ingest/operations';
import { StopController } from '../../../src/core/base/concurrency';
import { sha256 } from '../../../src/core/base/hash';
import { FolderPlan } from '../../../src/core/ingest/folder-plan';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { agent, openTestBrain } from '../../support/test-brain';

it('says so when it was called off before there was a list of its files', async () => {
  const { brain } = await openTestBrain();
  const options = { destination: 'raw', force: false, dryRun: false } as const;
  const folder = { file: 'inbox', files: [] };
  const signal = new StopController();
  expect(await ingestFolder(brain, folder, options, agent, { signal })).not.toHaveProperty('cancelled');
  signal.stop();
  expect(await ingestFolder(brain, folder, options, agent, { signal })).toMatchObject({ cancelled: true });
});

it('keeps the address of a file while another plan reads it for another wing', async () => {
  const { brain } = await openTestBrain();
  const text = { markdown: '# Pump\n\nWords.\n', converted: false, warnings: [] };
  const file = {
    place: 'pump.md',
    load: async () => ({ hash: sha256(text.markdown), name: 'pump.md', read: async () => text }),
  };
  const terms = { label: '', folder: '', readsAtOnce: 1, force: false, dryRun: false } as const;
  const planFor = (wing: string) =>
    FolderPlan.make(brain, [file], { ...terms, wing, hall: 'facts', destination: 'wiki' }, agent, {});
  const plans = [await planFor('home'), await planFor('office')];
  const path = (wing: string) => vaultPath(`wiki/${wing}/facts/pump.md`);
  expect(plans.map((plan) => plan.of('pump.md')?.siblings?.pathOf(0))).toEqual([
    path('home'),
    path('office'),
  ]);
  const { reserved } = brain.whole.catalog;
  const isReserved = () => ['home', 'office'].map((wing) => reserved.isForOther(path(wing)));
  expect(isReserved()).toEqual([true, true]);
  await plans[1]?.close(true);
  expect(isReserved()).toEqual([true, false]);
  await plans[0]?.close(true);
});

it('fails when the disk fails while a folder is read, and promises nothing', async () => {
  const { brain, state } = await openTestBrain();
  const failing = () => Promise.reject(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }));
  const hash = sha256('x');
  const terms = {
    label: '',
    folder: 'f',
    destination: 'raw',
    readsAtOnce: 2,
    force: false,
    dryRun: false,
  } as const;
  const other = { markdown: '[[a]]', converted: false, warnings: [] };
  const files = [
    { place: 'a.txt', load: async () => ({ hash, name: 'a.txt', read: failing }) },
    { place: 'b.txt', load: async () => ({ hash: sha256('y'), name: 'b.txt', read: async () => other }) },
  ];
  await expect(FolderPlan.make(brain, files, terms, agent, {})).rejects.toThrow('EIO');
  expect(await state.list('local.testtest/promised')).toEqual([]);
});
