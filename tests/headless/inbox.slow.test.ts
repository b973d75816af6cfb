import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox, type ServerProcess } from './brain-process';

const OWNER = { BRAIN_TOKEN: 'inbox-test-of-the-owner-0123456789' };
let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

async function watcherOf(server: ServerProcess): Promise<Record<string, unknown>> {
  for (;;) {
    const answer = await fetch(`${server.url}/status`, {
      headers: { authorization: `Bearer ${OWNER.BRAIN_TOKEN}` },
    });
    const { watcher } = (await answer.json()) as { watcher: Record<string, unknown> };
    if (watcher.state !== 'starting') return watcher;
  }
}

async function stateWith(env: Record<string, string>): Promise<Record<string, unknown>> {
  const server = await sandbox.serve([], { ...OWNER, ...env });
  const watcher = await watcherOf(server);
  await server.stop();
  return watcher;
}

it('is watched from the first start on where the server has made it, until told otherwise', async () => {
  expect(await stateWith({})).toMatchObject({ state: 'on' });
  expect(await stateWith({})).toMatchObject({ state: 'on' });
  expect(await stateWith({ BRAIN_WATCH: 'off' })).toMatchObject({ state: 'off', reason: 'not_switched_on' });
}, 60_000);

it('is not watched where it stood before, unless told', async () => {
  mkdirSync(path.join(sandbox.vault, 'inbox'), { recursive: true });
  writeFileSync(path.join(sandbox.vault, 'inbox/mine.txt'), 'Mine.\n');
  expect(await stateWith({})).toMatchObject({ state: 'off', waiting: ['inbox/mine.txt'] });
  expect(await stateWith({ BRAIN_WATCH: 'on' })).toMatchObject({ state: 'on', waiting: ['inbox/mine.txt'] });
}, 60_000);

it('may be another folder of the vault, which is watched as well', async () => {
  mkdirSync(path.join(sandbox.vault, 'drop/here'), { recursive: true });
  const server = await sandbox.serve([], { ...OWNER, BRAIN_WATCH: 'on', BRAIN_WATCH_DIR: 'drop/here' });
  expect(await watcherOf(server)).toMatchObject({ state: 'on', folder: 'drop/here' });
  writeFileSync(path.join(sandbox.vault, 'drop/here/a.txt'), 'Alpha.\n');
  writeFileSync(path.join(sandbox.vault, 'drop/b.txt'), 'Beta.\n');
  while (existsSync(path.join(sandbox.vault, 'drop/here/a.txt'))) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(readdirSync(path.join(sandbox.vault, 'raw'))).toEqual([expect.stringMatching(/-a\.md$/)]);
  expect(existsSync(path.join(sandbox.vault, 'drop/b.txt'))).toBe(true);
  await server.stop();
}, 60_000);

it('cannot be one of the service’s own folders, and the doctor and the log say so', async () => {
  const server = await sandbox.serve([], { ...OWNER, BRAIN_WATCH: 'on', BRAIN_WATCH_DIR: 'wiki' });
  expect(await watcherOf(server)).toMatchObject({ state: 'off', reason: 'folder_not_allowed' });
  const doctor = await sandbox.run(['doctor'], { env: { ...OWNER, BRAIN_URL: server.url } });
  expect(doctor.stdout + doctor.stderr).toContain('"wiki" cannot be watched');
  const { stderr } = await server.stop();
  expect(stderr).toMatch(
    /"level":"warn",.*"event":"inbox\.not_watched",.*\\"wiki\\" cannot be watched: it is no folder/,
  );
}, 60_000);
