import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { rawClient } from '../doors/attack/raw-client';
import { Sandbox } from './brain-process';

/** What `serve` writes about itself, at its most talkative. */
let sandbox: Sandbox;
beforeEach(() => (sandbox = new Sandbox()));
afterEach(() => sandbox.remove());

const SECRETS = {
  BRAIN_TOKEN: 'owner-5up3r-s3cret-token-0123456789',
  BRAIN_LLM_KEY: 'llm-5up3r-s3cret-key',
  CONVERTER_BEARER_TOKEN: 'converter-5up3r-s3cret-token',
};
const PASSWORD = 'dsn-5up3r-s3cret-password';
const PRIVATE = {
  query: 'searched-5up3r-pr1vate',
  body: 'body-5up3r-pr1vate',
  header: 'header-5up3r-pr1vate',
  wrongToken: 'wrong-5up3r-pr1vate-token',
  path: 'path-5up3r-pr1vate',
};

/** Every line of the log, which has to be one JSON object each. */
function linesOf(stderr: string): Record<string, unknown>[] {
  return stderr
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
}

it('holds no credential and no content, whatever is asked and whatever fails', async () => {
  // A model and a converter that fail with what they were sent.
  const echo = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => res.writeHead(500).end(`${JSON.stringify(req.headers)} ${body}`));
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const { port } = echo.address() as AddressInfo; // a TCP server has no other kind of address
  const server = await sandbox.serve([], {
    ...SECRETS,
    BRAIN_LOG_LEVEL: 'debug',
    BRAIN_PG_DSN: `postgres://ada:${PASSWORD}@127.0.0.1:1/x`,
    BRAIN_EMBED_URL: 'http://127.0.0.1:1',
    BRAIN_LLM_API: 'openai',
    BRAIN_LLM_URL: `http://127.0.0.1:${port}`,
    BRAIN_LLM_MODEL: 'none',
    CONVERTER_URL: `http://127.0.0.1:${port}`,
  });
  const send = async (
    method: string,
    route: string,
    value?: unknown,
    token: string = SECRETS.BRAIN_TOKEN,
  ) => {
    const answer = await fetch(server.url + route, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-brain-client': PRIVATE.header,
        'content-type': 'application/json',
        cookie: PRIVATE.header,
      },
      ...(value !== undefined && { body: typeof value === 'string' ? value : JSON.stringify(value) }),
    });
    return answer.text();
  };
  const note = {
    wing: 'net',
    hall: 'facts',
    content: `# Note\n\n${PRIVATE.body}\n`,
  };
  const texts = [
    await send('POST', '/write', { ...note, slug: 'one' }),
    await send('POST', '/write', { ...note, slug: 'one' }),
    await send('POST', '/write', { ...note, [PRIVATE.body]: 1 }),
    await send('POST', '/write', `{"content":"${PRIVATE.body}`),
    await send('POST', '/write', `---\n${PRIVATE.body}: [\n---\n`),
    await send('POST', '/query', { query: PRIVATE.query }),
    await send('POST', '/answer', { query: `note ${PRIVATE.query}` }),
    await send('POST', '/ingest', { text: `# ${PRIVATE.body}\n\n${PRIVATE.body}\n` }),
    await send('GET', `/note?path=${PRIVATE.query}&token=${PRIVATE.query}`),
    await send('GET', `/${PRIVATE.path}/${PRIVATE.query}?x=${PRIVATE.query}`),
    await send('GET', '/pending', undefined, PRIVATE.wrongToken),
    await send('POST', '/backfill-embeddings', {}),
    await send('GET', '/status?probe=true'),
  ];
  const raw = rawClient(Number(new URL(server.url).port));
  raw.send(`GET /health HTTP/1.1\r\n${PRIVATE.header}\r\n\r\n`);
  await raw.closed;
  const { stdout, stderr } = await server.stop();
  echo.close();

  const requests = linesOf(stderr).filter(({ event }) => event === 'http.request');
  expect(requests).toHaveLength(texts.length);
  for (const secret of [...Object.values(SECRETS), PASSWORD, ...Object.values(PRIVATE)]) {
    expect(stdout + stderr).not.toContain(secret);
  }
  for (const secret of [...Object.values(SECRETS), PASSWORD]) expect(texts.join()).not.toContain(secret);
  // Nothing of the credentials in the vault or beside it either.
  for (const file of readdirSync(sandbox.folder, {
    recursive: true,
    encoding: 'utf8',
    withFileTypes: true,
  })) {
    if (!file.isFile()) continue;
    const text = readFileSync(path.join(file.parentPath, file.name), 'latin1');
    for (const secret of [
      SECRETS.BRAIN_TOKEN,
      SECRETS.CONVERTER_BEARER_TOKEN,
      PASSWORD,
      PRIVATE.wrongToken,
    ]) {
      expect([file.name, text.includes(secret)]).toEqual([file.name, false]);
    }
  }
});

it('tells of every request by the name of its route, with the id that its answer bears', async () => {
  const server = await sandbox.serve([], {
    BRAIN_TOKEN: 'for-this-run-and-for-no-other-run-0123',
    BRAIN_LOG_LEVEL: 'debug',
  });
  const ids: (string | null)[] = [];
  for (const route of ['/health/', '/wings', '/nowhere/at/all', '/note?path=x']) {
    const answer = await fetch(server.url + route, {
      headers: { authorization: 'Bearer for-this-run-and-for-no-other-run-0123' },
    });
    await answer.text();
    ids.push(answer.headers.get('x-request-id'));
  }
  const { stderr } = await server.stop();
  const lines = linesOf(stderr).filter(({ event }) => event === 'http.request');
  expect(lines.map(({ request_id: id }) => id)).toEqual(ids);
  expect(lines.map(({ method, route, status, caller }) => [method, route, status, caller])).toEqual([
    ['GET', '/health', 200, undefined],
    ['GET', '/wings', 200, 'owner'],
    ['GET', null, 404, 'owner'],
    ['GET', '/note', expect.any(Number), 'owner'],
  ]);
  expect(lines[1]).toEqual({
    level: 'debug',
    ts: expect.stringMatching(/Z$/),
    event: 'http.request',
    request_id: ids[1],
    method: 'GET',
    route: '/wings',
    status: 200,
    ms: expect.any(Number),
    bytes_out: expect.any(Number),
    caller: 'owner',
  });
});

it('is silent about requests unless it is asked to tell of them', async () => {
  const server = await sandbox.serve();
  await fetch(`${server.url}/health`);
  const { stderr } = await server.stop();
  expect(linesOf(stderr).map(({ event }) => event)).not.toContain('http.request');
});

it('refuses a level that it does not know, and names those that it does', async () => {
  const { code, stderr } = await sandbox.run(['serve', '--create', '--vault', sandbox.vault, '--port', '0'], {
    env: { BRAIN_LOG_LEVEL: 'loud' },
  });
  expect([code, stderr]).toEqual([
    1,
    'brain: BRAIN_LOG_LEVEL is "loud". Use one of: debug, info, warn, error.\n',
  ]);
});
