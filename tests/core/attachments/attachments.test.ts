import { Attachments } from '../../../src/core/attachments/attachments';
import { BrainError } from '../../../src/core/base/errors';
import type { Settings } from '../../../src/core/config/config';
import { getNote } from '../../../src/core/notes/get';
import { queryNotes } from '../../../src/core/search/query';
import { chooseAttachments } from '../../../src/core/status/attachments';
import { status } from '../../../src/core/status/status';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { followAttachments } from '../../../src/core/vault/follow-attachments';
import { fakeDocuments } from '../../support/fake-documents';
import { fixedClock } from '../../support/fixed-clock';
import { manualSleep } from '../../support/manual-sleep';
import { agent, callerWith, type More, NOW, openTestBrain, type TestBrain } from '../../support/test-brain';

const BOARD = JSON.stringify({
  nodes: [
    { id: 'a', type: 'text', text: 'Zubereitung der **Quittenmarmelade**', x: 0, y: 0 },
    { id: 'b', type: 'group', label: 'Kellerregal' },
    { id: 'c', type: 'file', file: 'Rezepte/Gelee.md' },
  ],
  edges: [{ id: 'e', fromNode: 'a', toNode: 'b', label: 'eingelagert in' }],
});
const FILES = {
  'Papers/pump.pdf': 'the bytes of a PDF file',
  'Boards/jam.canvas': BOARD,
  'wiki/home/facts/pump.md': '# Pump\n\nThe pump hums at night.\n',
  'inbox/other.pdf': 'in the inbox',
  'inbox/processed/2026-11-01/old.pdf': 'a handled original',
};
const PAGES = {
  markdown: 'The impeller\\_ratio is 7.\n\nThe gasket leaks below zero.',
  pages: [
    { page: 1, from: 0 },
    { page: 3, from: 27 },
  ],
};
const ON: Settings = { attachments: true };

function reader() {
  const documents = fakeDocuments();
  documents.script('pump.pdf', PAGES);
  return documents;
}

/** Opens a brain and takes the words of all its attachments, as the service does in the background. */
async function openRead(files: Record<string, string> = FILES, settings = ON, more: More = {}) {
  const documents = reader();
  const world = await openTestBrain(files, settings, undefined, { documents, ...more });
  await readAll(world);
  return { ...world, documents };
}

async function readAll({ brain }: Pick<TestBrain, 'brain'>): Promise<void> {
  await brain.refresh();
  brain.allAttachments.touchAll();
  await brain.allAttachments.settle();
}

async function found({ run }: Pick<TestBrain, 'run'>, query: string, more: object = {}, caller = agent) {
  const { results } = await run(queryNotes, { query, ...more }, caller);
  return results.map(({ path, status: state, page }) => [path, state, ...(page === undefined ? [] : [page])]);
}

it('finds the words of a PDF file with their page, and those of a canvas', async () => {
  const world = await openRead();
  const { results } = await world.run(queryNotes, { query: 'gasket leaks' });
  expect(results[0]).toMatchObject({
    path: 'Papers/pump.pdf',
    title: 'pump.pdf',
    status: 'attachment',
    page: 3,
    excerpt: 'The gasket leaks below zero.',
  });
  expect(await found(world, 'impeller_ratio')).toEqual([['Papers/pump.pdf', 'attachment', 1]]);
  for (const words of ['quittenmarmelade', 'kellerregal', '"eingelagert in"', 'gelee'])
    expect(await found(world, words)).toEqual([['Boards/jam.canvas', 'attachment']]);
  // Those of the inbox become notes.
  expect(world.documents.asked).toEqual(['pump.pdf']);
});

it('finds a file by its name, beside notes, and filters by status, folder and wing', async () => {
  const world = await openRead({ ...FILES, 'wiki/home/pump plan.canvas': BOARD });
  const both = await found(world, 'pump');
  expect(both.map(([path]) => path)).toContain('wiki/home/facts/pump.md');
  expect(both.map(([path]) => path)).toContain('Papers/pump.pdf');
  expect(await found(world, 'pump', { status: 'wiki' })).toEqual([['wiki/home/facts/pump.md', 'wiki']]);
  const alone = await found(world, 'pump', { status: 'attachment' });
  expect(alone.map(([, state]) => state)).toEqual(['attachment', 'attachment']);
  expect(await found(world, 'pump', { under: 'Papers' })).toEqual([['Papers/pump.pdf', 'attachment', 1]]);
  const inWing = await found(world, 'pump', { wing: 'home', status: 'attachment' });
  expect(inWing).toEqual([['wiki/home/pump plan.canvas', 'attachment']]);
  for (const filter of [{ hall: 'facts' }, { written_by: 'me' }, { origin: 'mcp' }])
    expect(await found(world, 'gasket', filter)).toEqual([]);
});

it('reads the words of a file as data, page by page', async () => {
  const { run } = await openRead();
  expect(await run(getNote, { path: 'Papers/pump.pdf' })).toMatchObject({
    path: 'Papers/pump.pdf',
    title: 'pump.pdf',
    status: 'attachment',
    frontmatter: {},
    body: PAGES.markdown,
    page: 1,
    pages: [{ page: 3, offset: 27 }],
    truncated: false,
  });
  const late = await run(getNote, { path: '[[pump.pdf#page=3]]', max_chars: 10 });
  expect(late).toMatchObject({ page: 3, body: 'The gasket', truncated: true, next_offset: 37 });
  const next = await run(getNote, { path: 'pump.pdf', offset: 37 });
  expect(next).toMatchObject({ page: 3, body: ' leaks below zero.', truncated: false });
});

it('reads nothing again after a restart, and what changed alone', async () => {
  const first = await openRead();
  await first.close();
  const { vault, state } = first;
  const again = await openRead({}, ON, { on: { vault, state } });
  expect(again.documents.asked).toEqual([]);
  expect(await found(again, 'gasket')).toEqual([['Papers/pump.pdf', 'attachment', 3]]);
  expect(await found(again, 'kellerregal')).toEqual([['Boards/jam.canvas', 'attachment']]);

  vault.touch('Papers/pump.pdf');
  vault.outside('Boards/jam.canvas', BOARD.replace('Kellerregal', 'Dachboden'));
  await readAll(again);
  expect(again.documents.asked).toEqual([]);
  expect(await found(again, 'kellerregal')).toEqual([]);
  expect(await found(again, 'dachboden')).toEqual([['Boards/jam.canvas', 'attachment']]);
});

it('follows a file that is moved or removed, and keeps no words of one that is gone', async () => {
  const world = await openRead();
  const { vault, files, state } = world;
  const bytes = files.get('Papers/pump.pdf') ?? '';
  vault.outside('Papers/pump.pdf', null);
  vault.outside('Manuals/pump.pdf', bytes);
  await readAll(world);
  expect(world.documents.asked).toEqual(['pump.pdf']);
  expect(await found(world, 'gasket')).toEqual([['Manuals/pump.pdf', 'attachment', 3]]);
  vault.outside('Manuals/pump.pdf', null);
  vault.outside('Boards/jam.canvas', null);
  await readAll(world);
  expect(await found(world, 'gasket')).toEqual([]);
  const kept = [...state.files.keys()].filter((path) => path.includes('/attachments/'));
  expect(kept).toEqual(['local.testtest/attachments/files.json']);
});

it('tells of a file that cannot be read, and tries it again only when it changes or the program does', async () => {
  const documents = reader();
  documents.script('pump.pdf', new BrainError('no_text', 'pump.pdf has no text. Ingest another one.'));
  const files = { ...FILES, 'Boards/broken.canvas': '{"nodes":' };
  const world = await openRead(files, ON, { documents });
  const check = async ({ run }: Pick<TestBrain, 'run'>) =>
    (await run(status)).checks.find(({ name }) => name === 'attachments');
  expect(await check(world)).toMatchObject({
    state: 'ok',
    message:
      'Searched: 0 PDF files and 1 canvas. 2 files cannot be read: Boards/broken.canvas (It is no canvas), Papers/pump.pdf (It has no text).',
  });
  await world.close();
  const { vault, state } = world;
  const again = await openRead({}, ON, { documents, on: { vault, state } });
  vault.touch('Papers/pump.pdf');
  await readAll(again);
  expect(documents.asked).toEqual(['pump.pdf']);

  documents.script('pump.pdf', PAGES);
  await again.brain.tryTextsAgain();
  await again.brain.allAttachments.settle();
  expect(await found(again, 'gasket')).toEqual([['Papers/pump.pdf', 'attachment', 3]]);
});

it('passes over a file after the process has ended twice while it read it', async () => {
  const documents = reader();
  documents.script('pump.pdf', () => new Promise(() => undefined));
  const first = await openTestBrain(FILES, ON, undefined, { documents });
  for (const times of [1, 2]) {
    const { vault, state } = first;
    const world = await openTestBrain({}, ON, undefined, { documents, on: { vault, state } });
    world.brain.allAttachments.touchAll();
    void world.brain.allAttachments.settle();
    while (documents.asked.length < times) await new Promise((resolve) => setImmediate(resolve));
  }
  const { vault, state } = first;
  const last = await openRead({}, ON, { documents, on: { vault, state } });
  expect(documents.asked).toHaveLength(2);
  expect(last.brain.attachments.state.unread).toEqual([
    { path: 'Papers/pump.pdf', reason: 'The service has ended twice while it read it.' },
  ]);
});

it('tells a caller with read paths of the files in them alone', async () => {
  const world = await openRead({ ...FILES, 'Boards/pump.canvas': BOARD });
  const intern = { ...callerWith(['read'], 'intern'), limits: { read: ['Boards'] } };
  expect(await found(world, 'gasket', {}, intern)).toEqual([]);
  expect(await found(world, 'kellerregal', {}, intern)).toHaveLength(2);
  await expect(world.run(getNote, { path: 'Papers/pump.pdf' }, intern)).rejects.toMatchObject({
    code: expect.stringMatching(/not_found|not_allowed/),
  });
  const seen = world.brain.viewFor(intern).attachments.state;
  expect([seen.pdfs, seen.canvases]).toEqual([0, 2]);
  const blind = callerWith(['propose'], 'blind');
  const { attachments } = world.brain.viewFor(blind);
  expect(await attachments.best('gasket', { limit: 5, accept: () => true })).toEqual([]);
});

it('ranks an attachment of many pages below a note that says the same, and leaves the scores of notes', async () => {
  const markdown = Array.from({ length: 40 }, (_, at) => `Chapter ${at} of the sea. The heron waits.`);
  const pages = markdown.map((_, at) => ({
    page: at + 1,
    from: markdown.slice(0, at).reduce((sum, each) => sum + each.length + 2, 0),
  }));
  const documents = reader();
  documents.script('birds.pdf', { markdown: markdown.join('\n\n'), pages });
  const files = {
    'Books/birds.pdf': 'many pages',
    'Heron.md': '# Heron\n\nThe heron waits.\n',
    'Stork.md': '# Stork\n\nThe stork does not wait for the heron.\n',
  };
  const without = await openTestBrain(files, { attachments: false });
  const world = await openRead(files, ON, { documents });
  const query = { query: 'heron waits' };
  const [alone, beside] = [await without.run(queryNotes, query), await world.run(queryNotes, query)];
  expect(beside.results[0]?.path).toBe('Heron.md');
  expect(beside.results.filter(({ status: state }) => state === 'attachment')).toHaveLength(1);
  const notes = beside.results.filter(({ status: state }) => state !== 'attachment');
  expect(notes).toEqual(alone.results);
});

it('searches a new vault, no other until its owner has agreed, and forgets all words when it is switched off', async () => {
  const world = await openRead(FILES, {});
  expect(world.brain.attachments.state.choice).toBe('unasked');
  expect(world.documents.asked).toEqual([]);
  const checks = (await world.run(status)).checks.filter(({ name }) => name === 'attachments');
  expect(checks).toMatchObject([{ state: 'warning', message: expect.stringContaining('2 files') }]);

  expect(checks).toMatchObject([{ action: 'read-attachments' }]);
  const bot = { ...callerWith(), owner: false };
  expect(await world.refusal(chooseAttachments, { read: true }, bot)).toMatchObject({
    code: 'forbidden_scope',
  });
  expect(await world.run(chooseAttachments, { read: true })).toEqual({ read: true, files: 2 });
  await world.brain.allAttachments.settle();
  expect(await found(world, 'gasket')).toHaveLength(1);
  await world.close();

  const { vault, state } = world;
  const again = await openRead({}, {}, { on: { vault, state } });
  expect(await found(again, 'gasket')).toHaveLength(1);
  await again.close();
  const off = await openRead({}, { attachments: false }, { on: { vault, state } });
  expect(await found(off, 'gasket')).toEqual([]);
  expect([...state.files.keys()].filter((path) => path.includes('/attachments/'))).toEqual([]);
  expect(off.brain.attachments.state).toMatchObject({ choice: 'off', isSet: true, waiting: 0 });
  expect(await off.run(chooseAttachments, { read: true })).toMatchObject({ read: false });
});

it('changes no file of the vault, and looks at no file that is left out', async () => {
  const files = { ...FILES, 'Private/secret.pdf': 'secret', 'node_modules/x/doc.pdf': 'program' };
  const world = await openRead(files, { ...ON, exclude: ['Private'] });
  expect(Object.fromEntries(world.files)).toEqual(files);
  expect(world.documents.asked).toEqual(['pump.pdf']);
  const narrow = await openRead(FILES, { ...ON, readScope: 'brain' });
  expect(narrow.documents.asked).toEqual([]);
  expect(await narrow.brain.attachments.read(vaultPath('Papers/pump.pdf'))).toBeNull();
});

it('follows the files of the vault in the background, one at a time, and what its owner chooses', async () => {
  const clock = fixedClock(NOW);
  const { sleep, pass } = manualSleep(clock);
  const documents = reader();
  let [running, most] = [0, 0];
  for (const name of ['a.pdf', 'b.pdf', 'c.pdf'])
    documents.script(name, async () => {
      most = Math.max(most, (running += 1));
      await sleep(100);
      running -= 1;
      return { ...PAGES, converted: false, warnings: [] };
    });
  const files = { 'a.pdf': 'a', 'b.pdf': 'b' };
  const world = await openTestBrain(files, {}, undefined, { documents, sleep });
  const following = followAttachments(world.brain, sleep);
  await pass(10_000);
  expect(documents.asked).toEqual([]);
  await world.run(chooseAttachments, { read: true });
  await pass(10_000);
  expect(documents.asked).toEqual(['a.pdf', 'b.pdf']);
  world.vault.outside('c.pdf', 'c');
  world.vault.outside('a.pdf', null);
  await pass(10_000);
  expect(most).toBe(1);
  expect((await found(world, 'gasket')).map(([path]) => path)).toEqual(['b.pdf', 'c.pdf']);
  // Another device has the same choice, as soon as a sync program brings it.
  await world.state.write('attachments.json', '{"read":false}\n');
  await pass(70_000);
  expect(await found(world, 'gasket')).toEqual([]);
  await following.close();
  await world.close();
});

it('looks a few times, each in a slice, where long files fill the list with their parts', async () => {
  const documents = reader();
  const names = Array.from({ length: 6 }, (_, at) => `long ${at}.pdf`);
  for (const name of names) {
    const pages = Array.from({ length: 210 }, (_, at) => ({ page: at + 1, from: at * 10 }));
    documents.script(name, { markdown: 'heron one '.repeat(210), pages });
  }
  const world = await openRead(Object.fromEntries(names.map((name) => [name, name])), ON, { documents });
  const slices = jest.spyOn(world.brain.allAttachments.ports.pace, 'run');
  const hits = await world.brain.attachments.best('heron', { limit: 50, accept: () => true });
  expect(hits.length).toBeGreaterThanOrEqual(3);
  expect(slices).toHaveBeenCalledTimes(3);
});

it('leaves out the words above the most, and looks again when there is room', async () => {
  const documents = reader();
  for (const name of ['a.pdf', 'b.pdf']) documents.script(name, { markdown: `heron ${'x'.repeat(60)}` });
  const world = await openTestBrain({ 'a.pdf': 'a', 'b.pdf': 'b' }, ON, undefined, { documents });
  const open = () => new Attachments({ ...world.brain, local: 'local.x', setting: true }, 100);
  const settled = async (attachments: Attachments) => {
    await world.brain.refresh();
    attachments.touchAll();
    await attachments.settle();
    const { pdfs, unread } = attachments.stateOf(() => true);
    return [pdfs, unread.map(({ path }) => path)];
  };
  const first = open();
  expect(await settled(first)).toEqual([1, ['b.pdf']]);
  expect(await settled(open())).toEqual([1, ['b.pdf']]);
  world.vault.outside('a.pdf', null);
  expect(await settled(first)).toEqual([1, []]);
  expect(await settled(open())).toEqual([1, []]);
  expect(documents.asked).toEqual(['a.pdf', 'b.pdf']);
});

it('says why a file has no words without its name, which may have dots', async () => {
  const documents = reader();
  documents.script('Vol. 2.pdf', new BrainError('no_text', 'Vol. 2.pdf has no text. Ingest another one.'));
  const { brain } = await openRead({ 'Vol. 2.pdf': 'x' }, ON, { documents });
  expect(brain.attachments.state.unread).toEqual([{ path: 'Vol. 2.pdf', reason: 'It has no text.' }]);
});

it('chooses nothing at the first start where the setting decides', async () => {
  const { brain, state } = await openTestBrain({}, { attachments: false });
  const ports = { ...brain, local: 'local.x' };
  await new Attachments({ ...ports, setting: false }).open(true);
  expect(state.files.has('attachments.json')).toBe(false);
  await new Attachments({ ...ports, setting: undefined }).open(true);
  expect(state.files.get('attachments.json')).toBe('{"read":true}\n');
});
