import { closeWorlds, DATA, MANIFEST, openWorld, type World } from './plugin-world';
import { settingRow } from './setting-rows';

const cleanups: (() => void)[] = [];

afterEach(async () => {
  await closeWorlds();
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Takes what is written to the console of the app in this test; it is what the test brings about. */
function takeErrors(): void {
  const spy = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  cleanups.push(() => {
    expect(spy.mock.calls.map(([line]) => String(line))).toEqual([expect.stringContaining('service.failed')]);
    spy.mockRestore();
  });
}

function inputOf(page: HTMLElement, name: string): HTMLInputElement {
  const input = settingRow(page, name).querySelector('input');
  if (input === null) throw new Error(`Nothing can be typed into "${name}".`);
  return input;
}

function type(input: HTMLInputElement, text: string): void {
  input.value = text;
  input.trigger('input');
  input.trigger('change');
}

const savedOf = async (world: World): Promise<unknown> =>
  JSON.parse((await world.host.textOf(DATA)) ?? 'null');

/** Resolves when the server, which has shown so many states before, has started anew. */
const restarted = (world: World, before: number) =>
  world.until('the restart', () => {
    const since = world.states.slice(before);
    return since.includes('Brain starting') && since.at(-1) === 'Brain running';
  });

/** What a thought that is captured now looks like as a note. */
async function captured(world: World): Promise<string | null> {
  world.host.runCommand('brain-server:capture');
  await world.until('the window', () => world.document.querySelector('textarea') !== null);
  const area = world.document.querySelector('textarea');
  if (area !== null) area.value = 'Sunday is bread day.';
  await world.press('Capture');
  await world.until('the note', () => world.told().some((text) => text.startsWith('Captured as')));
  return world.host.textOf('wiki/notes/facts/sunday-is-bread-day.md');
}

/** The settings page, once the rules are loaded. */
async function openPage(world: World): Promise<HTMLElement> {
  const page = world.host.openSettings(MANIFEST.id);
  await world.until('the values', () => inputOf(page, 'Changes per minute').value !== '');
  return page;
}

it('shows what is in force: the setting over the default', async () => {
  const world = await openWorld({ saved: { humanName: 'Ada', allowedHosts: ['a.local', 'b.local'] } });
  const page = await openPage(world);
  expect(inputOf(page, 'Your name').value).toBe('Ada');
  expect(inputOf(page, 'Further host names').value).toBe('a.local, b.local');
  expect(inputOf(page, 'Wing for captures').value).toBe('notes');
});

it('keeps what is typed, and nothing that was not changed', async () => {
  const world = await openWorld({ saved: { later: true } });
  const page = await openPage(world);
  type(inputOf(page, 'Further host names'), ' brain.local ,, other.local');
  const wanted = JSON.stringify({ port: 0, later: true, allowedHosts: ['brain.local', 'other.local'] });
  await world.until('the file', async () => JSON.stringify(await savedOf(world)) === wanted);
});

it('says how many notes of the owner are read, and what is left out and why', async () => {
  const world = await openWorld();
  const page = world.host.openSettings(MANIFEST.id);
  const told = () => settingRow(page, 'Your own notes').textContent;
  await world.until('the count', () => told().includes('1 note of yours is read.'));
  expect(told()).toContain('No agent ever changes, moves or deletes one.');
  type(inputOf(page, 'Left out'), 'Journal.md');
  await world.until('the new count', () => told().includes('0 notes of yours are read.'));
  expect(told()).toContain('Left out (1 note): Journal.md (the setting “Left out”).');
});

it('says below the field what cannot be used, and does not keep it', async () => {
  const world = await openWorld();
  const page = await openPage(world);
  const before = await savedOf(world);
  type(inputOf(page, 'Port'), '99999');
  await world.until('the message', () =>
    settingRow(page, 'Port').textContent.includes('Use a whole number from 1 to 65535'),
  );
  type(inputOf(page, 'Root note'), '../outside.md');
  await world.until('the message', () => settingRow(page, 'Root note').textContent.includes('path'));
  expect(await savedOf(world)).toEqual(before);
});

it('shows where the environment decides, and lets nothing be typed there', async () => {
  process.env.BRAIN_RATE_LIMIT = '7';
  try {
    const world = await openWorld({ saved: { rateLimit: 50 } });
    const page = await openPage(world);
    expect(inputOf(page, 'Changes per minute').value).toBe('7');
    expect(inputOf(page, 'Changes per minute').disabled).toBe(true);
    expect(settingRow(page, 'Changes per minute').textContent).toContain('BRAIN_RATE_LIMIT');
    expect(inputOf(page, 'Your name').disabled).toBe(false);
  } finally {
    delete process.env.BRAIN_RATE_LIMIT;
  }
});

it('starts a running server anew with what was changed', async () => {
  const world = await openWorld();
  await world.start();
  const page = await openPage(world);
  const before = world.states.length;
  type(inputOf(page, 'Your name'), 'Ada');
  await restarted(world, before);
  expect(await captured(world)).toContain('human:Ada');
});

it('takes over what was changed while the server was being started', async () => {
  const world = await openWorld();
  const { vault } = world.host.app;
  const make = vault.createFolder.bind(vault);
  let begin = (): void => undefined;
  const may = new Promise<void>((resolve) => (begin = resolve));
  vault.createFolder = async (path) => {
    await may;
    return make(path);
  };
  await world.press('Start');
  await world.until('the start', () => world.statusText().includes('Brain starting'));
  const page = await openPage(world);
  type(inputOf(page, 'Your name'), 'Ada');
  await world.until('the file', async () => JSON.stringify(await savedOf(world)).includes('Ada'));
  // Longer than the plugin waits after a change.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  begin();
  await world.until('the server runs', () => world.statusText().includes('Brain running'));
  await restarted(world, world.states.indexOf('Brain running'));
  expect(await captured(world)).toContain('human:Ada');
});

it('does not start the server anew when nothing was changed', async () => {
  const world = await openWorld({ saved: { humanName: 'Ada' } });
  await world.start();
  const before = world.states.length;
  // Longer than the plugin waits after a change.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await world.host.settle();
  expect(world.states.slice(before).filter((state) => state === 'Brain starting')).toEqual([]);
});

it('takes over what another device has changed', async () => {
  const world = await openWorld();
  await world.start();
  const page = await openPage(world);
  const before = world.states.length;
  await world.host.outside(DATA, JSON.stringify({ port: 0, humanName: 'Grace' }));
  await restarted(world, before);
  world.host.closeSettings(MANIFEST.id);
  expect(inputOf(await openPage(world), 'Your name').value).toBe('Grace');
  expect(page.isConnected).toBe(true);
});

it('names a setting that cannot be used, and runs once it is right', async () => {
  takeErrors();
  const world = await openWorld({ saved: { rateLimit: 'many' } });
  await world.press('Start');
  await world.until('the reason', () =>
    world.told().some((text) => text.includes('The setting "Changes per minute" is "many".')),
  );
  expect(world.statusText()).toContain('Brain failed');
  const page = world.host.openSettings(MANIFEST.id);
  await world.until('the message', () =>
    settingRow(page, 'Changes per minute').textContent.includes('Use a whole number'),
  );
  type(inputOf(page, 'Changes per minute'), '60');
  await world.until('the server', () => world.statusText().includes('Brain running'));
});

it('names the missing half of a pair in the environment, and does not run', async () => {
  takeErrors();
  process.env.BRAIN_PG_DSN = 'postgres://127.0.0.1/brain';
  try {
    const world = await openWorld();
    await world.press('Start');
    await world.until('the reason', () => world.told().some((text) => text.includes('BRAIN_EMBED_URL')));
    expect(world.statusText()).toContain('Brain failed');
    delete process.env.BRAIN_PG_DSN;
    expect(world.host.runCommand('brain-server:restart-server')).toBe(true);
    await world.until('the server', () => world.statusText().includes('Brain running'));
  } finally {
    delete process.env.BRAIN_PG_DSN;
  }
});

it('is not written over when it cannot be read', async () => {
  takeErrors();
  const world = await openWorld({ files: { [DATA]: '{"port": ' } });
  const page = await openPage(world);
  await world.press('Start');
  await world.until('the reason', () => world.told().some((text) => text.includes('data.json')));
  type(inputOf(page, 'Your name'), 'Ada');
  await world.until('the refusal', () => world.told().length > 1);
  expect(await world.host.textOf(DATA)).toBe('{"port": ');
});

describe('the row of the server', () => {
  it('shows how it is as that changes, and turns it', async () => {
    const world = await openWorld();
    await world.press('Not now');
    const page = await openPage(world);
    const first = () => page.findAll('.setting-item-name')[1]?.textContent ?? '';
    expect(page.textContent).toContain('Brain not set up');
    await world.press('Start');
    await world.until('the question', () => world.host.modals.length === 1);
    await world.start();
    await world.until('the state', () => page.textContent.includes('Brain running'));
    expect(page.textContent).toMatch(/Agents reach this vault at http:\/\/127\.0\.0\.1:\d+/);
    await world.press('Stop');
    await world.until('the state', () => page.textContent.includes('Brain off'));
    expect(first()).toBe('Brain off');
  });

  it('asks about the folders when it is switched on for this device before', async () => {
    const world = await openWorld();
    await world.press('Not now');
    const tab = world.host.openSettings(MANIFEST.id);
    settingRow(tab, 'Start on this device').querySelector('input')?.click();
    await world.until('the question', () => world.host.modals.length === 1);
    await world.press('Start');
    await world.until('the server', () => world.statusText().includes('Brain running'));
  });

  it('stays off after it was switched off for this device', async () => {
    const world = await openWorld();
    await world.start();
    const page = await openPage(world);
    settingRow(page, 'Start on this device').querySelector('input')?.click();
    await world.until('it is off', () => world.statusText().includes('Brain off'));
    await world.host.quit();
    const again = await openWorld({ storage: world.host.storage, device: world.host.device });
    await again.host.settle();
    expect(again.statusText()).toContain('Brain off');
    expect(again.host.modals).toEqual([]);
  });
});

describe('tokens', () => {
  it('lists them without their text, and takes one away after asking', async () => {
    const world = await openWorld();
    await world.start();
    const page = await openPage(world);
    // The tokens are on the page of this setting.
    settingRow(page, 'Your name');
    await world.until('the owner', () => page.textContent.includes('read, propose, write'));
    expect(settingRow(page, 'owner').textContent).toContain('read, propose, write, review, admin; made 20');
    settingRow(page, 'owner').querySelector<HTMLElement>('[aria-label="Delete"], .clickable-icon')?.click();
    await world.until('the question', () => world.host.modals.length === 1);
    expect(world.document.querySelector('.modal')?.textContent).toContain('a new one takes its place');
    const before = [...world.host.device.secrets.values()];
    await world.press('Replace');
    await world.until('the notice', () => world.told().includes('The owner token is replaced.'));
    const after = [...world.host.device.secrets.values()];
    expect(after).not.toEqual(before);
    for (const secret of [...before, ...after]) {
      expect(page.textContent).not.toContain(secret);
      expect(await world.host.textOf(DATA)).not.toContain(secret);
    }
  });
});

it('keeps single-letter keys on this device', async () => {
  const world = await openWorld();
  const page = await openPage(world);
  settingRow(page, 'Single-letter keys').querySelector('input')?.click();
  await world.host.settle();
  expect(world.host.device.localStorage.get('brain-server:screens.keys')).toBe('"off"');
  expect(await savedOf(world)).toEqual({ port: 0 });
});

it('says on the tab what is set on each page below it, sizes in their units', async () => {
  const world = await openWorld({ saved: { humanName: 'Ada', maxUpload: 67_108_864, tools: 'core' } });
  await world.start();
  const page = world.host.openSettings(MANIFEST.id);
  await world.until('the line', () =>
    settingRow(page, 'Ingestion').textContent.includes('Set: Largest file that is sent: 64 MiB.'),
  );
  expect(settingRow(page, 'People and agents').textContent).toContain(
    'Set: Your name: Ada; Tools for agents: The basic ones.',
  );
  expect(settingRow(page, 'Notes').textContent).toContain('Nothing is set');
  type(inputOf(page, 'Largest file that is sent'), '1.5 GiB');
  await world.until('the size', async () => JSON.stringify(await savedOf(world)).includes('1610612736'));
  type(inputOf(page, 'Largest file that is sent'), '64 MB');
  await world.until('the message', () =>
    settingRow(page, 'Largest file that is sent').textContent.includes('Use a size such as 256 MiB'),
  );
});
