import * as fc from 'fast-check';
import { fakeBrain, OWNER, serve, stopServers } from '../http-support';
import { ask, codeIn, rawClient } from './raw-client';

/**
 * Requests that two readers would read in two ways (RFC 9112, sections 2.2, 5.2, 6.1, 6.3 and 11.2), and requests that are
 * nobody's. Each is answered in one way, and nothing of it is taken for a second request.
 */
let port = 0;
beforeAll(async () => {
  ({ port } = await serve());
});
afterAll(stopServers);

const head = (line: string, ...headers: string[]) =>
  [line, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${OWNER}`, ...headers, '', ''].join('\r\n');
const echo = (...headers: string[]) =>
  head('POST /echo HTTP/1.1', 'Content-Type: application/json', ...headers);
const chunked = (body: string) => `${echo('Transfer-Encoding: chunked')}${body}`;
/** What an attacker would like to be taken for a request of its own. */
const INNER = () => head('GET /find?text=smuggled HTTP/1.1');

describe('framing that can be read in two ways is refused, and the connection ended', () => {
  it.each<[string, () => string]>([
    ['two equal lengths', () => `${echo('Content-Length: 2', 'Content-Length: 2')}{}`],
    ['two lengths', () => `${echo('Content-Length: 2', 'Content-Length: 9')}{}`],
    ['a list of lengths', () => `${echo('Content-Length: 2, 2')}{}`],
    ['a length with a sign', () => `${echo('Content-Length: +2')}{}`],
    ['a negative length', () => `${echo('Content-Length: -2')}{}`],
    ['a length in another base', () => `${echo('Content-Length: 0x2')}{}`],
    ['a length that is no number', () => `${echo('Content-Length: two')}{}`],
    ['a length beyond all numbers', () => `${echo(`Content-Length: ${'9'.repeat(30)}`)}{}`],
    ['a length with a space before the colon', () => `${echo('Content-Length : 2')}{}`],
    ['a length and chunks', () => `${echo('Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
    ['chunks and a length', () => `${echo('Transfer-Encoding: chunked', 'Content-Length: 2')}0\r\n\r\n`],
    ['chunks of another spelling', () => `${echo('Transfer-Encoding: xchunked')}0\r\n\r\n`],
    ['chunks behind a control character', () => `${echo('Transfer-Encoding: \x0bchunked')}0\r\n\r\n`],
    ['chunks that are not the last coding', () => `${echo('Transfer-Encoding: chunked, identity')}0\r\n\r\n`],
    ['two codings', () => `${echo('Transfer-Encoding: chunked', 'Transfer-Encoding: identity')}0\r\n\r\n`],
    ['a folded header', () => `${echo('X: a', ' b', 'Content-Length: 2')}{}`],
    ['a folded coding', () => `${echo('Transfer-Encoding:', ' chunked')}0\r\n\r\n`],
    ['a header that starts with a space', () => `${echo(' Content-Length: 2')}{}`],
    ['a header without a colon', () => echo('Content-Length')],
    ['lines that end with LF alone', () => INNER().replaceAll('\r\n', '\n')],
    ['lines that end with CR alone', () => INNER().replaceAll('\r\n', '\r')],
    ['a CR in a value', () => echo('X: a\rContent-Length: 2')],
    ['a NUL in a value', () => echo('X: a\0b')],
    ['a chunk size that ends with LF', () => chunked('2\n{}\r\n0\r\n\r\n')],
    ['a chunk extension that ends with LF', () => chunked('2;a\n{}\r\n0\r\n\r\n')],
    ['a chunk without an end', () => chunked('2\r\n{}0\r\n\r\n')],
    ['a chunk that is longer than its size', () => chunked('1\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size with a sign', () => chunked('-2\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size in another base', () => chunked('0x2\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size with a space', () => chunked('2 \r\n{}\r\n0\r\n\r\n')],
    ['a chunk size beyond all numbers', () => chunked(`${'f'.repeat(20)}\r\n{}\r\n0\r\n\r\n`)],
    ['no method', () => '/health HTTP/1.1\r\n\r\n'],
    ['a method that nobody knows', () => head('BREW /health HTTP/1.1')],
    ['a method in small letters', () => head('get /health HTTP/1.1')],
    ['a version that nobody knows', () => head('GET /health HTTP/1.9')],
    ['a path without a slash', () => head('GET health HTTP/1.1')],
    ['a NUL in the path', () => head('GET /hea\0lth HTTP/1.1')],
    ['bytes beyond ASCII in the path', () => head('GET /h\u00e9alth HTTP/1.1')],
    ['TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['SSH', () => 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['SMTP', () => 'EHLO localhost\r\n'],
    ['Redis', () => '*1\r\n$4\r\nPING\r\n'],
  ])('%s', async (_name, request) => {
    const client = rawClient(port);
    client.send(request() + INNER());
    await client.closed;
    expect(client.answers().map((answer) => [answer.status, codeIn(answer)])).toEqual([
      [400, 'invalid_request'],
    ]);
    expect(client.heard()).not.toContain('smuggled');
    expect(client.answers()[0]?.headers).toMatchObject({ 'x-brain-api': '1', connection: 'close' });
  });
});

describe('a request that can be read in one way only is one request', () => {
  it.each<[string, () => string, number]>([
    ['a body that looks like a request', () => `${echo(`Content-Length: ${INNER().length}`)}${INNER()}`, 400],
    [
      'a refused body that looks like one',
      () => `${head('POST /echo HTTP/1.1', `Content-Length: ${INNER().length}`)}${INNER()}`,
      415,
    ],
    [
      'a body of a GET that looks like one',
      () => `${head('GET /health HTTP/1.1', `Content-Length: ${INNER().length}`)}${INNER()}`,
      200,
    ],
    [
      'a body at a path that is not there',
      () => `${head('POST /x HTTP/1.1', `Content-Length: ${INNER().length}`)}${INNER()}`,
      404,
    ],
    ['chunks', () => chunked('2\r\n{}\r\n0\r\n\r\n'), 200],
    ['chunks with an extension', () => chunked('2;name=value\r\n{}\r\n0\r\n\r\n'), 200],
    [
      'chunks with trailers, which count for nothing',
      () => chunked('2\r\n{}\r\n0\r\nHost: evil.example\r\nAuthorization: x\r\n\r\n'),
      200,
    ],
    [
      'a coding before the chunks',
      () => `${echo('Transfer-Encoding: gzip, chunked')}2\r\n{}\r\n0\r\n\r\n`,
      415,
    ],
    ['empty lines before it', () => `\r\n\r\n${head('GET /health HTTP/1.1')}`, 200],
    [
      'a wish to change to WebSocket',
      () => head('GET /health HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket'),
      200,
    ],
    [
      'a wish to change to HTTP/2',
      () =>
        head(
          'GET /health HTTP/1.1',
          'Connection: Upgrade, HTTP2-Settings',
          'Upgrade: h2c',
          'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
        ),
      200,
    ],
  ])('%s', async (_name, request, status) => {
    const client = rawClient(port);
    client.send(request());
    await client.until(1);
    client.send(head('GET /find?text=next HTTP/1.1'));
    const answers = await client.until(2);
    client.leave();
    expect(answers.map((answer) => answer.status)).toEqual([status, 200]);
    expect(answers[1]?.body).toContain('next');
    expect(client.heard()).not.toContain('"smuggled"');
  });

  it('whatever stands in its body, and wherever the bytes are cut', async () => {
    const bytes = fc.oneof(
      fc.constantFrom(INNER(), '0\r\n\r\n', '\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n'),
      fc.string({ unit: fc.constantFrom('\r', '\n', '0', ' ', 'a', ':', '\0', 'é') }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(bytes, { maxLength: 4 }),
        fc.boolean(),
        fc.nat(400),
        async (parts, asChunks, cut) => {
          const body = parts.join('');
          const request = asChunks
            ? `${echo('Transfer-Encoding: chunked')}${parts.map((part) => (part === '' ? '' : `${part.length.toString(16)}\r\n${part}\r\n`)).join('')}0\r\n\r\n`
            : `${echo(`Content-Length: ${body.length}`)}${body}`;
          const all = request + head('GET /find?text=next HTTP/1.1');
          const client = rawClient(port);
          client.send(all.slice(0, cut));
          client.send(all.slice(cut));
          const answers = await client.until(2);
          client.leave();
          expect(answers.map(({ status }) => status)).toEqual([body === '' ? 200 : 400, 200]);
          expect(answers[1]?.body).toContain('next');
        },
      ),
      { numRuns: 100 },
    );
  });

  it('when many come at once: each is answered, in order', async () => {
    const client = rawClient(port);
    const wanted = Array.from({ length: 500 }, (_, n) => `n${n}x`);
    client.send(wanted.map((text) => head(`GET /find?text=${text} HTTP/1.1`)).join(''));
    const answers = await client.until(wanted.length);
    client.leave();
    expect(answers.map(({ body }) => /n\d+x/.exec(body)?.[0])).toEqual(wanted);
  });
});

describe('what is refused before the app sees it', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `X-${n}: a`);
  it.each<[string, () => string, number, string]>([
    ['more headers than 100', () => head('GET /health HTTP/1.1', ...many(99)), 431, 'headers_too_large'],
    [
      'a second host behind so many that it would be dropped',
      () => head('GET /health HTTP/1.1', ...many(150), 'Host: evil.example'),
      431,
      'headers_too_large',
    ],
    [
      'more than 16 KiB of headers',
      () => head('GET /health HTTP/1.1', `X: ${'a'.repeat(17_000)}`),
      431,
      'headers_too_large',
    ],
    [
      'an address of more than 16 KiB',
      () => head(`GET /find?text=${'a'.repeat(17_000)} HTTP/1.1`),
      431,
      'headers_too_large',
    ],
    ['a whole address', () => head(`GET http://127.0.0.1:${port}/health HTTP/1.1`), 403, 'forbidden_host'],
    ['a tunnel', () => head('CONNECT 127.0.0.1:22 HTTP/1.1'), 403, 'forbidden_host'],
    [
      'an expectation that nobody can meet',
      () => head('GET /health HTTP/1.1', 'Expect: the-spanish-inquisition'),
      417,
      'invalid_request',
    ],
    ['HTTP/2 in the words of HTTP/1', () => head('GET /health HTTP/2.0'), 505, 'invalid_request'],
    ['HTTP/0.9', () => 'GET /health\r\n\r\n', 505, 'invalid_request'],
  ])('%s', async (_name, request, status, code) => {
    const client = rawClient(port);
    client.send(request());
    await client.closed;
    const [answer, ...more] = client.answers();
    expect([answer?.status, answer && codeIn(answer), more]).toEqual([status, code, []]);
    expect(answer?.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(answer?.headers['x-request-id']).toBe(/"request_id":"([^"]+)"/.exec(answer?.body ?? '')?.[1]);
  });

  it('takes exactly 100 headers', async () => {
    const [answer] = await ask(port, head('GET /health HTTP/1.1', ...many(98)));
    expect(answer?.status).toBe(200);
  });
});

describe('headers that may come once', () => {
  it.each<[string, string[], number]>([
    ['two equal hosts', [`Host: 127.0.0.1:PORT`, 'Host: 127.0.0.1:PORT'], 403],
    [
      'two tokens, ours first',
      ['Host: 127.0.0.1:PORT', `Authorization: Bearer ${OWNER}`, 'Authorization: Bearer x'],
      401,
    ],
    [
      'the same token twice',
      ['Host: 127.0.0.1:PORT', `Authorization: Bearer ${OWNER}`, `Authorization: Bearer ${OWNER}`],
      401,
    ],
    ['a token in a list', ['Host: 127.0.0.1:PORT', `Authorization: Bearer ${OWNER}, Bearer x`], 401],
    ['a token in the address', ['Host: 127.0.0.1:PORT'], 401],
    ['a token in a cookie', ['Host: 127.0.0.1:PORT', `Cookie: token=${OWNER}`], 401],
  ])('%s', async (_name, headers, status) => {
    const lines = headers.map((line) => line.replaceAll('PORT', String(port)));
    const [answer] = await ask(
      port,
      [`GET /find?text=a&token=${OWNER} HTTP/1.1`, ...lines, '', ''].join('\r\n'),
    );
    expect(answer?.status).toBe(status);
  });
});

it.each([
  ['JSON and text', ['application/json', 'text/plain']],
  ['text and JSON', ['text/plain', 'application/json']],
  ['JSON twice', ['application/json', 'application/json']],
])('a body of two kinds is of none: %s', async (_name, types) => {
  const lines = types.map((type) => `Content-Type: ${type}`);
  const [answer] = await ask(port, `${head('POST /echo HTTP/1.1', ...lines, 'Content-Length: 2')}{}`);
  expect(answer && [answer.status, codeIn(answer)]).toEqual([415, 'unsupported_media_type']);
});

describe('methods', () => {
  it.each(['TRACE', 'TRACK', 'OPTIONS', 'PUT', 'PATCH', 'PROPFIND', 'M-SEARCH', 'PURGE'])(
    '%s repeats nothing of the request, and does nothing',
    async (method) => {
      const [answer] = await ask(port, head(`${method} /find?text=a HTTP/1.1`, 'X-Secret: s3cret'));
      expect([405, 400]).toContain(answer?.status);
      expect(JSON.stringify(answer)).not.toContain('s3cret');
      expect(answer?.headers.allow).toBe(answer?.status === 405 ? 'GET, HEAD' : undefined);
    },
  );

  it('OPTIONS of the whole server is a path that is not there', async () => {
    const [answer] = await ask(port, head('OPTIONS * HTTP/1.1'));
    expect(answer && [answer.status, codeIn(answer)]).toEqual([404, 'not_found']);
  });

  it('no name of a method of Object or of a path reaches anything', async () => {
    for (const path of [
      '/constructor',
      '/__proto__',
      '/toString',
      '/..',
      '/%2e%2e/health',
      '/health%00',
      '/health;x',
      '/HEALTH',
      '/./health',
      '/%68ealth',
      '/health%2f',
      '//health',
      '/\\health',
    ]) {
      const [answer] = await ask(port, head(`GET ${path} HTTP/1.1`));
      expect([path, answer?.status]).toEqual([path, 404]);
    }
  });

  it.each(['%', '%zz', '%c0%af', '%ff', '%00', '%ud800', 'a%', '%E0%80%80', '%F5%80%80%80'])(
    'the trick %s in a query is text or refused, never a failure',
    async (trick) => {
      const { lines } = fakeBrain();
      const [answer] = await ask(port, head(`GET /find?text=${trick} HTTP/1.1`));
      expect([200, 400]).toContain(answer?.status);
      expect(lines).toEqual([]);
    },
  );
});
