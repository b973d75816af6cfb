import { type ScreenName, SCREENS } from '../../src/ui/client/screens';
import { MANIFEST, closeWorlds, openWorld, type World } from './plugin-world';

afterEach(closeWorlds);

const NAMES = Object.keys(SCREENS) as ScreenName[]; // The keys of a constant are its names; Object.keys forgets that.

const leafOf = (world: World, screen: ScreenName) =>
  world.host.app.workspace.getLeavesOfType(`brain-server-${screen}`)[0];

/** The element that the view of the screen draws into. */
function contentOf(world: World, screen: ScreenName): HTMLElement {
  const content = leafOf(world, screen)?.view.containerEl.querySelector<HTMLElement>('.view-content');
  if (!content) throw new Error(`The screen ${screen} is not open.`);
  return content;
}

const shows = (world: World, screen: ScreenName) =>
  world.until(
    `the screen ${screen}`,
    () =>
      leafOf(world, screen) !== undefined &&
      contentOf(world, screen).querySelector('.brain-screen h1') !== null,
  );

it.each(NAMES)('shows the screen %s under its title and icon', async (screen) => {
  const world = await openWorld();
  await world.start();
  await world.host.app.workspace
    .getLeaf('tab')
    .setViewState({ type: `brain-server-${screen}`, active: true });
  await shows(world, screen);
  const view = leafOf(world, screen)?.view;
  expect(view?.getDisplayText()).toBe(SCREENS[screen].title);
  expect(view?.getIcon()).toBe(SCREENS[screen].icon);
  expect(contentOf(world, screen).querySelectorAll(':scope > .brain-screen')).toHaveLength(1);
});

it('says how the server is while the vault is not open, and offers what helps', async () => {
  const world = await openWorld();
  await world.press('Not now');
  world.host.runCommand('brain-server:open-queue');
  await world.until('the view', () => leafOf(world, 'queue') !== undefined);
  expect(contentOf(world, 'queue').textContent).toContain('Nothing runs yet');
  await world.press('Show the folders');
  await world.start();
  await shows(world, 'queue');
  expect(contentOf(world, 'queue').querySelector('.brain-empty')?.textContent ?? '').not.toContain(
    'Nothing runs',
  );

  world.host.runCommand('brain-server:stop-server');
  await world.until('that it is off', () => contentOf(world, 'queue').textContent.includes('Brain off'));
  await world.press('Start');
  await shows(world, 'queue');
});

it('opens a screen where it is open already', async () => {
  const world = await openWorld();
  for (let times = 0; times < 3; times += 1) {
    world.host.runCommand('brain-server:open-audit');
    await world.until('the view', () => leafOf(world, 'audit') !== undefined);
  }
  expect(world.host.app.workspace.getLeavesOfType('brain-server-audit')).toHaveLength(1);
});

it('keeps what a screen says of itself in its own view, and leaves others of its kind and the focus alone', async () => {
  const world = await openWorld();
  await world.start();
  const { workspace } = world.host.app;
  const type = 'brain-server-search';
  const [other, leaf] = [workspace.getLeaf('tab'), workspace.getLeaf('tab')];
  await other.setViewState({ type, state: { params: { q: 'other' } } });
  await leaf.setViewState({ type, active: true });
  await world.until('the field', () => leaf.view.containerEl.querySelector('input') !== null);
  const input = leaf.view.containerEl.querySelector('input');
  input?.focus();
  if (input !== null) input.value = 'resolver';
  input?.trigger('input');
  await world.until('the words', () => JSON.stringify(leaf.view.getState()).includes('resolver'));
  expect(leaf.view.getState()).toEqual({ params: { q: 'resolver' } });
  expect(other.view.getState()).toEqual({ params: { q: 'other' } });
  expect(world.document.activeElement).toBe(input);
});

it('keeps what it shows in the layout, and reads a layout that holds anything', async () => {
  const world = await openWorld();
  const leaf = world.host.app.workspace.getLeaf('tab');
  const type = 'brain-server-history';
  await leaf.setViewState({ type, state: { params: { path: 'wiki/net/facts/dns.md', odd: 7 } } });
  expect(leaf.getViewState().state).toEqual({ params: { path: 'wiki/net/facts/dns.md' } });
  for (const state of [{}, { params: null }, { params: ['a'] }, { params: 'text' }]) {
    await leaf.setViewState({ type, state });
    expect(leaf.view.getState()).toMatchObject({ params: expect.any(Object) });
  }
});

it('comes back from a saved layout only when it is looked at', async () => {
  const world = await openWorld();
  await world.start();
  const leaf = await world.host.openDeferred('brain-server-home');
  expect(leaf.isDeferred).toBe(true);
  await world.host.app.workspace.revealLeaf(leaf);
  await shows(world, 'home');
});

it('shows the screen in a window of its own, and follows into one', async () => {
  const world = await openWorld();
  await world.start();
  const { workspace } = world.host.app;
  const popout = workspace.openPopoutLeaf();
  await popout.setViewState({ type: 'brain-server-queue', active: true });
  await shows(world, 'queue');
  const content = contentOf(world, 'queue');
  expect(content.ownerDocument).not.toBe(world.document);
  expect(content.querySelector('.brain-screen')?.ownerDocument).toBe(content.ownerDocument);

  const leaf = workspace.getLeaf('tab');
  await leaf.setViewState({ type: 'brain-server-home', active: true });
  await shows(world, 'home');
  const before = contentOf(world, 'home').querySelector('.brain-screen');
  workspace.moveLeafToPopout(leaf);
  await shows(world, 'home');
  const after = contentOf(world, 'home').querySelector('.brain-screen');
  expect(after?.ownerDocument).not.toBe(world.document);
  // Drawn anew: what the former one held of its window is dead.
  expect(after).not.toBe(before);
});

it('takes its screen away when it is closed', async () => {
  const world = await openWorld();
  await world.start();
  await world.host.app.workspace.getLeaf('tab').setViewState({ type: 'brain-server-home', active: true });
  await shows(world, 'home');
  const content = contentOf(world, 'home');
  leafOf(world, 'home')?.detach();
  await world.host.settle();
  expect(content.childElementCount).toBe(0);
});

describe('a link from outside', () => {
  it('opens a screen on what it names', async () => {
    const world = await openWorld();
    await world.host.openUri('obsidian://brain-server?screen=queue&path=raw%2F2026-11-14-mtu.md');
    await world.until('the view', () => leafOf(world, 'queue') !== undefined);
    expect(leafOf(world, 'queue')?.view.getState()).toEqual({ params: { path: 'raw/2026-11-14-mtu.md' } });
  });

  it('changes nothing, whatever it says', async () => {
    const world = await openWorld();
    await world.start();
    const before = await world.host.paths();
    await world.host.openUri(
      'obsidian://brain-server?screen=queue&path=raw/2026-11-14-mtu.md&act=reject&reason=x&promote=true',
    );
    await shows(world, 'queue');
    expect(leafOf(world, 'queue')?.view.getState()).toEqual({ params: { path: 'raw/2026-11-14-mtu.md' } });
    expect(await world.host.paths()).toEqual(before);
  });

  it('says that there is no such screen', async () => {
    const world = await openWorld();
    await world.host.openUri('obsidian://brain-server?screen=nothing');
    expect(world.told()).toEqual(['There is no screen “nothing”.']);
    expect(world.host.leaks().views).toHaveLength(NAMES.length);
  });
});

it('has no screen left when the plugin is gone', async () => {
  const world = await openWorld();
  await world.start();
  await world.host.app.workspace.getLeaf('tab').setViewState({ type: 'brain-server-queue', active: true });
  await shows(world, 'queue');
  world.host.unloadPlugin(MANIFEST.id);
  await world.host.settle();
  expect(world.document.querySelector('.brain-screen')).toBeNull();
});

it('takes what it has laid above the app along when it is unloaded', async () => {
  const world = await openWorld();
  await world.start();
  world.host.runCommand('brain-server:search');
  await world.until('the search', () => world.document.querySelector('.brain-modal input') !== null);
  expect(world.host.modals).toHaveLength(1);
  world.host.unloadPlugin(MANIFEST.id);
  expect(world.host.modals).toEqual([]);
  expect(world.document.querySelector('.brain-screen')).toBeNull();
});

it('shows beside the notes what has to do with the one in front, and follows when another comes', async () => {
  const world = await openWorld();
  await world.start();
  const { host } = world;
  await host.openFile('Journal.md');
  host.runCommand('brain-server:open-neighbours');
  await shows(world, 'neighbours');
  const title = () => contentOf(world, 'neighbours').querySelector('.brain-bar h2')?.textContent;
  await world.until('the note in front', () => title() === 'Journal');
  await host.openFile('wiki/net/facts/dns.md');
  await world.until('the other note', () => title() === 'DNS');
});
