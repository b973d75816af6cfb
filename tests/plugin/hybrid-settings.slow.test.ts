import { closeWorlds, DATA, MANIFEST, openWorld, type World } from './plugin-world';
import { settingRow } from './setting-rows';

// A port that nobody listens on: what is configured is there, and does not answer.
const NOWHERE = 'http://127.0.0.1:9';
const DSN = 'postgres://brain:hunter2@127.0.0.1:9/brain';
const PAIR = { embedUrl: NOWHERE, pgDsnSecret: 'brain-dsn' };

beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  await closeWorlds();
  jest.restoreAllMocks();
});

const ICONS = ['Review queue', 'Reindex', 'Backfill embeddings'];

const settings = (world: World): HTMLElement => world.host.openSettings(MANIFEST.id);
const ribbon = (world: World) => world.host.leaks().ribbon;
const offered = (world: World, id: string): boolean => {
  const command = world.host.commands.find((one) => one.id === `brain-server:${id}`);
  if (command === undefined) throw new Error(`There is no command ${id}.`);
  return command.checkCallback?.(true) === true;
};

/** A world whose device keeps the secret, with what the file names. */
async function openWith(saved: Readonly<Record<string, unknown>>): Promise<World> {
  const world = await openWorld({ saved });
  world.host.app.secretStorage.setSecret('brain-dsn', DSN);
  return world;
}

it.each(['icon', 'command'])(
  'where search goes by words alone, the %s of the backfill says what is missing and shows where to set it',
  async (by) => {
    const world = await openWorld();
    const shown: string[] = [];
    const setting = { open: () => void shown.push('open'), openTabById: (id: string) => void shown.push(id) };
    Object.assign(world.host.app, { setting });
    await world.start();
    expect(ribbon(world)).toEqual(ICONS);
    expect(offered(world, 'backfill-embeddings')).toBe(true);
    expect(offered(world, 'cancel-backfill')).toBe(false);
    if (by === 'icon') world.host.clickRibbon('Backfill embeddings');
    else world.host.runCommand('brain-server:backfill-embeddings');
    await world.until('what is missing', () => shown.length > 0);
    expect(shown).toEqual(['open', MANIFEST.id]);
    expect(world.told().at(-1)).toBe(
      'Notes are found by their words alone, so there are no embeddings to fill. "Set up search by meaning" in the settings turns that on.',
    );
  },
);

it('says what is missing also in an app that does not let its settings be opened', async () => {
  const world = await openWorld();
  await world.start();
  world.host.clickRibbon('Backfill embeddings');
  await world.until('what is missing', () =>
    world.told().some((text) => text.includes('"Set up search by meaning" in the settings')),
  );
});

it('has the icon of the backfill before anything runs, which then says how the server is', async () => {
  const world = await openWorld();
  await world.press('Not now');
  expect(ribbon(world)).toEqual(ICONS);
  expect(offered(world, 'backfill-embeddings')).toBe(false);
  world.host.clickRibbon('Backfill embeddings');
  expect(world.told().at(-1)).toContain('Nothing runs yet');
});

it('says on the page of settings that search goes by words alone', async () => {
  const world = await openWorld();
  await world.start();
  const page = settings(world);
  settingRow(page, 'Set up search by meaning');
  await world.until('the state', () => page.textContent.includes('Search by meaning is off'));
});

it('offers the backfill once both halves are set, and tells what came of it', async () => {
  const world = await openWith(PAIR);
  await world.start();
  expect(ribbon(world)).toEqual(ICONS);
  await world.until('the command', () => offered(world, 'backfill-embeddings'));
  world.host.runCommand('brain-server:backfill-embeddings');
  await world.until('what came of it', () =>
    world.told().some((text) => text.startsWith('Backfill stopped: nothing was done. The database at ')),
  );
  // No secret stands in what a person is told.
  expect(world.told().join(' ')).not.toContain('hunter2');
});

it('says on the page of settings that it does not work, and why', async () => {
  const world = await openWith(PAIR);
  await world.start();
  const page = settings(world);
  settingRow(page, 'Set up search by meaning');
  await world.until('the state', () => page.textContent.includes('Search by meaning does not work'));
  expect(page.textContent).not.toContain('hunter2');
});

it('is red with half a pair, names what is missing, and starts when it is given', async () => {
  const world = await openWith({ embedUrl: NOWHERE });
  await world.press('Start');
  await world.until('the reason', () =>
    world.told().some((text) => text.includes('The setting "Embedder" is set but "Postgres" is not.')),
  );
  expect(world.statusText()).toContain('Brain failed');
  const page = settings(world);
  const chooser = settingRow(page, 'Postgres').querySelector('select');
  if (chooser === null) throw new Error('No secret can be chosen.');
  chooser.value = 'brain-dsn';
  chooser.trigger('change');
  await world.until('the server', () => world.statusText().includes('Brain running'));
  // The file names the secret and does not hold it.
  const file = (await world.host.textOf(DATA)) ?? '';
  expect(JSON.parse(file)).toMatchObject({ embedUrl: NOWHERE, pgDsnSecret: 'brain-dsn' });
  expect(file).not.toContain('hunter2');
});

it('starts again when the half that is there is emptied', async () => {
  const world = await openWith({ embedUrl: NOWHERE });
  await world.press('Start');
  await world.until('the reason', () => world.statusText().includes('Brain failed'));
  const page = settings(world);
  await world.until(
    'the value',
    () => settingRow(page, 'Embedder').querySelector('input')?.value === NOWHERE,
  );
  const input = settingRow(page, 'Embedder').querySelector('input');
  if (input === null) throw new Error('Nothing can be typed.');
  input.value = '';
  input.trigger('input');
  input.trigger('change');
  await world.until('the server', () => world.statusText().includes('Brain running'));
  expect(JSON.parse((await world.host.textOf(DATA)) ?? '')).toEqual({ port: 0 });
});

it('says plainly where text is sent', async () => {
  const world = await openWorld();
  const page = settings(world);
  expect(settingRow(page, 'Embedder').textContent).toContain('is sent to this address');
  expect(settingRow(page, 'Language model').textContent).toContain('sent to this address');
});

it('shows which model answers', async () => {
  const world = await openWorld({ saved: { llmUrl: NOWHERE, llmModel: 'qwen3:14b' } });
  await world.start();
  const page = settings(world);
  settingRow(page, 'Language model name');
  await world.until('the model', () => page.textContent.includes('go to qwen3:14b at 127.0.0.1:9'));
});
