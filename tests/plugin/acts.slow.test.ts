import { Menu } from 'obsidian';
import { closeWorlds, FILES, openWorld, type World } from './plugin-world';

afterEach(closeWorlds);

const QUEUED = 'raw/2026-11-14-mtu.md';

/** What the workspace was told, from now on. */
function eventsOn(world: World): unknown[] {
  const seen: unknown[] = [];
  for (const name of ['brain:written', 'brain:promoted', 'brain:rejected']) {
    const { workspace } = world.host.app;
    // Events of plugins are not among those that the app declares.
    Reflect.apply(workspace.on, workspace, [name, (data: unknown) => seen.push([name, data])]);
  }
  return seen;
}

/** Chooses a line of the list that is open. */
function choose(world: World, text: string): void {
  const line = world.document.body.findAll('.suggestion-item').find((one) => one.textContent === text);
  if (line === undefined) throw new Error(`The list does not offer "${text}".`);
  line.click();
}

/** Waits until every note was read. */
const ready = (world: World) =>
  world.until('the notes', async () => {
    const { url, ownerToken } = await world.owner();
    const headers = { authorization: `Bearer ${ownerToken}` };
    const status = await fetch(`${url}/status`, { headers });
    return (await status.text()).includes('"state":"ready"');
  });

const queueState = (world: World) =>
  world.host.app.workspace.getLeavesOfType('brain-server-queue')[0]?.view.getState();

describe('the menu of a file', () => {
  /** Opens the menu of the file as the file explorer does; resolves with its lines. */
  const itemsOn = (world: World, path: string): HTMLElement[] => {
    const menu = new Menu();
    const { workspace, vault } = world.host.app;
    workspace.trigger('file-menu', menu, vault.getAbstractFileByPath(path), 'file-explorer-context-menu');
    menu.showAtPosition({ x: 0, y: 0 });
    return world.document.body.findAll('.menu-item');
  };

  it('offers to promote and to reject a note that awaits review', async () => {
    const world = await openWorld();
    await world.start();
    expect(itemsOn(world, QUEUED).map((item) => item.textContent)).toEqual(['Promote…', 'Reject…']);
  });

  it.each([
    ['Journal.md', 'Adopt this note…', 'Ingest this file'],
    ['papers', 'Ingest this folder'],
    ['papers/one.txt', 'Ingest this file'],
    ['Private/diary.md', 'Ingest this file'],
  ])('offers on %s what can be done with it', async (path, ...titles) => {
    const files = { ...FILES, 'papers/one.txt': 'One.', 'Private/diary.md': 'Mine.' };
    const world = await openWorld({ files, saved: { exclude: ['Private'] } });
    await world.start();
    await ready(world);
    expect(itemsOn(world, path).map((item) => item.textContent)).toEqual(titles);
  });

  it.each(['raw/rejected/2026-11-01-spam.md', 'wiki/net/facts/dns.md', 'wiki', 'raw'])(
    'offers nothing on %s',
    async (path) => {
      const world = await openWorld();
      await world.start();
      expect(itemsOn(world, path)).toEqual([]);
    },
  );

  it('offers nothing while the vault is not open', async () => {
    const world = await openWorld();
    expect(itemsOn(world, QUEUED)).toEqual([]);
  });

  it.each([
    ['Promote…', 'promote'],
    ['Reject…', 'reject'],
  ])('opens the queue on the note with the form ready: %s', async (title, act) => {
    const world = await openWorld();
    await world.start();
    itemsOn(world, QUEUED)
      .find((item) => item.textContent === title)
      ?.click();
    await world.until('the queue', () => queueState(world) !== undefined);
    expect(queueState(world)).toEqual({ params: { path: QUEUED, act } });
    expect(await world.host.textOf(QUEUED)).not.toBeNull();
  });
});

describe('commands', () => {
  it('open the queue on the current note', async () => {
    const world = await openWorld();
    await world.start();
    await world.host.app.workspace.openLinkText(QUEUED, '');
    expect(world.host.runCommand('brain-server:reject-note')).toBe(true);
    await world.until('the queue', () => queueState(world) !== undefined);
    expect(queueState(world)).toEqual({ params: { path: QUEUED, act: 'reject' } });
  });

  it('adopt a note of the owner, and give it back byte for byte', async () => {
    const world = await openWorld();
    await world.start();
    await ready(world);
    const { workspace } = world.host.app;
    await workspace.openLinkText('wiki/net/facts/dns.md', '');
    expect(world.host.runCommand('brain-server:adopt-note')).toBe(false);
    await workspace.openLinkText('Journal.md', '');
    expect(world.host.runCommand('brain-server:give-back-note')).toBe(false);
    expect(world.host.runCommand('brain-server:adopt-note')).toBe(true);
    await world.until(
      'the form',
      () => world.document.querySelector('form[aria-label="Adopt"] input') !== null,
    );
    const wing = world.document.querySelector<HTMLInputElement>('form[aria-label="Adopt"] input');
    if (wing === null) throw new Error('The form has no wing.');
    wing.value = 'home';
    wing.dispatchEvent(new Event('input', { bubbles: true }));
    const rowOfNewWing = () =>
      [...world.document.querySelectorAll<HTMLElement>('form[aria-label="Adopt"] [role="option"]')].find(
        (row) => row.textContent.includes('Create wing “home”'),
      );
    await world.until('the row that makes the wing', () => rowOfNewWing() !== undefined);
    rowOfNewWing()?.click();
    const hall = [...world.document.querySelectorAll<HTMLElement>('form[aria-label="Adopt"] [role="radio"]')];
    hall.find((chip) => chip.textContent.includes('Facts'))?.click();
    await world.until('the place', () =>
      (world.document.querySelector('.brain-dest')?.textContent ?? '').includes('wiki/home/facts/Journal.md'),
    );
    await world.press('Adopt');
    await world.until('the note in the wiki', async () => (await world.host.textOf('Journal.md')) === null);
    expect(await world.host.textOf('wiki/home/facts/Journal.md')).toContain('promoted_by: human:me');
    await world.press('Open it');
    await world.until(
      'the open note',
      () => workspace.getActiveFile()?.path === 'wiki/home/facts/Journal.md',
    );
    expect(world.host.runCommand('brain-server:give-back-note')).toBe(true);
    await world.until('the notice', () => world.told().includes('It is yours again: Journal.md.'));
    expect(await world.host.textOf('Journal.md')).toBe(FILES['Journal.md']);
  });

  it('capture a thought, and tell the workspace', async () => {
    const world = await openWorld();
    await world.start();
    const events = eventsOn(world);
    world.host.runCommand('brain-server:capture');
    await world.until('the window', () => world.host.modals.length === 1);
    const area = world.document.querySelector('textarea');
    if (area === null) throw new Error('There is nowhere to write.');
    await world.press('Capture');
    await world.until(
      'the refusal',
      () => world.document.querySelector('[role="alert"]')?.textContent !== '',
    );
    expect(world.host.modals).toHaveLength(1);
    area.value = '# Wine\n\nThe cellar is at 12 °C.';
    await world.press('Capture');
    await world.until('the note', () => world.host.modals.length === 0);
    const path = 'wiki/notes/facts/wine.md';
    expect(await world.host.textOf(path)).toContain('written_by: human:me');
    expect(world.told().at(-1)).toBe(`Captured as ${path}.`);
    expect(events).toEqual([['brain:written', { path }]]);
  });

  it('take a rejection back', async () => {
    const world = await openWorld();
    await world.start();
    world.host.runCommand('brain-server:restore-rejected');
    await world.until('the list', () => world.host.modals.length === 1);
    choose(world, 'raw/rejected/2026-11-01-spam.md');
    await world.until('the notice', () => world.told().some((text) => text.startsWith('Back in the queue')));
    expect(await world.host.textOf('raw/2026-11-01-spam.md')).toContain('Buy now.');
  });

  it('make the map of a wing anew, and those of all', async () => {
    const world = await openWorld();
    await world.start();
    world.host.runCommand('brain-server:reindex-wing');
    await world.until('the list', () => world.host.modals.length === 1);
    choose(world, 'net');
    await world.until('the notice', () => world.told().includes('Reindexed net.'));
    expect(await world.host.textOf('wiki/net/_index.md')).toContain('DNS');
    world.host.clickRibbon('Reindex');
    await world.until('the notice', () => world.told().includes('Reindexed 1 wing; 0 maps changed.'));
  });

  it('dig the tunnels anew, and name the notes that were left', async () => {
    const world = await openWorld();
    await world.start();
    const stamp = 'promoted_at: 2026-11-01T00:00:00Z';
    await world.host.outside('wiki/home/facts/dns.md', `---\n${stamp}\n---\n# Names at home\n`);
    await world.host.outside('wiki/office/facts/dns.md', `---\n${stamp}\nlocked: true\n---\n# Office\n`);
    await world.host.settle();
    world.host.runCommand('brain-server:rebuild-tunnels');
    await world.until('the notice', () => world.told().some((text) => text.startsWith('Rebuilt')));
    expect(world.told().at(-1)).toBe(
      'Rebuilt the tunnels of 2 notes; 1 changed.\nwiki/office/facts/dns.md is locked by its owner and keeps the tunnels it has.',
    );
    expect(await world.host.textOf('wiki/home/facts/dns.md')).toContain('[[wiki/net/facts/dns|DNS]]');
  });

  it('show the search above everything', async () => {
    const world = await openWorld();
    await world.start();
    world.host.runCommand('brain-server:search');
    await world.until('the search', () => world.document.querySelector('.brain-modal input') !== null);
    await world.until('the focus', () => world.document.activeElement?.getAttribute('role') === 'combobox');
    world.document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    expect(world.host.modals).toEqual([]);
    expect(world.document.querySelector('.brain-prompt')).toBeNull();
  });

  it('stop and start the server', async () => {
    const world = await openWorld();
    await world.start();
    world.host.runCommand('brain-server:restart-server');
    await world.until('it runs again', () => world.statusText().includes('Brain running'));
    world.host.runCommand('brain-server:stop-server');
    await world.until('it is off', () => world.statusText().includes('Brain off'));
    world.host.runCommand('brain-server:start-server');
    await world.until('it runs', () => world.statusText().includes('Brain running'));
  });
});

describe('the bars', () => {
  it('show how many notes await review', async () => {
    const world = await openWorld();
    await world.start();
    await world.until('the count', () => world.statusText().includes('2 pending'));
    const queue = world.host.ribbon.find(({ icon }) => icon === 'inbox')?.el;
    expect(queue?.getAttribute('aria-label')).toBe('Review queue: 2 notes');
    await world.host.outside('raw/2026-11-16-new.md', 'New.\n');
    await world.until('the new count', () => world.statusText().includes('3 pending'));
  });

  it('lead to the doctor and to the queue', async () => {
    const world = await openWorld();
    await world.start();
    const [server, queue] = world.host.statusBar;
    server?.click();
    queue?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    const { workspace } = world.host.app;
    await world.until('both', () =>
      ['doctor', 'queue'].every((screen) => workspace.getLeavesOfType(`brain-server-${screen}`).length === 1),
    );
  });

  it('say why reindexing cannot be done', async () => {
    const world = await openWorld();
    await world.press('Not now');
    world.host.clickRibbon('Reindex');
    expect(world.told().at(-1)).toContain('Nothing runs yet');
  });
});

describe('the command line', () => {
  it('says how the server is, what waits and what is found', async () => {
    const world = await openWorld();
    expect(await world.host.runCli('brain-server')).toContain('Nothing runs yet');
    expect(await world.host.runCli('brain-server:pending')).toContain('Nothing runs yet');
    await world.start();
    await world.until('the count', () => world.statusText().includes('2 pending'));
    expect(await world.host.runCli('brain-server')).toMatch(/^Agents reach this vault at http.*\n2 pending$/);
    expect(await world.host.runCli('brain-server:pending')).toContain(`${QUEUED}\t`);
    expect(await world.host.runCli('brain-server:query', { query: 'resolver' })).toBe(
      'wiki/net/facts/dns.md\tDNS',
    );
  });
});
