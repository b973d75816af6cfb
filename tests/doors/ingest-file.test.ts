import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type LiveServer, startLiveServer } from '../support/live-server';

const LIMIT = 3 * 1024 * 1024;

let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer({}, { maxUpload: LIMIT, rateLimit: 0 });
});
afterAll(() => server.stop());

async function send(query: string, bytes: BodyInit, token = 'owner', headers: Record<string, string> = {}) {
  const answer = await fetch(`${server.url}/ingest-file${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: bytes,
  });
  const body: Record<string, unknown> = { ...JSON.parse(await answer.text()) };
  return { status: answer.status, body };
}

/** Resolves with what is staged on the disk. */
async function staged(): Promise<string[]> {
  return readdir(join(server.root, '.brain/local.testtest/uploads')).catch(() => []);
}

function codeOf({ body }: { body: Record<string, unknown> }): unknown {
  return body.error;
}

const HTML = Buffer.from(
  '<meta charset="latin1"><h1>Gr\u00f6\u00dfe</h1><p>A page of the web.</p>\r\n',
  'latin1',
);

it('keeps the bytes as they were sent, and makes a page of them', async () => {
  const answer = await send('?name=page.html&wing=net&hall=facts&title=The%20page', HTML);
  expect(answer).toMatchObject({
    status: 200,
    body: { extraction: 'passthrough', file: 'page.html', converted: false, counts: { written: 1 } },
  });
  const kept = await readFile(join(server.root, String(answer.body.original)));
  expect(kept.equals(HTML)).toBe(true);
  expect(answer.body.source_hash).toBe(createHash('sha256').update(HTML).digest('hex'));
  expect(JSON.stringify(answer.body.pages)).toContain('The page');
  expect(await staged()).toEqual([]);

  const before = await server.snapshot();
  const again = await send('?name=other.html', HTML);
  expect(again).toMatchObject({ status: 200, body: { extraction: 'unchanged' } });
  expect(await server.snapshot()).toEqual(before);
});

it('takes options as /ingest does', async () => {
  const text = Buffer.from('# Options\n\nA text.\n');
  const before = await server.snapshot();
  expect(await send('?name=options.md&dry_run=true', text)).toMatchObject({
    status: 200,
    body: { counts: { written: 1 } },
  });
  expect(await server.snapshot()).toEqual(before);
  const placed = await send(
    '?name=options.md&wing=net&hall=facts&destination=wiki&source=https://e.org/o',
    text,
  );
  expect(placed.body).toMatchObject({
    destination: 'wiki',
    source: 'https://e.org/o',
    pages: [{ path: 'wiki/net/facts/options.md' }],
  });
  const job = await send('?name=later.md&background=true', '# Later\n\nIn a job.\n');
  expect(job.body).toMatchObject({ status: 'running' });
  for (;;) {
    const { body } = await server.http('GET', `/job?id=${String(job.body.job)}`);
    if (!('job' in body)) {
      expect(body).toMatchObject({ file: 'later.md', counts: { written: 1 } });
      break;
    }
    await wait(10);
  }
});

it('lets a token that may only propose send a file, and no reader', async () => {
  const proposed = await send('?name=p.md&wing=net&hall=facts&destination=wiki', '# Proposed\n', 'proposer');
  expect(proposed).toMatchObject({ status: 200, body: { destination: 'raw' } });
  expect(codeOf(await send('?name=r.md', '# Read\n', 'reader'))).toMatchObject({ code: 'forbidden_scope' });
});

it.each([
  ['no name', '', 'x', 'missing_field'],
  ['an empty name', '?name=', 'x', 'invalid_filename'],
  ['a path', '?name=a/b.md', 'x', 'invalid_filename'],
  ['a climbing path', '?name=..%2F..%2Fb.md', 'x', 'invalid_filename'],
  ['a backslash', '?name=a%5Cb.md', 'x', 'invalid_filename'],
  ['a drive', '?name=C%3A%5Cb.md', 'x', 'invalid_filename'],
  ['a control character', '?name=a%00b.md', 'x', 'invalid_filename'],
  ['a folder', '?name=..', 'x', 'invalid_filename'],
  ['an unknown kind', '?name=a.bin', 'x', 'unsupported_type'],
  ['a kind for a converter', '?name=a.docx', 'x', 'unsupported_type'],
  ['an unknown field', '?name=a.md&wong=x', 'x', 'unknown_field'],
  ['a wrong hall', '?name=a.md&hall=fact', 'x', 'invalid_hall'],
  ['a wrong wing', '?name=a.md&wing=..', 'x', 'invalid_wing'],
  ['an empty file', '?name=a.md', '', 'empty_content'],
  ['a blank file', '?name=a.md', ' \n', 'no_text'],
  ['a wrong switch', '?name=a.md&force=yes', 'x', 'invalid_field'],
])('refuses %s and changes nothing', async (_, query, bytes, code) => {
  const before = await server.snapshot();
  const answer = await send(query, bytes);
  expect([answer.status, codeOf(answer)]).toEqual([400, expect.objectContaining({ code })]);
  expect(await server.snapshot()).toEqual(before);
});

it('refuses a form and a compressed body', async () => {
  const form = new FormData();
  form.append('file', new Blob(['# Text\n']), 'a.md');
  expect((await send('?name=a.md', form)).status).toBe(415);
  const zipped = await send('?name=a.md', 'x', 'owner', { 'content-encoding': 'gzip' });
  expect(zipped.status).toBe(415);
});

it.each(['CON.md', 'a: b?.md', '.hidden.md', 'trailing. .md', 'note.canvas.md', 'Ünï côdé.md'])(
  'takes the name %j, and keeps the file under one that every system has',
  async (name) => {
    const text = `# ${name}\n\nOf the name ${name}.\n`;
    const answer = await send(`?name=${encodeURIComponent(name)}`, text);
    expect(answer).toMatchObject({ status: 200, body: { file: name } });
    const original = String(answer.body.original);
    expect(original).toMatch(/^inbox\/processed\/\d{4}-\d\d-\d\d\/[^/.][^/:?]*\.md\.txt$/);
    expect(await readFile(join(server.root, original), 'utf8')).toBe(text);
  },
);

it('refuses a file over the limit, declared or not, and leaves nothing', async () => {
  const before = await server.snapshot();
  const large = Buffer.alloc(LIMIT + 1, 'a');
  expect(await send('?name=a.txt', large)).toMatchObject({
    status: 413,
    body: { error: { code: 'too_large', details: { limit_bytes: LIMIT } } },
  });
  // A stream has no declared length.
  const body = new Blob([large]).stream();
  const streamed = await fetch(`${server.url}/ingest-file?name=a.txt`, {
    method: 'POST',
    headers: { authorization: 'Bearer owner' },
    body,
    ...{ duplex: 'half' },
  });
  expect(streamed.status).toBe(413);
  expect(await server.snapshot()).toEqual(before);
  expect(await send('?name=most.txt', Buffer.alloc(LIMIT, 'word '))).toMatchObject({ status: 200 });
});

it('leaves nothing of a file whose connection is cut', async () => {
  const before = await server.snapshot();
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  const head = ['POST /ingest-file?name=cut.txt HTTP/1.1', 'Host: localhost:' + port];
  socket.write([...head, 'Authorization: Bearer owner', 'Content-Length: 2000000', '', ''].join('\r\n'));
  socket.write(randomBytes(500_000));
  await waitUntil(async () => (await staged()).length === 1);
  socket.destroy();
  await waitUntil(async () => (await staged()).length === 0);
  const after = await server.snapshot();
  expect(after).toEqual(before);
});

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 5000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('It took too long.');
    await wait(5);
  }
}

it('describes the route', async () => {
  const { body } = await server.http('GET', '/openapi.json');
  expect(body.paths).toMatchObject({
    '/ingest-file': {
      post: {
        requestBody: { content: { 'application/octet-stream': {} } },
        parameters: expect.arrayContaining([
          expect.objectContaining({ name: 'name', in: 'query', required: true }),
        ]),
      },
    },
  });
});
