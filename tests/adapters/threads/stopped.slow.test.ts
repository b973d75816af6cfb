import { type ChildProcess, spawn } from 'node:child_process';
import { on } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import { build } from 'esbuild';
import { notOn } from '../../support/systems';
import type { StoppedJob } from './stopped-process';

const LIMIT_MS = 2_000;

let child: ChildProcess;
let messages: AsyncIterator<unknown[]>;

beforeAll(async () => {
  const entryPoints = ['tests/adapters/threads/stopped-process.ts'];
  const { outputFiles } = await build({ entryPoints, bundle: true, platform: 'node', write: false });
  const script = outputFiles[0]?.text ?? '';
  child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  messages = on(child, 'message');
});
afterAll(() => void child.kill('SIGKILL'));

const heard = async (): Promise<unknown> => ((await messages.next()).value as unknown[])[0];
const send = (message: StoppedJob | 'word'): unknown => child.send(message);

notOn(['win32'], 'no process can be stopped there').it(
  'counts the computing time of a job, and none while the process was stopped for longer than the limit',
  async () => {
    send({ job: 'wait', limitMs: LIMIT_MS });
    expect(await heard()).toBe('begun');
    child.kill('SIGSTOP');
    await pass(1.25 * LIMIT_MS);
    child.kill('SIGCONT');
    send('word');
    expect(await heard()).toBe('answered');
    send({ job: 'loop', limitMs: 250 });
    expect(await heard()).toBe('begun');
    expect(await heard()).toBe('out of time');
  },
);
