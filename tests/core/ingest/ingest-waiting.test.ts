import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Operation } from '../../../src/core/operation/operation';
import type { SourceFile, SourceFiles } from '../../../src/core/documents/ports';
import { ingestDropped, ingestPath, ingestText } from '../../../src/core/ingest/operations';
import { ingestTool } from '../../../src/core/ingest/tool';
import { reExtract } from '../../../src/core/ingest/re-extract';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { fakeDocuments } from '../../support/fake-documents';
import { fakeModel } from '../../support/fake-model';
import { modelPage } from '../../support/model-page';
import { agent, callerWith, openTestBrain, type TestBrain } from '../../support/test-brain';

const AT_ONCE = 2;
const MOST_WAITING = 64;
const FILES_OF_FOLDER = 70;

/** Says of itself that it is `name`, and nothing else. */
const textOf = (name: string) => `# ${name}\n\nWords that only ${name} has.\n`;

/** A folder `inbox/many`, and any other path as a file that holds its own name. */
const sources: SourceFiles = {
  locate: async (path) =>
    path === 'inbox/many' ? { kind: 'folder', file: path, full: `/vault/${path}` } : fileAt(path),
  read: async ({ file }) => utf8ToBytes(textOf(file)),
  list: async ({ file }) =>
    Array.from({ length: FILES_OF_FOLDER }, (_, number) => fileAt(`${file}/${number}.md`)),
};

function fileAt(path: string): SourceFile {
  const name = path.split('/').at(-1) ?? '';
  return { kind: 'file', file: path, name, path: vaultPath(path), full: `/vault/${path}` };
}

interface World extends TestBrain {
  /** Note of the queue that a model may make pages of. */
  readonly queued: string;
  /** Names of the documents that are being read or were. */
  readonly asked: readonly string[];
  /** Has the model answer from now on; until then it is out of order. */
  readonly repair: () => void;
  /** Lets the documents be read that wait to be, and all that follow. */
  readonly go: () => void;
}

/** A brain whose reading of documents takes as long as the test wants. */
async function openWorld(): Promise<World> {
  const documents = fakeDocuments();
  const model = fakeModel({ fail: 503 });
  let go: () => void = () => undefined;
  const opened = await openTestBrain({}, {}, undefined, { documents, sources, model });
  const taken = await opened.run(ingestText, { text: 'Taken in while the model was out of order.' });
  if (!('pages' in taken)) throw new Error('it went into the background');
  const may = new Promise<void>((resolve) => (go = resolve));
  const read = documents.read.bind(documents);
  documents.read = async (file, signal) => {
    const text = read(file, signal);
    await may;
    return text;
  };
  const repair = () =>
    model.script({ say: { pages: [modelPage({ title: 'A page of the model', summary: '' })] } });
  return { ...opened, repair, queued: taken.pages[0]?.path ?? '', asked: documents.asked, go };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

let world: World;
beforeEach(async () => (world = await openWorld()));
afterEach(() => world.close());

/** So many calls for one file each. */
async function ask(from: number, count: number): Promise<Promise<unknown>[]> {
  const calls = Array.from({ length: count }, (_, at) =>
    world.run(ingestPath, { path: `inbox/single-${from + at}.md` }),
  );
  await settled();
  return calls;
}

/** What stands in the vault and in the folder of its state; `refusal` sees to the vault as well. */
const state = () => [...world.state.files, ...world.state.blobs];

/** What comes in by one call: how it is asked for, and what it answers when it is let in. */
const SINGLE: readonly [Operation, object, object][] = [
  [ingestPath, { path: 'inbox/one-more.md' }, { file: 'inbox/one-more.md' }],
  [ingestPath, { path: 'inbox/many' }, { path: 'inbox/many', errors: [] }],
  [ingestDropped, { name: 'dropped.md', bytes: utf8ToBytes(textOf('dropped')) }, { file: 'dropped.md' }],
  [ingestText, { text: 'One text more.', dry_run: true }, { counts: { written: 1 } }],
  [ingestText, { text: 'One text more.' }, { counts: { written: 1 } }],
  [ingestTool, { path: 'inbox/by-tool.md' }, { file: 'inbox/by-tool.md' }],
  [ingestTool, { text: 'One text by the tool.' }, { counts: { written: 1 } }],
];

describe('when as many calls wait to be ingested as may', () => {
  it('one more of any kind is refused without a trace, and all those that wait end well', async () => {
    const calls = await ask(0, AT_ONCE + MOST_WAITING);
    const [before, reading] = [state(), [...world.asked]];
    expect(reading).toHaveLength(AT_ONCE);
    const again: [Operation, object][] = [false, true].map((background) => [
      reExtract,
      { path: world.queued, background },
    ]);
    for (const [operation, input] of [...SINGLE, ...again]) {
      expect(await world.refusal(operation, input)).toEqual({
        code: 'busy',
        message: 'Too many files and texts wait to be ingested. Try again in ten seconds.',
        details: { retry_after: 10 },
      });
    }
    await settled();
    expect(state()).toEqual(before);
    expect(world.asked).toEqual(reading);
    world.go();
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ counts: { written: 1 } });
    for (const [operation, input, answer] of SINGLE) {
      expect(await world.run(operation, input)).toMatchObject(answer);
    }
    world.repair();
    expect(await world.run(reExtract, { path: world.queued })).toMatchObject({ extraction: 'llm' });
  });

  it('one is let in as soon as one has ended', async () => {
    const [first, ...others] = await ask(0, AT_ONCE + MOST_WAITING);
    expect((await world.refusal(ingestPath, { path: 'inbox/early.md' })).code).toBe('busy');
    world.go();
    await first;
    const calls = await ask(1000, 1);
    await Promise.all([...others, ...calls]);
  });

  it('those in the background are let in, and wait until it is their turn', async () => {
    const calls = await ask(0, AT_ONCE + MOST_WAITING);
    const jobs: string[] = [];
    for (let number = 0; number < 16; number += 1) {
      const begun = await world.run(ingestPath, { path: `inbox/job-${number}.md`, background: true });
      if (!('job' in begun)) throw new Error('it did not go into the background');
      jobs.push(begun.job);
    }
    world.go();
    await Promise.all(calls);
    for (const job of jobs) {
      expect(await world.brain.jobs.wait(job, agent, 60_000)).toMatchObject({ counts: { written: 1 } });
    }
  });
});

it('refuses the call that comes when 64 others wait, jobs or calls, whatever works', async () => {
  const jobs: [string, string][] = [];
  for (const name of ['ann', 'ben', 'cat', 'dan', 'eve']) {
    const ofOne = name === 'eve' ? 1 : 16;
    for (let number = 0; number < ofOne; number += 1) {
      const input = { path: `inbox/${name}-${number}.md`, background: true };
      const begun = await world.run(ingestPath, input, callerWith(['read', 'write'], name));
      if (!('job' in begun)) throw new Error('it did not go into the background');
      jobs.push([name, begun.job]);
    }
  }
  await settled();
  // Two of 65 jobs work, so 63 wait: one more may.
  const calls = await ask(0, 1);
  expect((await world.refusal(ingestPath, { path: 'inbox/late.md' })).code).toBe('busy');
  world.go();
  await Promise.all(calls);
  for (const [name, job] of jobs) {
    const outcome = await world.brain.jobs.wait(job, callerWith(['read', 'write'], name), 60_000);
    expect(outcome).toMatchObject({ counts: { written: 1 } });
  }
});

it('takes in every file of folders that were let in, however many files and calls there are', async () => {
  const folder = { path: 'inbox/many', force: true };
  const folders = [world.run(ingestPath, folder), world.run(ingestPath, folder)];
  await settled();
  const calls = await ask(0, MOST_WAITING);
  expect((await world.refusal(ingestPath, { path: 'inbox/late.md' })).code).toBe('busy');
  world.go();
  for (const answer of await Promise.all(folders)) {
    expect(answer).toMatchObject({ counts: { files: FILES_OF_FOLDER, failed: 0 }, errors: [] });
  }
  await Promise.all(calls);
});

it('never refuses a note half way whose document has been read, though as many wait by then as may', async () => {
  world.repair();
  const again = world.run(reExtract, { path: world.queued });
  await settled();
  const calls = await ask(0, AT_ONCE + MOST_WAITING - 1);
  expect((await world.refusal(ingestPath, { path: 'inbox/late.md' })).code).toBe('busy');
  world.go();
  expect(await again).toMatchObject({ extraction: 'llm' });
  await Promise.all(calls);
});
