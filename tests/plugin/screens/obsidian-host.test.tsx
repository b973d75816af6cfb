import { MarkdownView } from 'obsidian';
import { createObsidianHost, draggedPaths } from '../../../src/plugin/screens/host';
import { LastEditor, settingsOpener } from '../../../src/plugin/screens/open';
import type { Service } from '../../../src/plugin/server/control';
import { DeviceStore } from '../../../src/plugin/server/store';
import { useUi } from '../../../src/ui/client/context';
import type { UiHost } from '../../../src/ui/client/host';
import { fakeClient, fakeService } from '../fake-service';
import { closeWorlds, FILES, openWorld, type World } from '../plugin-world';

afterEach(closeWorlds);

const NOTE = 'wiki/net/facts/dns.md';

interface Stage {
  readonly world: World;
  readonly ui: UiHost;
  readonly service: ReturnType<typeof fakeService>;
}

async function openStage(served: Pick<Service, 'readFile'> = { readFile: null }): Promise<Stage> {
  const world = await openWorld();
  await world.press('Not now');
  const { app } = world.host;
  const lastEditor = new LastEditor(world.plugin);
  lastEditor.follow();
  const service = { ...fakeService(), ...served };
  const ui = createObsidianHost({
    app,
    client: fakeClient(),
    device: new DeviceStore(app),
    lastEditor,
    service,
    layers: new Set(),
    session: new Map(),
    restart: () => service.restart(),
    id: 'brain-server',
  });
  return { world, ui, service };
}

const active = (world: World) => world.host.app.workspace.getActiveFile()?.path;

it('opens a note where notes are read, or in a new pane', async () => {
  const { world, ui } = await openStage();
  const { workspace } = world.host.app;
  ui.openNote(NOTE);
  await world.until('the note', () => active(world) === NOTE);
  const before = workspace.getLeavesOfType('markdown').length;
  ui.openNote('Journal.md', { newPane: true });
  await world.until('the other note', () => active(world) === 'Journal.md');
  expect(workspace.getLeavesOfType('markdown')).toHaveLength(before + 1);
  ui.openNote(NOTE, { heading: 'Resolver' });
  await world.until('the heading', () => world.host.openedLinks.at(-1)?.linktext === `${NOTE}#Resolver`);
});

it('opens a document at its page, in a tab of its own', async () => {
  const { world, ui } = await openStage();
  await world.host.outside('inbox/processed/2026-11-20/report.pdf', '%PDF');
  await world.host.settle();
  ui.openFile?.('inbox/processed/2026-11-20/report.pdf', 3);
  const link = 'inbox/processed/2026-11-20/report.pdf#page=3';
  await world.until('the page', () => world.host.openedLinks.at(-1)?.linktext === link);
  ui.openFile?.('inbox/gone.pdf');
  expect(world.told()).toContain('inbox/gone.pdf is not in the vault any more.');
});

it('opens a note at a quote, and at its beginning when the quote is gone', async () => {
  const { world, ui } = await openStage();
  const openFile = jest.spyOn(world.host.app.workspace.getLeaf(false), 'openFile');
  ui.openNote(NOTE, { quote: 'The resolver is 10.0.0.2.' });
  await world.until('the note', () => openFile.mock.calls.length === 1);
  ui.openNote(NOTE, { quote: 'Something else.' });
  await world.until('the note', () => openFile.mock.calls.length === 2);
  // The quote stands in the seventh line, counted from 0.
  expect(openFile.mock.calls.map(([, state]) => state)).toEqual([
    { active: true, eState: { line: 6 } },
    { active: true },
  ]);
});

it('leaves the screen where it is when it opens a note from it', async () => {
  const { world, ui } = await openStage();
  const { workspace } = world.host.app;
  await workspace.getLeaf('tab').setViewState({ type: 'brain-server-queue', active: true });
  ui.openNote(NOTE);
  await world.until('the note', () => active(world) === NOTE);
  expect(workspace.getLeavesOfType('brain-server-queue')).toHaveLength(1);
});

it('makes no note out of a link to one that is gone', async () => {
  const { world, ui } = await openStage();
  const before = await world.host.paths();
  ui.openNote('raw/gone.md');
  ui.editNote?.('raw/gone.md');
  ui.insertLink?.('raw/gone.md', 'Gone');
  await world.host.settle();
  expect(world.told()).toEqual(Array(3).fill('raw/gone.md is not in the vault any more.'));
  expect(await world.host.paths()).toEqual(before);
});

it('opens a note whose name a link would cut short, and makes no other', async () => {
  const { world, ui } = await openStage();
  const note = 'raw/2026-11-16-C# or F#.md';
  await world.host.app.vault.create(note, 'Which one?\n');
  const before = await world.host.paths();
  ui.openNote(note);
  await world.until('the note', () => active(world) === note);
  ui.openNote(NOTE);
  await world.until('another note', () => active(world) === NOTE);
  ui.openNote(note, { newPane: true, heading: 'Speed' });
  await world.until('the note again', () => active(world) === note);
  expect(await world.host.paths()).toEqual(before);
});

it('opens a note to be edited', async () => {
  const { world, ui } = await openStage();
  ui.editNote?.(NOTE);
  await world.until('the note', () => active(world) === NOTE);
  expect(world.host.app.workspace.getActiveViewOfType(MarkdownView)?.getState()).toMatchObject({
    mode: 'source',
  });
});

it('puts a link where the person was writing, also when a screen has the focus since', async () => {
  const { world, ui } = await openStage();
  const { workspace } = world.host.app;
  await world.host.openFile('Journal.md');
  await workspace.getLeaf('tab').setViewState({ type: 'brain-server-search', active: true });
  ui.insertLink?.(NOTE, 'DNS');
  const text = () => {
    const view = workspace.getLeavesOfType('markdown')[0]?.view;
    return view instanceof MarkdownView ? view.editor.getValue() : '';
  };
  await world.until('the link', () => text().includes('[['));
  expect(text()).toMatch(/\[\[(?:wiki\/net\/facts\/)?dns\|DNS\]\]/);
});

it('puts in a link to a note of a server elsewhere, which no file of the app is', async () => {
  const { world, ui } = await openStage({ readFile: () => Promise.reject(new Error('No file.')) });
  await world.host.openFile('Journal.md');
  ui.insertLink?.('wiki/net/facts/a (b) & c.md', 'A [b]');
  const [leaf] = world.host.app.workspace.getLeavesOfType('markdown');
  const text = leaf?.view instanceof MarkdownView ? leaf.view.editor.getValue() : '';
  const [link, title, address = ''] = /\[((?:\\.|[^\]])*)\]\(([^()]*)\)/.exec(text) ?? [];
  expect(title).toBe('A \\[b\\]');
  expect(link).toContain('obsidian://brain-server?');
  expect(Object.fromEntries(new URL(address).searchParams)).toEqual({
    vault: world.host.app.vault.getName(),
    screen: 'note',
    path: 'wiki/net/facts/a (b) & c.md',
  });
});

it('says that no note is open for a link', async () => {
  const { world, ui } = await openStage();
  ui.insertLink?.(NOTE, 'DNS');
  await world.until('the notice', () => world.told().length === 1);
  expect(world.told()[0]).toContain('Open the note');
});

it('goes to another screen', async () => {
  const { world, ui } = await openStage();
  ui.go('history', { path: NOTE });
  const { workspace } = world.host.app;
  await world.until('the screen', () => workspace.getLeavesOfType('brain-server-history').length === 1);
});

it('copies to the clipboard of the window that has the focus', async () => {
  const { world, ui } = await openStage();
  const copied: string[] = [];
  const clipboard = { writeText: async (text: string) => void copied.push(text) };
  Object.defineProperty(world.document.defaultView?.navigator ?? {}, 'clipboard', { value: clipboard });
  await ui.copy('some text');
  expect(copied).toEqual(['some text']);
});

it('keeps preferences on this device', async () => {
  const { world, ui } = await openStage();
  expect(ui.preferences.get('keys')).toBeNull();
  ui.preferences.set('keys', 'off');
  expect(ui.preferences.get('keys')).toBe('off');
  expect(world.host.device.localStorage.get('brain-server:screens.keys')).toBe('"off"');
});

it('says where agents reach the server, and starts it again', async () => {
  const { ui, service } = await openStage();
  expect(ui.connection.url).toBe(service.url);
  await ui.restartServer?.();
  expect(service.calls).toEqual(['restart']);
  expect(await ui.tokens?.list()).toEqual([]);
});

it('makes the folders that are missing, and no others', async () => {
  const { world, ui } = await openStage();
  const { vault } = world.host.app;
  const missing = ['knowledge', 'inbox', 'sessions'].filter((name) => vault.getFolderByPath(name) === null);
  expect(missing.length).toBeGreaterThan(0);
  const before = await world.host.paths();
  await ui.makeFolders?.();
  await ui.makeFolders?.();
  for (const name of ['wiki', 'knowledge', 'raw', 'inbox', 'sessions'])
    expect(vault.getFolderByPath(name)).not.toBeNull();
  expect(await world.host.paths()).toEqual(before);
});

it('opens its settings where the app has a way to', async () => {
  const { world } = await openStage();
  const { app } = world.host;
  expect(settingsOpener(app, 'brain-server')).toBeNull();
  const done: unknown[] = [];
  const setting = {
    open: () => void done.push('open'),
    openTabById: (id: string) => void done.push(id),
  };
  settingsOpener(Object.assign(Object.create(app), { setting }), 'brain-server')?.();
  expect(done).toEqual(['open', 'brain-server']);
  expect(settingsOpener(Object.assign(Object.create(app), { setting: {} }), 'x')).toBeNull();
});

describe('a layer', () => {
  function Inside() {
    const { host } = useUi();
    return (
      <>
        <button id="one">{host.kind}</button>
        <button id="two">two</button>
      </>
    );
  }

  it('has a title and the surroundings of the screens, and closes once', async () => {
    const { world, ui } = await openStage();
    let closed = 0;
    const close = ui.openLayer('Keys', <Inside />, () => (closed += 1));
    const modal = world.document.querySelector('.modal');
    expect(modal?.querySelector('.modal-title')?.textContent).toBe('Keys');
    expect(modal?.querySelector('#one')?.textContent).toBe('obsidian');
    close();
    close();
    expect(closed).toBe(1);
    expect(world.document.querySelector('#one')).toBeNull();
  });

  it('closes on Escape and gives the focus back', async () => {
    const { world, ui } = await openStage();
    const before = world.document.body.createEl('button');
    before.focus();
    let closed = 0;
    ui.openLayer('Keys', <Inside />, () => (closed += 1));
    world.document.getElementById('two')?.focus();
    world.document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    expect(closed).toBe(1);
    expect(world.document.activeElement).toBe(before);
  });

  it('keeps the focus inside', async () => {
    const { world, ui } = await openStage();
    ui.openLayer('Keys', <Inside />);
    const [one, two] = ['one', 'two'].map((id) => world.document.getElementById(id));
    // The test's document lays nothing out, so that nothing in it counts as shown.
    for (const button of [one, two]) Object.assign(button ?? {}, { isShown: () => true });
    const press = (shiftKey: boolean) =>
      world.document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Tab', shiftKey, bubbles: true, cancelable: true }),
      );
    two?.focus();
    press(false);
    expect(world.document.activeElement).toBe(one);
    press(true);
    expect(world.document.activeElement).toBe(two);
  });
});

it('remembers for one screen after another, and nothing on the device', async () => {
  const { world, ui } = await openStage();
  expect(ui.session.get('queue.decisions')).toBeNull();
  ui.session.set('queue.decisions', '[]');
  expect(ui.session.get('queue.decisions')).toBe('[]');
  expect(new DeviceStore(world.host.app).get('queue.decisions')).toBeNull();
});

it('knows the files and folders that are dragged from the explorer', async () => {
  const { host } = await openWorld({ files: { ...FILES, 'papers/cellar.md': '# Cellar\n' } });
  const url = (file: string, vault = host.app.vault.getName()) =>
    `obsidian://open?vault=${encodeURIComponent(vault)}&file=${encodeURIComponent(file)}`;
  const dragged = (text: string) => draggedPaths(host.app, text);
  expect(dragged(url('papers/cellar'))).toEqual(['papers/cellar.md']);
  expect(dragged(`${url('Journal')}\n${url('papers')}\r\n${url('Journal')}`)).toEqual([
    'Journal.md',
    'papers',
  ]);
  expect(dragged(url('papers/cellar.md', 'another vault'))).toEqual([]);
  expect(dragged(url('gone.md'))).toEqual([]);
  expect(dragged('https://example.org/\nfile:///etc/passwd')).toEqual([]);
});
