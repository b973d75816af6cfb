import { call, codeOf, exchange, serve, stopServers } from './http-support';
import { API_DESCRIPTION } from './contract/described-api';

const PAGE = {
  html: '<!doctype html><title>Brain</title>',
  script: 'console.log("page")',
  style: 'body { margin: 0 }',
  icon: '<svg xmlns="http://www.w3.org/2000/svg"/>',
};
const FILES = [
  ['/', 'text/html; charset=utf-8', PAGE.html],
  ['/page.js', 'text/javascript; charset=utf-8', PAGE.script],
  ['/page.css', 'text/css; charset=utf-8', PAGE.style],
  ['/favicon.svg', 'image/svg+xml; charset=utf-8', PAGE.icon],
] as const;

afterEach(stopServers);

describe.each(FILES)('%s', (path, type, text) => {
  it('is given without a token, with everything that keeps it on its own', async () => {
    const { url } = await serve({ page: PAGE });
    const answer = await fetch(url + path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(text);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': type,
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('is not sent again to whoever has it', async () => {
    const { url, port } = await serve({ page: PAGE });
    const etag = (await fetch(url + path)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    // As a browser asks: `fetch` of Node would add that it wants no cached answer.
    const ask = (tag: string) =>
      exchange(
        port,
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nIf-None-Match: ${tag}\r\nConnection: close\r\n\r\n`,
      );
    const again = await ask(etag);
    expect(again).toMatch(/^HTTP\/1\.1 304 /);
    expect(again.split('\r\n\r\n')[1]).toBe('');
    expect(again).toContain(`ETag: ${etag}`);
    expect(await ask('"another"')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('answers HEAD without a body, and no other method', async () => {
    const { url } = await serve({ page: PAGE });
    const head = await fetch(url + path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      `${Buffer.byteLength(text)}`,
      '',
    ]);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const answer = await fetch(url + path, { method });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  it('is refused to what comes from another site or under another name', async () => {
    const { url } = await serve({ page: PAGE });
    const headers = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];
    for (const one of headers) {
      expect(codeOf(await call(url, 'GET', path, { headers: one }))).toBe('forbidden_origin');
    }
    expect((await fetch(url + path, { headers: { 'sec-fetch-site': 'none' } })).status).toBe(200);
  });
});

it.each([
  '/index.html',
  '/page.js/',
  '/page.js.map',
  '/PAGE.JS',
  '/../package.json',
  '/%2e%2e/package.json',
  '/page.css%00',
  '/favicon.ico',
  '/assets/page.js',
])('%s is nothing', async (path) => {
  const { url } = await serve({ page: PAGE });
  expect(codeOf(await call(url, 'GET', path))).toBe('not_found');
  expect(codeOf(await call(url, 'GET', path, { headers: { authorization: '' } }))).toBe('unauthorized');
});

it('is nowhere without the files', async () => {
  const { url } = await serve();
  for (const [path] of FILES) expect(codeOf(await call(url, 'GET', path))).toBe('not_found');
});

it('is no part of the interface for programs', () => {
  expect(Object.keys(API_DESCRIPTION.paths ?? {})).not.toContain('/');
});
