import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { IS_NIGHT } from '../support/by-night';
import { BRAIN, finished, Sandbox, ServerProcess } from './brain-process';

/** What a container has of its own: the name of its host, and its processes, whose first has the number 1. */
const isRoot = process.getuid?.() === 0;
const CONTAINER = [
  ...(isRoot ? [] : ['--map-root-user']),
  ...['--uts', '--pid', '--fork', '--kill-child', '--mount-proc'],
];
const hasContainers = spawnSync('unshare', [...CONTAINER, 'true']).status === 0;
if (!hasContainers)
  process.stderr.write('Skipped: containers.slow.test.ts, as "unshare" may not be used here.\n');

const sandbox = new Sandbox();
const containers: ChildProcess[] = [];
afterAll(async () => {
  for (const container of containers) container.kill('SIGKILL');
  await sandbox.remove();
});

/** Starts a server of the vault in a container whose host has this name. */
function start(host: string): ChildProcess {
  const serve = `hostname ${host}; exec "${process.execPath}" "${BRAIN}" serve --create --vault "${sandbox.vault}" --port 0`;
  const container = spawn('unshare', [...CONTAINER, 'sh', '-c', serve], {
    env: { ...sandbox.env, BRAIN_DEVICE: 'container' },
  });
  containers.push(container);
  return container;
}

const folder = path.join(sandbox.vault, '.brain/local.container');
const locks = (): string[] => readdirSync(folder).filter((name) => name.startsWith('lock'));

(hasContainers || isRoot ? it : it.skip)('of two containers with one name one serves a vault', async () => {
  const first = await ServerProcess.listening(start('same'));
  const lock = path.join(folder, 'lock');
  const { mtimeMs } = statSync(lock);
  const text = readFileSync(lock, 'utf8');
  const second = await finished(start('same'));
  expect(second.stderr).toContain('The vault is in use by brain serve (process 1 on same) since ');
  expect(second.code).toBe(1);
  expect(locks()).toEqual(['lock']);
  // A question and the answer, and nothing was written before.
  expect(readFileSync(lock, 'utf8')).toBe(`${text}\t\n`);
  expect(statSync(lock).mtimeMs).toBeGreaterThan(mtimeMs);
  expect((await fetch(`${first.url}/health`)).status).toBe(200);

  if (!IS_NIGHT) return;
  // It takes the thirty seconds in which the one that was killed could have answered.
  await first.stop('SIGKILL');
  const next = await ServerProcess.listening(start('other'));
  expect(locks()).toEqual(['lock.1']);
  expect((await fetch(`${next.url}/ready`)).status).toBe(200);
});
