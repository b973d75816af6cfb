import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox, type ServerProcess } from './brain-process';

const sandbox = new Sandbox();
let server: ServerProcess;
let token = '';

beforeAll(async () => {
  const wing = path.join(sandbox.vault, 'wiki/net/facts');
  mkdirSync(wing, { recursive: true });
  writeFileSync(path.join(wing, 'dns.md'), '# DNS\n\nNames.\n');
  server = await sandbox.serve();
  token = (await brain(['token', 'add', 'ci-bot', '--scopes', 'read,propose'])).stdout.trim();
});
afterAll(() => sandbox.remove());

const brain = (args: readonly string[], env: Record<string, string> = {}) =>
  sandbox.run(args, { env: { BRAIN_URL: server.url, ...env } });
const names = (folder: string) =>
  readdirSync(path.join(sandbox.vault, folder)).filter((name) => name.endsWith('.md'));

/** Lets the agent propose a note. */
async function propose(slug: string, content: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ wing: 'net', hall: 'facts', slug, content });
  const answer = await fetch(`${server.url}/write`, { method: 'POST', headers, body });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('raw/')]);
}

it('tries a rule, switches it on, and it promotes in the background what is ready', async () => {
  expect((await brain(['rules'])).stdout).toBe(
    'There are no rules: every note of the queue waits for a person.\n',
  );
  await propose('mtu', '# MTU\n\nIt wants 1420.\n');
  await propose('dns', '# Other names\n\nThe address is taken.\n');
  const refused = await brain(['rules', 'on', 'ci']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('There is no rule "ci"')]);

  const tried = await brain(['rules', 'try', 'ci', '--by', 'ci-bot', '--hall', 'facts']);
  expect(tried.stdout).toMatch(/^Would promote 1 note:\n {2}raw\/.*mtu\.md -> wiki\/net\/facts\/mtu\.md\n/);
  expect(tried.stdout).toContain('There is a note at its address, wiki/net/facts/dns.md.');
  expect((await brain(['rules'])).stdout).toMatch(/^ci {2}off\n {2}promotes notes of ci-bot in facts/);
  expect(names('raw')).toHaveLength(2);

  const hash = /--tried ([0-9a-f]{64})/.exec(tried.stdout)?.[1] ?? '';
  const on = await brain(['rules', 'on', 'ci', '--tried', hash]);
  expect([on.code, on.stdout]).toEqual([0, expect.stringMatching(/^ci {2}on\n/)]);
  while (names('raw').length > 1) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(names('wiki/net/facts')).toEqual(['dns.md', 'mtu.md']);

  const listed = JSON.parse((await brain(['rules', '--json'])).stdout) as { rules: unknown[] };
  expect(listed.rules).toMatchObject([{ name: 'ci', on: true, promoted: 1, promoted_today: 1 }]);
  expect((await brain(['rules', 'off', 'ci'])).stdout).toBe('Switched off: ci\n');
  expect((await brain(['rules', 'remove', 'ci'])).stdout).toBe('Removed: ci\n');
});

it('is not for agents', async () => {
  const refused = await brain(['rules', 'try', 'ci', '--by', 'ci-bot'], { BRAIN_TOKEN: token });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('scope "review"')]);
});
