import { type LiveServer, startLiveServer } from '../../support/live-server';

/** Texts that are hard to read are worked on piece by piece: whoever asks for something else meanwhile is answered. */
let server: LiveServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const LENGTH = 500_000;
const PATTERNS = ['``` run-js\n```\n', '](', '<a', '[a]: b "\n', '[[x]] '];

function ask(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${server?.url}${path}`, {
    method,
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** How long it took in milliseconds, and the longest that health was silent meanwhile. */
async function silenceDuring(work: () => Promise<Response>) {
  let isDone = false;
  const start = performance.now();
  const answer = work().finally(() => (isDone = true));
  let [longest, answers] = [0, 0];
  while (!isDone) {
    const asked = performance.now();
    await (await ask('GET', '/health')).arrayBuffer();
    longest = Math.max(longest, performance.now() - asked);
    answers += 1;
  }
  const { status } = await answer;
  return { status, took: performance.now() - start, longest, answers };
}

it.each(PATTERNS)(
  'answers others while a note is written and read that repeats %j',
  async (pattern) => {
    server = await startLiveServer();
    const content = `# Hostile\n\n${pattern.repeat(Math.floor(LENGTH / pattern.length))}`;
    const slug = 'hostile';
    const write = { wing: 'net', hall: 'facts', slug, content };
    for (const work of [
      () => ask('POST', '/write', write),
      () =>
        ask('POST', '/update', { path: 'wiki/net/facts/hostile.md', content: `${content}x`, reason: 'test' }),
      () => ask('GET', '/note?path=wiki/net/facts/hostile.md'),
    ]) {
      const { status, took, longest, answers } = await silenceDuring(work);
      expect(status).toBe(200);
      // A busy machine alone may hold everybody up for a while.
      expect(longest).toBeLessThan(Math.max(1_000, took / 2));
      if (took > 2_000) expect(answers).toBeGreaterThan(8);
    }
  },
  300_000,
);
