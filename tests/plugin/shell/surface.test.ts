import { BrainServerPlugin } from '../../../src/plugin/shell/plugin';
import { freePort } from '../../support/free-port';
import { closeWorlds, MANIFEST, openWorld, type World } from '../plugin-world';

afterEach(closeWorlds);

const settingsOf = (world: World): HTMLElement => world.host.openSettings(MANIFEST.id);

/** The settings page as a person reads it: headings, then each row with its words and what can be set in it. */
function readSettings(page: HTMLElement): string[] {
  const pages = page.findAll('.mod-page').map((_, at) => {
    page.findAll('.mod-page')[at]?.click();
    const title = page.querySelector('.setting-title')?.textContent;
    const rows = readRows(page).map((row) => `  ${row}`);
    page.querySelector<HTMLElement>('.setting-back')?.click();
    return [`## ${title ?? ''}`, ...rows];
  });
  return [...readRows(page), ...pages.flat()];
}

function readRows(page: HTMLElement): string[] {
  return page.findAll('.setting-item').map((row) => {
    const words = ['.setting-item-name', '.setting-item-description']
      .map((part) => row.querySelector(part)?.textContent ?? '')
      .filter(Boolean)
      .join(' — ');
    const controls = [...row.querySelectorAll<HTMLElement>('input, select, button, textarea')].map(
      (control) => {
        if (control.instanceOf(HTMLSelectElement)) {
          return `<${[...control.options].map((option) => option.text).join(' | ')}>`;
        }
        if (!control.instanceOf(HTMLInputElement)) return `[${control.textContent}]`;
        return `<${control.type}: ${control.type === 'checkbox' ? String(control.checked) : control.value}>`;
      },
    );
    return [row.hasClass('setting-item-heading') ? `# ${words}` : words, ...controls].join(' ');
  });
}

it('has these commands', async () => {
  const { host } = await openWorld();
  expect(host.commands.map(({ id, name }) => `${id}: ${name}`)).toMatchSnapshot();
  expect(host.commands.filter((command) => command.hotkeys !== undefined)).toEqual([]);
});

it('offers a command only when it can do something', async () => {
  const world = await openWorld();
  const offered = () =>
    world.host.commands
      .filter(({ callback, checkCallback }) => callback !== undefined || checkCallback?.(true) === true)
      .map(({ id }) => id.replace('brain-server:', ''));
  const before = offered();
  expect(before).toContain('start-server');
  for (const id of ['search', 'capture', 'stop-server', 'reindex-all', 'promote-note', 'note-history']) {
    expect(before).not.toContain(id);
  }
  await world.start();
  const running = offered();
  for (const id of [
    'search',
    'capture',
    'stop-server',
    'restart-server',
    'reindex-all',
    'restore-rejected',
  ]) {
    expect(running).toContain(id);
  }
  for (const id of ['start-server', 'promote-note', 'reject-note', 'note-history'])
    expect(running).not.toContain(id);

  await world.host.app.workspace.openLinkText('raw/2026-11-14-mtu.md', '');
  expect(offered()).toEqual(expect.arrayContaining(['promote-note', 'reject-note', 'note-history']));
  await world.host.app.workspace.openLinkText('raw/rejected/2026-11-01-spam.md', '');
  expect(offered()).not.toContain('promote-note');
});

it('has these views, icons and handlers', async () => {
  const { host } = await openWorld();
  const { views, ribbon, protocolHandlers, cliCommands, statusBar } = host.leaks();
  expect({ views, ribbon, protocolHandlers, cliCommands, statusBar }).toMatchSnapshot();
});

it('has these settings before the server runs', async () => {
  const world = await openWorld({ saved: { port: 27246 } });
  // The values come with a part of the code that is loaded when it is first needed.
  const shown = () => readSettings(settingsOf(world));
  await world.until('the values', () => shown().some((row) => row.includes('27246')));
  expect(shown()).toMatchSnapshot();
});

it('leaves nothing registered when it is unloaded', async () => {
  const world = await openWorld();
  await world.start();
  await world.host.app.workspace.getLeaf('tab').setViewState({ type: 'brain-server-queue', active: true });
  world.host.unloadPlugin(MANIFEST.id);
  // The vault is let go of when the running write has ended.
  await world.until('the vault is closed', () => world.host.leaks().events.length === 0);
  const left = world.host.leaks();
  // The selector engine of the test's own document tracks the pointer.
  const domListeners = left.domListeners.filter((name) => !/^document:mouse(?:over|out)$/.test(name));
  expect({ ...left, domListeners }).toEqual({
    events: [],
    domListeners: [],
    intervals: 0,
    commands: [],
    ribbon: [],
    statusBar: 0,
    settingTabs: [],
    views: [],
    extensions: [],
    protocolHandlers: [],
    cliCommands: [],
    codeBlocks: [],
  });
});

it('runs again, on the same port, after it was reloaded in the same tick', async () => {
  const port = await freePort();
  const world = await openWorld({ saved: { port } });
  await world.start();
  world.plugin = await world.host.reloadPlugin(BrainServerPlugin, MANIFEST);
  await world.until('the server runs again', () => world.statusText().includes('Brain running'));
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  expect(world.told()).toEqual([]);
  expect(world.host.commands.filter(({ id }) => id === 'brain-server:open-queue')).toHaveLength(1);
});
