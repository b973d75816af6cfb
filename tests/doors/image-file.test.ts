import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sha256 } from '../../src/core/base/hash';
import { type LiveServer, startLiveServer } from '../support/live-server';

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const PNG = bytesOf('\x89PNG\r\n\x1a\n rest of the image');
const JPEG = bytesOf('\xff\xd8\xff\xe0 rest');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const MIB = 1024 * 1024;

const IMAGES: Readonly<Record<string, readonly [bytes: Buffer, type: string]>> = {
  'wiki/net/facts/plan.png': [PNG, 'image/png'],
  'Attachments/photo of me.JPG': [JPEG, 'image/jpeg'],
  'Attachments/no-jpeg.png': [JPEG, 'image/jpeg'],
  'knowledge/a.gif': [bytesOf('GIF89a rest'), 'image/gif'],
  'knowledge/a.webp': [bytesOf('RIFF\x00\x00\x00\x00WEBPVP8 '), 'image/webp'],
  'knowledge/a.avif': [bytesOf('\x00\x00\x00\x20ftypavif'), 'image/avif'],
  'inbox/processed/2026-11-20/scan.png': [PNG, 'image/png'],
  'run.svg': [bytesOf(SVG), 'image/svg+xml'],
  'head.svg': [
    bytesOf(`\xef\xbb\xbf<?xml version="1.0"?>\n<!-- drawn -->\n<!DOCTYPE svg PUBLIC "x" "y">\n${SVG}`),
    'image/svg+xml',
  ],
};
const OTHERS: Readonly<Record<string, Buffer>> = {
  'wiki/net/facts/note.md': bytesOf('# Note\n\n![[plan.png]]\n'),
  'page.html': bytesOf('<script>alert(1)</script>'),
  'not.png': bytesOf('<script>alert(1)</script>'),
  'svg-as.png': bytesOf(SVG),
  'html.svg': bytesOf('<html><svg></svg></html>'),
  'spaces.svg': bytesOf(' '.repeat(4096)),
  'empty.png': bytesOf(''),
  'raw/waiting.png': PNG,
  'raw/rejected/gone.png': PNG,
  'inbox/new.png': PNG,
  'inbox/quarantine/bad.png': PNG,
  'sessions/a.png': PNG,
  '.obsidian/icon.png': PNG,
  'Private/secret.png': PNG,
  'large.png': Buffer.concat([PNG, Buffer.alloc(16 * MIB)]),
  'largest.png': Buffer.concat([PNG, Buffer.alloc(16 * MIB - PNG.length)]),
};

let live: LiveServer;
let outside: string;
beforeAll(async () => {
  outside = await mkdtemp(join(tmpdir(), 'brain-outside-'));
  await writeFile(join(outside, 'out.png'), PNG);
  live = await startLiveServer({}, { exclude: ['Private'] }, async (root) => {
    const files = {
      ...Object.fromEntries(Object.entries(IMAGES).map(([at, [bytes]]) => [at, bytes])),
      ...OTHERS,
    };
    for (const [at, bytes] of Object.entries(files)) {
      await mkdir(dirname(join(root, at)), { recursive: true });
      await writeFile(join(root, at), bytes);
    }
    await symlink(join(outside, 'out.png'), join(root, 'linked.png'));
    await symlink(outside, join(root, 'linked'));
  });
});
afterAll(async () => {
  await live.stop();
  await rm(outside, { recursive: true, force: true });
});

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Asks without a client that tidies the path. */
function ask(path: string, { method = 'GET', headers = {}, token = 'reader' } = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${live.url}/file?path=${encodeURIComponent(path)}`,
      { method, headers: { authorization: `Bearer ${token}`, ...headers } },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
        );
      },
    );
    sent.on('error', reject).end();
  });
}

it.each(Object.entries(IMAGES))(
  'gives %s as it is, under the type of its content',
  async (path, [bytes, type]) => {
    const { status, headers, bytes: got } = await ask(path);
    expect([status, headers['content-type'], got.equals(bytes)]).toEqual([200, type, true]);
    expect(headers).toMatchObject({
      etag: `"${sha256(bytes)}"`,
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  },
);

it('lets a picture run, fetch and frame nothing when it is opened by itself', async () => {
  const { headers } = await ask('run.svg');
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
  );
});

it.each([
  ...Object.keys(OTHERS).filter((path) => !path.startsWith('larg')),
  'linked.png',
  'none.png',
  'Attachments',
  'wiki/net',
])('gives nothing at %s, with 404', async (path) => {
  const { status, bytes } = await ask(path);
  expect([status, JSON.parse(bytes.toString())]).toEqual([
    404,
    { error: expect.objectContaining({ code: 'not_found', message: expect.stringContaining('PNG') }) },
  ]);
});

it.each([
  '../out.png',
  'wiki/../../out.png',
  'wiki/net/../../../etc/passwd.png',
  '..\\out.png',
  'C:/out.png',
  'a/%2e%2e/../out.png',
  'linked/out.png',
  'a\u0000.png',
  '',
  `${'a/'.repeat(600)}b.png`,
])('refuses %j, which leads nowhere inside the vault', async (path) => {
  const { status, bytes } = await ask(path);
  expect(status).toBe(400);
  expect(['path_not_allowed', 'invalid_field']).toContain(JSON.parse(bytes.toString()).error.code);
});

it('has a limit of size', async () => {
  const { status, bytes } = await ask('large.png');
  expect([status, JSON.parse(bytes.toString()).error.code]).toEqual([413, 'too_large']);
  expect((await ask('largest.png')).bytes).toHaveLength(16 * MIB);
});

it('answers HEAD without a body, and 304 to who has the image', async () => {
  const hash = sha256(PNG);
  const head = await ask('wiki/net/facts/plan.png', { method: 'HEAD' });
  expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([
    200,
    0,
    String(PNG.length),
  ]);
  for (const method of ['GET', 'HEAD']) {
    const headers = { 'if-none-match': `"x", W/"${hash}"` };
    const { status, bytes, headers: got } = await ask('wiki/net/facts/plan.png', { method, headers });
    expect([status, bytes.length, got.etag]).toEqual([304, 0, `"${hash}"`]);
  }
  const other = await ask('wiki/net/facts/plan.png', { headers: { 'if-none-match': '"x"' } });
  expect(other.status).toBe(200);
});

it.each([
  [{ token: 'nobody' }, 401, 'unauthorized'],
  [{ token: 'writer' }, 403, 'forbidden_scope'],
  [{ headers: { origin: 'https://evil.test' } }, 403, 'forbidden_origin'],
  [{ headers: { 'sec-fetch-site': 'cross-site' } }, 403, 'forbidden_origin'],
  [{ method: 'POST' }, 405, 'method_not_allowed'],
])('refuses %j', async (options, status, code) => {
  const got = await ask('wiki/net/facts/plan.png', options);
  expect([got.status, JSON.parse(got.bytes.toString()).error.code]).toEqual([status, code]);
});

it('refuses a call without a path, and one with another field', async () => {
  for (const [query, code] of [
    ['', 'missing_field'],
    ['?path=a.png&width=3', 'unknown_field'],
    ['?path=a.png&path=b.png', 'invalid_field'],
  ]) {
    expect((await live.http('GET', `/file${query}`)).body).toMatchObject({ error: { code } });
  }
});
