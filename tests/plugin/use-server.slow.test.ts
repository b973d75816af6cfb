import { type LoopbackServer, startLoopbackServer } from '../support/loopback-server';
import { type LiveServer, startLiveServer } from '../support/live-server';
import { closeWorlds, DATA, MANIFEST, openWorld, snapshotOf, type World } from './plugin-world';

const REMOTE = {
  'raw/2026-11-14-vpn.md': '---\ntitle: VPN of the team\n---\n\nIt needs a key.\n',
  'raw/rejected/2026-11-02-old.md': '---\ntitle: Old\n---\n\nGone.\n',
  'wiki/team/facts/router.md':
    '---\ntitle: Router\nwing: team\nhall: facts\n---\n\n# Router\n\nThe router of the team is 10.9.9.9.\n',
};
const SECRET = 'brain-server-remote-token';

let live: LiveServer;
/** Stands before the server, and can go away. */
let gate: LoopbackServer;
/** What stands in the header Authorization of what came through. */
let credentials: Set<string>;

beforeEach(async () => {
  live = await startLiveServer(REMOTE);
  credentials = new Set();
  gate = await startLoopbackServer((text, req, res) => {
    credentials.add(req.headers.authorization ?? 'none');
    const { method = 'GET', headers } = req;
    void fetch(live.url + (req.url ?? ''), {
      method,
      headers: {
        ...(headers.authorization !== undefined && { authorization: headers.authorization }),
        ...(headers['content-type'] !== undefined && { 'content-type': headers['content-type'] }),
      },
      ...(method === 'POST' && { body: text }),
    })
      .then(async (answer) =>
        res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text()),
      )
      .catch(() => res.destroy());
  });
});
afterEach(async () => {
  await closeWorlds();
  await gate.stop().catch(() => undefined);
  await live.stop();
});

const words = (world: World) => world.document.body.textContent;
const settingsOf = (world: World): HTMLElement => world.host.openSettings(MANIFEST.id);
const offered = (world: World) =>
  world.host.commands
    .filter(({ callback, checkCallback }) => callback !== undefined || checkCallback?.(true) === true)
    .map(({ id }) => id.replace('brain-server:', ''));
const dataOf = async (world: World): Promise<unknown> => JSON.parse((await world.host.textOf(DATA)) ?? '{}');

async function type(world: World, label: string, text: string): Promise<void> {
  const find = () => world.document.querySelector<HTMLInputElement>(`.modal input[aria-label="${label}"]`);
  await world.until(`the field ${label}`, () => find() !== null);
  const field = find();
  if (field === null) return;
  field.value = text;
  field.trigger('input');
}

async function use(world: World, url: string, token: string): Promise<void> {
  world.host.runCommand('brain-server:use-server');
  await type(world, 'Address', url);
  await type(world, 'Token', token);
  await world.press('Use this server');
}

const isConnected = (world: World) =>
  world.until('the connection', () => world.statusText().includes('Brain connected'));

async function show(
  world: World,
  screen: string,
  params: Readonly<Record<string, string>> = {},
): Promise<HTMLElement> {
  const leaf = world.host.app.workspace.getLeaf('tab');
  await leaf.setViewState({ type: `brain-server-${screen}`, active: true, state: { params } });
  return leaf.view.containerEl;
}

it('works on the notes of a server, and runs nothing on the vault of the app', async () => {
  const world = await openWorld();
  await world.press('Not now');
  const before = await snapshotOf(world.host);
  await use(world, `${gate.url}/`, 'owner');
  await isConnected(world);
  expect(await dataOf(world)).toEqual({ port: 0, serverUrl: gate.url });
  expect(world.host.app.secretStorage.getSecret(SECRET)).toBe(`${gate.url} owner`);
  expect(world.host.statusBar[0]?.getAttribute('aria-label')).toBe(
    `The screens work on the server at ${gate.url}.`,
  );
  await world.until('the count', () => world.statusText().includes('1 pending'));

  const queue = await show(world, 'queue');
  await world.until('the note of the server', () => queue.textContent.includes('VPN of the team'));
  const home = await show(world, 'home');
  await world.until('its wing', () => home.textContent.includes('team'));
  const found = await show(world, 'search', { q: 'router' });
  await world.until('what is found', () => found.querySelector('.brain-result') !== null);
  const note = await show(world, 'note', { path: 'wiki/team/facts/router.md' });
  await world.until('its text', () => note.textContent.includes('10.9.9.9'));
  const connect = await show(world, 'connect');
  await world.until('the command', () => connect.textContent.includes('brain token add claude-code'));
  expect(connect.textContent).toContain(`${gate.url}/mcp`);
  expect(connect.textContent).toContain(`Tokens for ${gate.url} are made on its own machine.`);
  expect(connect.textContent).not.toContain('Make a token for');
  const doctor = await show(world, 'doctor');
  await world.until('the checks', () => doctor.textContent.includes('fine'));
  expect(doctor.textContent).not.toMatch(/Restart the server|Open the settings/);

  // Only what the settings and the layout of the app are kept in has changed.
  const notes = (all: object) => Object.entries(all).filter(([path]) => !path.startsWith('.obsidian/'));
  expect(notes(await snapshotOf(world.host))).toEqual(notes(before));
  expect(JSON.stringify(await snapshotOf(world.host))).not.toContain('Bearer');
  expect([...credentials]).toEqual(['Bearer owner']);
});

it('opens a note on its own screen, whatever lies in this vault under the same path', async () => {
  const world = await openWorld({ files: { 'wiki/team/facts/router.md': 'Mine.\n' } });
  await world.press('Not now');
  await use(world, gate.url, 'owner');
  await isConnected(world);
  const found = await show(world, 'search', { q: 'router' });
  await world.until('what is found', () => found.querySelector('.brain-result') !== null);
  found.querySelector<HTMLElement>('.brain-result')?.trigger('dblclick');
  await world.until('the note', () => words(world).includes('The router of the team is 10.9.9.9.'));
  expect(world.host.app.workspace.getActiveFile()?.path).not.toBe('wiki/team/facts/router.md');
});

it('offers what works there, and nothing that is about files of this vault', async () => {
  const world = await openWorld();
  await world.press('Not now');
  await use(world, gate.url, 'owner');
  await isConnected(world);
  await world.host.app.workspace.openLinkText('raw/2026-11-14-mtu.md', '');
  const commands = offered(world);
  for (const id of [
    'search',
    'capture',
    'reindex-all',
    'restore-rejected',
    'open-queue',
    'use-server',
    'ingest-clipboard',
  ])
    expect(commands).toContain(id);
  for (const id of [
    ...['promote-note', 'reject-note', 'adopt-note', 'give-back-note', 'note-history', 'ingest-file'],
    ...['start-server', 'stop-server', 'restart-server', 'show-folders', 'set-up-meaning'],
  ])
    expect(commands).not.toContain(id);
  const page = settingsOf(world);
  await world.until('the row', () => page.textContent.includes(gate.url));
  expect(page.textContent).toContain('Leave this server');
  expect(page.textContent).not.toMatch(/Port|Embedder|Start on this device|Inbox folder/);
});

it('refuses what cannot be right before anything is sent or saved', async () => {
  const world = await openWorld();
  await world.press('Not now');
  const before = await dataOf(world);
  await use(world, 'https://me:pw@brain.example', 'owner');
  await world.until('the reason', () => words(world).includes('has a name or password in it'));
  await type(world, 'Address', 'http://brain.example');
  await world.press('Use this server');
  await world.until('the warning', () => words(world).includes('or allow it above'));
  await type(world, 'Address', gate.url);
  await type(world, 'Token', 'stranger');
  await world.press('Use this server');
  await world.until('the refusal', () => words(world).includes('The server does not know this token.'));
  expect(await dataOf(world)).toEqual(before);
  expect(world.host.app.secretStorage.getSecret(SECRET)).toBeNull();
});

it('says above the screens that the server is away, and is back by itself', async () => {
  const world = await openWorld();
  await world.press('Not now');
  await use(world, gate.url, 'owner');
  await isConnected(world);
  const queue = await show(world, 'queue');
  await world.until('the note', () => queue.textContent.includes('VPN of the team'));
  await gate.stop();
  await world.until('the bar', () => queue.querySelector('.brain-lost') !== null);
  expect(queue.querySelector('.brain-lost')?.textContent).toContain('Nothing listens at 127.0.0.1');
  expect(world.statusText()).toContain('Brain not connected');
  expect(world.host.statusBar[1]?.style.display).toBe('none');
  // What was read, and what a person may have typed, stays.
  expect(queue.textContent).toContain('VPN of the team');
  await gate.start();
  await isConnected(world);
  await world.until('that the bar is gone', () => queue.querySelector('.brain-lost') === null);
});

it('says what is missing on a device to which only the address has synced, and asks nobody', async () => {
  const world = await openWorld({ saved: { serverUrl: gate.url } });
  await world.until('the state', () => world.statusText().includes('Brain not connected'));
  const home = await show(world, 'home');
  await world.until('the sentence', () =>
    home.textContent.includes('This device has no token for the server'),
  );
  expect([...credentials]).toEqual([]);
  expect(world.document.querySelector('.modal')).toBeNull();
  await world.press('Address and token');
  await type(world, 'Token', 'laptop');
  await world.press('Use this server');
  await isConnected(world);
  await world.until('the screen', () => home.querySelector('.brain-screen h1') !== null);
});

it('takes the place of the running server without a reload, and gives it back', async () => {
  const world = await openWorld();
  await world.start();
  const { url } = await world.owner();
  const queue = await show(world, 'queue');
  await world.until('the note here', () => queue.textContent.includes('Tunnel MTU'));
  await use(world, gate.url, 'owner');
  await isConnected(world);
  await world.until('the note there', () => queue.textContent.includes('VPN of the team'));
  expect(queue.textContent).not.toContain('Tunnel MTU');
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect(world.host.leaks().events.filter((event) => event.startsWith('vault:'))).toEqual([]);

  settingsOf(world);
  await world.press('Leave this server');
  await world.until('the server here', () => world.statusText().includes('Brain running'));
  await world.until('the note here', () => queue.textContent.includes('Tunnel MTU'));
  expect(await dataOf(world)).toEqual({ port: 0 });
  expect(world.host.app.secretStorage.getSecret(SECRET)).toBe('');
});
