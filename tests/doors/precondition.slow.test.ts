import { createHash } from 'node:crypto';
import { type LiveServer, startLiveServer } from '../support/live-server';

const MTU = 'wiki/net/facts/mtu.md';
const ROOT = '# Guide\n';
const FILES = {
  'AGENTS.md': ROOT,
  [MTU]: '---\nwing: net\nhall: facts\n---\n# MTU\n\n1420.\n',
  'raw/2026-01-01-a.md': '# A\n\nText a.\n',
  'raw/2026-01-02-b.md': '# B\n\nText b.\n',
};
const hashOf = (path: keyof typeof FILES) =>
  createHash('sha256')
    .update(FILES[path] ?? '')
    .digest('hex');
const OTHER = 'f'.repeat(64);

let live: LiveServer;
beforeEach(async () => (live = await startLiveServer(FILES)));
afterEach(() => live.stop());

const ask = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
  const answer = await fetch(live.url + path, {
    method,
    headers: {
      authorization: 'Bearer owner',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const parsed = (text === '' ? {} : JSON.parse(text)) as { error?: { code: string } };
  return { status: answer.status, headers: answer.headers, text, code: parsed.error?.code, body: parsed };
};

const CHANGES: [path: string, note: keyof typeof FILES, body: object][] = [
  ['/update', MTU, { path: MTU, content: '# MTU\n\n1380.', reason: 'measured' }],
  ['/promote', 'raw/2026-01-01-a.md', { path: 'raw/2026-01-01-a.md', wing: 'net', hall: 'facts' }],
  ['/reject', 'raw/2026-01-02-b.md', { path: 'raw/2026-01-02-b.md' }],
  ['/edit-root', 'AGENTS.md', { content: '# New guide', reason: 'because' }],
];

describe.each(CHANGES)('If-Match on POST %s', (path, note, body) => {
  it.each<[string, (hash: string) => string]>([
    ['another tag', () => `"${OTHER}"`],
    ['a tag that is no hash', () => '"x"'],
    ['the weak tag', (hash) => `W/"${hash}"`],
    ['several others', (hash) => `"${OTHER}", W/"${hash}" ,"", "a b"`.replace('a b', 'ab')],
  ])('refuses %s like expected_hash, and changes nothing', async (_name, header) => {
    const before = await live.snapshot();
    const byHeader = await ask('POST', path, { 'if-match': header(hashOf(note)) }, body);
    const byBody = await ask('POST', path, {}, { ...body, expected_hash: OTHER });
    expect([byHeader.status, byHeader.code]).toEqual([409, 'hash_mismatch']);
    const bare = ({ text }: { text: string }) => text.replace(/"request_id":"[^"]*"/, '');
    expect(bare(byHeader)).toBe(bare(byBody));
    expect(await live.snapshot()).toEqual(before);
  });

  it.each<[string, (hash: string) => string]>([
    ['the tag', (hash) => `"${hash}"`],
    ['the tag among others', (hash) => ` , "${OTHER}",W/"x" , "${hash}",`],
    ['any', () => '*'],
    ['any, with blanks', () => ' * '],
  ])('takes %s', async (_name, header) => {
    expect((await ask('POST', path, { 'if-match': header(hashOf(note)) }, body)).status).toBe(200);
  });

  it('takes the same hash in both places, and refuses two', async () => {
    const ask2 = (header: string, expected: string) =>
      ask('POST', path, { 'if-match': header }, { ...body, expected_hash: expected });
    const hash = hashOf(note);
    const two = await ask2(`"${OTHER}"`, hash);
    expect([two.status, two.code]).toEqual([400, 'invalid_field']);
    expect((await ask2('*', OTHER)).code).toBe('hash_mismatch');
    expect((await ask2(`"${OTHER}", "${hash}"`, hash)).status).toBe(200);
  });

  it.each(['', 'x', OTHER, '"a', 'a"', '"a" "b"', '*, "a"', '"a", *', 'w/"a"', 'W/ "a"', '"a"x', ','])(
    'refuses the header %j as malformed',
    async (header) => {
      const { status, code } = await ask('POST', path, { 'if-match': header }, body);
      expect([status, code]).toEqual([400, 'invalid_field']);
    },
  );
});

it('If-Match: * wants a root note', async () => {
  const bare = await startLiveServer({ 'wiki/a/facts/b.md': '# B\n' });
  const answer = await fetch(`${bare.url}/edit-root`, {
    method: 'POST',
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json', 'if-match': '*' },
    body: JSON.stringify({ content: '# New', reason: 'x' }),
  });
  expect(answer.status).toBe(409);
  await bare.stop();
});

it('If-Match is refused where it could not be met, and passed over where nothing changes', async () => {
  const write = await ask('POST', '/capture', { 'if-match': `"${OTHER}"` }, { text: 'x' });
  expect([write.status, write.code]).toEqual([400, 'invalid_field']);
  expect((await ask('POST', '/query', { 'if-match': `"${OTHER}"` }, { query: 'mtu' })).status).toBe(200);
});

describe.each(['GET', 'HEAD'])('%s /note', (method) => {
  const path = `/note?path=${MTU}`;
  it('says the version, and answers 304 to who has it', async () => {
    const hash = hashOf(MTU);
    const first = await ask(method, path, {});
    expect([first.status, first.headers.get('etag')]).toEqual([200, `"${hash}"`]);
    for (const header of [`"${hash}"`, `W/"${hash}"`, '*', `"x", W/"${hash}"`, `"x","${hash}"`]) {
      const { status, text, headers } = await ask(method, path, { 'if-none-match': header });
      expect([header, status, text, headers.get('etag')]).toEqual([header, 304, '', `"${hash}"`]);
    }
    for (const header of [`"${OTHER}"`, `W/"x"`]) {
      expect((await ask(method, path, { 'if-none-match': header })).status).toBe(200);
    }
    expect((await ask(method, path, { 'if-none-match': hash })).status).toBe(400);
  });

  it('says nothing of a version where there is no note', async () => {
    const { status, headers } = await ask(method, '/note?path=wiki/net/facts/none.md', {
      'if-none-match': '*',
    });
    expect([status, headers.get('etag')]).toEqual([404, null]);
  });
});

it('the description names the headers', async () => {
  const { body } = await live.http('GET', '/openapi.json');
  expect(body).toMatchObject({
    paths: {
      '/note': { get: { responses: { '200': { headers: { ETag: {} } }, '304': {} } } },
      '/update': {
        post: {
          parameters: [
            { name: 'If-Match', in: 'header' },
            { name: 'Idempotency-Key', in: 'header' },
          ],
        },
      },
    },
  });
});
