import { settleConfig } from '../../../src/core/config/config';
import { getNote } from '../../../src/core/notes/get';
import { perform } from '../../../src/core/operation/operation';
import { listPending } from '../../../src/core/review/pending';
import { queryNotes } from '../../../src/core/search/query';
import { revision } from '../../../src/core/status/revision';
import { status } from '../../../src/core/status/status';
import { openBrain } from '../../../src/core/vault/open';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { fakeDocuments } from '../../support/fake-documents';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState } from '../../support/memory-state';
import { createMemoryVault } from '../../support/memory-vault';
import { silentLog } from '../../support/silent-log';
import { agent } from '../../support/test-brain';
import { alone } from '../../../src/core/ports/ports';

const READABLE = vaultPath('knowledge/first.md');
const files = {
  [READABLE]: 'the first note',
  'knowledge/second.md': 'the second note',
  'raw/idea.md': 'an idea',
};

/** A vault all of whose notes but one cannot be read before `release`. Whoever waits for a time gets it at once, when told. */
async function reading(isPatient: boolean) {
  const clock = fixedClock();
  const vault = createMemoryVault(files, clock);
  const read = vault.read.bind(vault);
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  vault.read = async (path: VaultPath) => {
    if (path !== READABLE) await released;
    return read(path);
  };
  const ports = {
    vault,
    state: createMemoryState(),
    clock,
    log: silentLog(),
    documents: fakeDocuments(),
    servers: alone,
  };
  const { brain, loaded, close } = await openBrain(ports, settleConfig({}), {
    device: 'testtest',
    version: '0.0.0-test',
    sleep: (ms) => (isPatient || ms > 1000 ? new Promise(() => undefined) : turns(20)),
    breathe: async () => undefined,
  });
  return { brain, vault, loaded, close, release };
}

/** Lets the event loop go round, so that whatever can be done is done. */
async function turns(number: number): Promise<void> {
  for (let turn = 0; turn < number; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('answers while the vault is being read, from what is there, and says how far it is', async () => {
  const { brain, loaded, release } = await reading(false);
  const found = await perform(brain, queryNotes, { query: 'note' }, agent);
  expect(found.results.map(({ path }) => path)).toEqual([READABLE]);
  expect(found.reading).toEqual({ done: 1, total: 3 });
  expect(await perform(brain, listPending, {}, agent)).toMatchObject({
    total: 0,
    reading: { done: 1, total: 3 },
  });
  const { index } = await perform(brain, status, {}, agent);
  expect(index).toEqual({ state: 'building', notes: 1, waiting: 2, reading: { done: 1, total: 3 } });
  const before = await perform(brain, revision, {}, agent);
  expect(before.reading).toEqual({ done: 1, total: 3 });
  release();
  await loaded;
  const after = await perform(brain, revision, {}, agent);
  expect(after.reading).toBeUndefined();
  expect(after.revision).not.toBe(before.revision);
  const whole = await perform(brain, queryNotes, { query: 'note' }, agent);
  expect(whole.results).toHaveLength(2);
  expect('reading' in whole).toBe(false);
  expect((await perform(brain, status, {}, agent)).index).toEqual({ state: 'ready', notes: 2, waiting: 0 });
});

it('waits a moment for the rest before it answers without it', async () => {
  const { brain, release } = await reading(true);
  const asked = perform(brain, queryNotes, { query: 'note' }, agent);
  release();
  expect((await asked).results).toHaveLength(2);
});

it('waits for the whole vault where links count', async () => {
  const { brain, release } = await reading(false);
  let answered = false;
  const asked = perform(brain, getNote, { path: READABLE }, agent).then(() => (answered = true));
  await perform(brain, queryNotes, { query: 'note' }, agent);
  expect(answered).toBe(false);
  release();
  await asked;
});

it('does not read a note twice because someone asks while it waits', async () => {
  const { brain, vault, loaded, release } = await reading(false);
  await turns(20);
  const read = vault.read;
  const again: string[] = [];
  vault.read = (path) => {
    again.push(path);
    return read(path);
  };
  await perform(brain, status, {}, agent);
  expect(again).toEqual([]);
  release();
  await loaded;
});

it('shows the excerpt of the record when the file has gone since it was found', async () => {
  const { brain, vault, loaded, release } = await reading(false);
  release();
  await loaded;
  vault.files.delete(READABLE);
  const { results } = await perform(brain, queryNotes, { query: 'first' }, agent);
  expect(results).toMatchObject([{ path: READABLE, excerpt: 'the first note' }]);
});
