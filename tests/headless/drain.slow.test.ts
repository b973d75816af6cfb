import { mkdirSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { Sandbox, type ServerProcess } from './brain-process';

/** Longer than any of these tests: what ends before it did not wait for it. */
const LONG = '600';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

async function served(drain: string): Promise<{ server: ServerProcess; token: string }> {
  mkdirSync(sandbox.vault);
  const server = await sandbox.serve(['--drain-seconds', drain]);
  const token = (await sandbox.run(['token', 'show'])).stdout.trim();
  expect(await statusUntil(server, 200)).toBe(200);
  return { server, token };
}

/** Asks until `/ready` has this status; rejects when the server takes no connections any more. */
async function statusUntil(server: ServerProcess, wanted: number): Promise<number> {
  for (;;) {
    const { status } = await fetch(`${server.url}/ready`);
    if (status === wanted) return status;
  }
}

function write({ url }: ServerProcess, token: string, slug: string): Promise<Response> {
  return fetch(`${url}/write`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ wing: 'a', hall: 'facts', slug, content: `# ${slug}\n\nText of ${slug}.` }),
  });
}

const notes = () => readdirSync(path.join(sandbox.vault, 'wiki/a/facts'));

it('answers while it drains, then ends with 0 and every acknowledged note', async () => {
  const { server, token } = await served('10');
  server.child.kill('SIGTERM');
  await statusUntil(server, 503);
  const slugs = ['fan', 'pump', 'disk'];
  for (const slug of slugs) {
    const answer = await write(server, token, slug);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  }
  const { code } = await server.ended;
  expect(code).toBe(0);
  expect(notes()).toEqual(expect.arrayContaining(slugs.map((slug) => `${slug}.md`)));
  await expect(fetch(`${server.url}/ready`)).rejects.toThrow();
});

it('lets a request end that was on its way when the drain was over', async () => {
  const { server, token } = await served('1');
  const body = JSON.stringify({ wing: 'a', hall: 'facts', slug: 'late', content: '# Late\n\nText.' });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${server.url}/write`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    sent.once('response', ({ statusCode }) => resolve(statusCode)).once('error', reject);
    sent.write(body.slice(0, 10));
    server.child.kill('SIGTERM');
    // Once no connection is taken any more, the rest of the body is sent.
    void refused(server).then(() => sent.end(body.slice(10)));
  });
  expect(await answered).toBe(200);
  expect((await server.ended).code).toBe(0);
  expect(notes()).toContain('late.md');
});

async function refused({ url }: ServerProcess): Promise<void> {
  for (;;) {
    try {
      await fetch(`${url}/ready`);
    } catch {
      return;
    }
  }
}

it('ends at once at a second signal', async () => {
  const { server } = await served(LONG);
  server.child.kill('SIGTERM');
  await statusUntil(server, 503);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(1);
});

it('waits for nothing by default', async () => {
  const server = await sandbox.serve();
  expect((await server.stop()).code).toBe(0);
});

it.each(['-1', '3601', 'soon'])('is refused for %s seconds', async (drain) => {
  const { code, stderr } = await sandbox.run([
    'serve',
    '--create',
    '--vault',
    sandbox.vault,
    `--drain-seconds=${drain}`,
  ]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('at most 3600')]);
});
