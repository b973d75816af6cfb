import { answerNotes } from '../../../src/core/answer/operation';
import { BrainError } from '../../../src/core/base/errors';
import { settleConfig } from '../../../src/core/config/config';
import { writeNote } from '../../../src/core/notes/write';
import { perform } from '../../../src/core/operation/operation';
import { alone, type ModelReply, type ModelRequest } from '../../../src/core/ports/ports';
import { queryNotes } from '../../../src/core/search/query';
import { openBrain } from '../../../src/core/vault/open';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { fakeDocuments } from '../../support/fake-documents';
import { fakeEmbedder } from '../../support/fake-embedder';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState } from '../../support/memory-state';
import { createMemoryVault } from '../../support/memory-vault';
import { memoryVectors } from '../../support/memory-vectors';
import { silentLog } from '../../support/silent-log';
import { agent, openTestBrain } from '../../support/test-brain';

const NOTES = 200;

/** A vault whose notes take for ever to read, and what of it is being asked for. */
async function openSlowly() {
  const files = Object.fromEntries(
    Array.from({ length: NOTES }, (_, index) => [`wiki/net/facts/n${index}.md`, `Note ${index}.`]),
  );
  const clock = fixedClock();
  const vault = createMemoryVault(files, clock);
  const asked: string[] = [];
  const read = vault.read.bind(vault);
  const held: (() => void)[] = [];
  vault.read = async (path) => {
    asked.push(path);
    await new Promise<void>((resolve) => held.push(resolve));
    return read(path);
  };
  const log = { ...silentLog(), error: jest.fn() };
  const opened = await openBrain(
    { vault, state: createMemoryState(), clock, log, documents: fakeDocuments(), servers: alone },
    settleConfig({}),
    {
      device: 'testtest',
      version: '0.0.0-test',
      sleep: () => new Promise(() => undefined),
      breathe: () => new Promise((resolve) => setImmediate(resolve)),
    },
  );
  opened.loaded.catch(() => undefined);
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  while (held.length === 0) await turn();
  return {
    ...opened,
    vault,
    files: vault.files,
    asked,
    log,
    turn,
    release: () => held.splice(0).forEach((go) => go()),
  };
}

it('ends at once while the vault is being read, and reads no further note', async () => {
  const { close, asked, release, turn, brain, log, files } = await openSlowly();
  const waiting = perform(brain, queryNotes, { query: 'x' }, agent);
  const before = new Map(files);
  await close(); // Would never end if it waited for what is held back.
  const during = asked.length;
  expect(during).toBeLessThan(NOTES);
  release();
  await expect(waiting).rejects.toMatchObject({
    code: 'starting',
    message: expect.stringContaining('closed'),
  });
  for (let turns = 0; turns < 50; turns += 1) {
    release();
    await turn();
  }
  expect(asked.length).toBe(during);
  expect(files).toEqual(before);
  expect(log.error).not.toHaveBeenCalled();
});

it('takes no write after it has ended', async () => {
  const { close, brain, release, turn } = await openSlowly();
  for (let turns = 0; turns < 500 && !brain.isReady(); turns += 1) {
    release();
    await turn();
  }
  expect(brain.isReady()).toBe(true);
  await close();
  const late = perform(brain, writeNote, { wing: 'net', hall: 'facts', slug: 'late', content: 'x' }, agent);
  release();
  await expect(late).rejects.toBeInstanceOf(BrainError);
  await expect(brain.vault.stat(vaultPath('wiki/net/facts/late.md'))).resolves.toBeNull();
});

it('calls off a question to the language model, and tells who asked', async () => {
  let asked = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const called: string[] = [];
  const model = {
    name: 'slow',
    complete: ({ signal }: ModelRequest) => {
      signal?.onStop(() => called.push('off'));
      asked();
      return new Promise<ModelReply>(() => undefined);
    },
  };
  const files = { 'wiki/net/facts/mtu.md': '# MTU\n\nThe tunnel needs 1380 bytes.\n' };
  const { brain, close } = await openTestBrain(files, {}, undefined, { model });
  const answer = perform(brain, answerNotes, { query: 'tunnel bytes' }, agent);
  await isAsked;
  await close();
  await expect(answer).rejects.toMatchObject({ code: 'starting' });
  expect(called).toEqual(['off']);
});

it('ends writer and snapshot first, and waits no longer than 3 seconds for a database that hangs', async () => {
  const vectors = memoryVectors();
  const hang = () => new Promise<never>(() => undefined);
  Object.assign(vectors, { open: hang, maker: hang, known: hang, count: hang });
  let takenAway = false;
  vectors.close = () => {
    takenAway = true;
    return new Promise(() => undefined);
  };
  const sleepers: { readonly ms: number; readonly wake: () => void }[] = [];
  const settings = { pgDsn: 'postgres://me:secret@db/brain', embedUrl: 'http://ai' };
  const { brain, close, state } = await openTestBrain({ 'wiki/net/facts/a.md': 'A.' }, settings, undefined, {
    hybridPorts: { embedder: fakeEmbedder(), vectors: () => vectors },
    sleep: (ms) => new Promise((wake) => sleepers.push({ ms, wake })),
  });
  let isClosed = false;
  expect(state.blobs.size).toBe(0);
  const closing = close().then(() => (isClosed = true));
  for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate);
  expect(() => brain.writer.run(async () => undefined)).toThrow(BrainError);
  expect(state.blobs.size).toBeGreaterThan(0);
  expect([isClosed, takenAway]).toEqual([false, false]);
  for (const { ms, wake } of sleepers) if (ms === 1_000) wake();
  for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
  expect([isClosed, takenAway]).toEqual([false, true]);
  for (const { ms, wake } of sleepers) if (ms === 3_000) wake();
  await closing;
});
