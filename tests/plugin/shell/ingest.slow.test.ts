import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DiskStorage } from '../../obsidian/storage/disk';
import { closeWorlds, DATA, FILES, MANIFEST, openWorld, type World } from '../plugin-world';
import { settingRow } from '../setting-rows';

afterEach(closeWorlds);

const PAPER = '# Cellar\n\nThe cellar is at 12 °C all year.\n';
const open = () => openWorld({ files: { ...FILES, 'papers/cellar.md': PAPER } });

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A world whose vault lies on a disk, where files have a place of their own. */
async function openOnDisk(files: Readonly<Record<string, string>>): Promise<World> {
  const root = await mkdtemp(join(tmpdir(), 'brain-ingest-'));
  folders.push(root);
  for (const [path, text] of Object.entries({ [DATA]: '{"port":0}', ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return openWorld({ storage: new DiskStorage(root) });
}

/** The notes of the queue, but those that were there. */
async function made(world: World): Promise<string[]> {
  const paths = await world.host.paths(false);
  return paths.filter((path) => path.startsWith('raw/') && FILES[path] === undefined);
}

const queueOf = (world: World) =>
  world.host.app.workspace.getLeavesOfType('brain-server-queue')[0]?.view.containerEl;

/** How the inbox is, as the service says. */
async function watcherOf(world: World): Promise<{ readonly state?: string }> {
  const { url, ownerToken } = await world.owner();
  const answer = await fetch(`${url}/status`, { headers: { Authorization: `Bearer ${ownerToken}` } });
  const { watcher } = (await answer.json()) as { watcher: { state?: string } }; // The shape that the status declares.
  return watcher;
}

/** Puts text on the clipboard of the window. */
function clip(world: World, text: string): void {
  const { defaultView } = world.document;
  Object.defineProperty(defaultView?.navigator, 'clipboard', {
    value: { readText: () => Promise.resolve(text) },
    configurable: true,
  });
}

describe('the commands', () => {
  it('ingest the current file, which stays where it is, and show the queue', async () => {
    const world = await openOnDisk({ 'papers/cellar.md': PAPER });
    await world.start();
    await world.host.app.workspace.openLinkText('papers/cellar.md', '');
    expect(world.host.runCommand('brain-server:ingest-file')).toBe(true);
    await world.until('the note', async () => (await made(world)).length === 1);
    const [path = ''] = await made(world);
    const note = await world.host.textOf(path);
    expect(note).toContain('extracted_by: passthrough');
    expect(note).toContain('[[papers/cellar|cellar.md]]');
    expect(note).toContain('written_by: human:me');
    expect(await world.host.textOf('papers/cellar.md')).toBe(PAPER);
    await world.until('what came of it', () => queueOf(world)?.textContent.includes('1 note made') === true);
  });

  it('offer nothing for a note that is one already', async () => {
    const world = await open();
    await world.start();
    await world.host.app.workspace.openLinkText('wiki/net/facts/dns.md', '');
    expect(world.host.runCommand('brain-server:ingest-file')).toBe(false);
  });

  it('show how much is on the clipboard, and ingest it under a title', async () => {
    const world = await open();
    await world.start();
    clip(world, 'The well is 30 m deep.\nIt was dug in 1911.');
    world.host.runCommand('brain-server:ingest-clipboard');
    await world.until('the window', () => world.host.modals.length === 1);
    const modal = world.document.querySelector('.modal');
    expect(modal?.textContent).toContain('42 characters on 2 lines');
    expect(modal?.textContent).toContain('The well is 30 m deep.');
    const field = modal?.querySelector('input');
    if (field === null || field === undefined) throw new Error('No title can be given.');
    field.value = 'The well';
    field.trigger('input');
    await world.press('Ingest');
    await world.until('the note', async () => (await made(world)).length === 1);
    const [path = ''] = await made(world);
    expect(path).toMatch(/the-well\.md$/);
    expect(await world.host.textOf(path)).toContain('It was dug in 1911.');
  });

  it('ingest nothing while a word of the title is being composed', async () => {
    const world = await open();
    await world.start();
    clip(world, 'The well is 30 m deep.');
    world.host.runCommand('brain-server:ingest-clipboard');
    await world.until('the window', () => world.host.modals.length === 1);
    const field = world.document.querySelector('.modal input');
    const press = (isComposing: boolean) =>
      field?.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', isComposing, bubbles: true, cancelable: true }),
      );
    press(true);
    expect(world.host.modals).toHaveLength(1);
    press(false);
    expect(world.host.modals).toHaveLength(0);
    await world.until('the note', async () => (await made(world)).length === 1);
  });

  it('say when there is nothing on the clipboard', async () => {
    const world = await open();
    await world.start();
    clip(world, ' \n');
    world.host.runCommand('brain-server:ingest-clipboard');
    await world.until('the notice', () => world.told().includes('There is no text on the clipboard.'));
    expect(world.host.modals).toEqual([]);
  });

  it('take in the files that wait in the inbox, and say how many', async () => {
    const world = await openWorld({
      files: { ...FILES, 'inbox/one.txt': 'One fact.', 'inbox/two.md': 'Two facts.' },
    });
    await world.start();
    expect(await made(world)).toEqual([]);
    await world.until('the look at the inbox', async () => (await watcherOf(world)).state === 'off');
    expect(await watcherOf(world)).toMatchObject({ reason: 'not_switched_on', waiting_count: 2 });
    world.host.runCommand('brain-server:ingest-inbox');
    await world.until('the notice', () => world.told().includes('2 files of the inbox are being ingested.'));
    await world.until('the notes', async () => (await made(world)).length === 2);
    await world.until(
      'the inbox is empty',
      async () => !(await world.host.paths(false)).some((path) => /^inbox\/(one|two)/.test(path)),
    );
    world.host.runCommand('brain-server:ingest-inbox');
    await world.until('the notice', () => world.told().includes('No file waits in the inbox.'));
  });

  it('show what references would be added and why, and add them only then', async () => {
    const path = 'wiki/net/facts/well.md';
    const text = '---\nwing: net\nhall: facts\nurl: https://example.org/well\n---\n\n# Well\n\nIt is deep.\n';
    const world = await openWorld({ files: { ...FILES, [path]: text } });
    await world.start();
    world.host.runCommand('brain-server:backfill-refs');
    await world.until('the window', () => world.host.modals.length === 1);
    const modal = world.document.querySelector('.modal');
    expect(modal?.textContent).toContain('1 note can be given references');
    expect(modal?.textContent).toContain('https://example.org/well, because a property of the note names it');
    expect(await world.host.textOf(path)).toBe(text);
    await world.press('Add to 1 note');
    await world.until('the notice', () => world.told().includes('Added references to 1 note.'));
    expect(await world.host.textOf(path)).toContain('sources: ["https://example.org/well"]');
    world.host.runCommand('brain-server:backfill-refs');
    await world.until('that there is nothing', () =>
      (world.document.querySelector('.modal')?.textContent ?? '').includes('There is nothing to add.'),
    );
  });
});

it('switches the watch of the inbox on for this device alone', async () => {
  const world = await openWorld({ saved: { watcherDevice: 'other' } });
  const page = world.host.openSettings(MANIFEST.id);
  const toggle = () =>
    settingRow(page, 'Watch the inbox on this device').querySelector<HTMLInputElement>(
      'input[type=checkbox]',
    );
  // The values come with a part of the code that is loaded when it is first needed, and then all is drawn anew.
  const port = () => settingRow(page, 'Port').querySelector('input')?.value;
  await world.until('the values', () => port() === '0' && toggle() !== null);
  const saved = async () => JSON.parse((await world.host.textOf(DATA)) ?? '{}') as { watcherDevice?: string };
  expect(toggle()?.checked).toBe(false);
  toggle()?.click();
  await world.until('this device', async () => /^[a-z0-9]{8}$/.test((await saved()).watcherDevice ?? ''));
  toggle()?.click();
  await world.until('no device', async () => (await saved()).watcherDevice === undefined);
});
