import * as fc from 'fast-check';
import { HTTP_STATUS } from '../../src/doors/http/errors';
import { DESCRIPTORS } from '../../src/core/operation/descriptors';
import { type LiveServer, startLiveServer } from '../support/live-server';
import { fuzz } from './fuzz';
import { exchangeBytes, type RawAnswer } from './raw-http';

const FILES = {
  'wiki/net/facts/mtu.md': '---\nwing: net\nhall: facts\n---\n# MTU\n\n1420.\n',
  'raw/2026-11-01-dns.md': '# DNS\n\nUnbound.\n',
  'raw/rejected/noise.md': '# Noise\n',
  'AGENTS.md': '# Root\n',
};

let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer(FILES, { rateLimit: 0 });
});
afterAll(() => server.stop());

const paths = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...Object.values(DESCRIPTORS).map(({ path }) => path),
      ...['/mcp', '/health', '/openapi.json', '/'],
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.constantFrom(
          ...[
            '/',
            '//',
            '..',
            '.',
            '%2e%2e',
            '%2f',
            '%5c',
            '\\',
            '%00',
            '%',
            '%zz',
            '%ff',
            'write',
            'note',
            'mcp',
            'WRITE',
            ';a',
            '*',
          ],
          ...[
            'http://127.0.0.1',
            'https://x',
            '@',
            ':80',
            '#',
            '?',
            'é',
            '.well-known',
            'wiki',
            '~',
            ' ',
            '\t',
          ],
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);
const queries = fc.oneof(
  fc.constant(''),
  fc
    .array(
      fc.tuple(
        fc.constantFrom(
          'path',
          'hash',
          'wing',
          'hall',
          'slug',
          'limit',
          'id',
          'window',
          'skill',
          'x',
          '__proto__',
          'a[b]',
          'path[]',
          '',
        ),
        fc.constantFrom(
          ...[
            '=wiki/net/facts/mtu.md',
            '=raw/2026-11-01-dns.md',
            '=../../etc/passwd',
            '=%00',
            '=%ff%fe',
            '=',
            '',
            '=1',
            '=-1',
            '=1e999',
          ],
          ...[
            '=NaN',
            '=true',
            '=%2e%2e%2f',
            '=[]',
            '=a=b',
            '=%',
            '=facts',
            '=net',
            '=99999999999999999999',
            '=7d',
            '=0h',
          ],
        ),
      ),
      { maxLength: 4 },
    )
    .map((pairs) => `?${pairs.map(([name, value]) => name + value).join('&')}`),
);
const values = fc.oneof(
  fc.constantFrom(
    ...[
      'wiki/net/facts/mtu.md',
      'raw/2026-11-01-dns.md',
      'raw/rejected/noise.md',
      'net',
      'facts',
      '../x',
      '',
      'AGENTS.md',
    ],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const bodies: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc
    .dictionary(
      fc.constantFrom(
        ...[
          'content',
          'path',
          'wing',
          'hall',
          'slug',
          'filename',
          'query',
          'limit',
          'text',
          'pages',
          'records',
          'reason',
          'title',
        ],
        ...[
          'expected_hash',
          'dry_run',
          'source_type',
          'frontmatter',
          'overwrite',
          'destination',
          'id',
          'links',
          'constructor',
          'x',
        ],
      ),
      values,
      { maxKeys: 5 },
    )
    .map((body) => Buffer.from(JSON.stringify(body))),
  fc.jsonValue({ maxDepth: 4 }).map((body) => Buffer.from(JSON.stringify(body))),
  fc.uint8Array({ maxLength: 60 }),
  fc
    .constantFrom(
      '',
      '{',
      '[]',
      'null',
      '"',
      '{"a":1,}',
      '\uFEFF{}',
      '{"content":"x","content":"y"}',
      '['.repeat(200),
    )
    .map((text) => Buffer.from(text)),
);
const headers = fc.array(
  fc.constantFrom(
    ...[
      'Origin: http://127.0.0.1',
      'Origin: null',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Site: none',
      'Host: evil.example',
      'Host:',
    ],
    ...[
      'Content-Type: text/plain',
      'Content-Type: application/json; charset=utf-16',
      'Content-Type: application/json, text/plain',
    ],
    ...[
      'Content-Encoding: gzip',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip, chunked',
      'Content-Length: 5',
      'Content-Length: -1',
    ],
    ...[
      'Expect: 100-continue',
      'Expect: x',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'X-Brain-Client: \u00ff<%x%>',
      'Accept: */*',
      'Accept: x',
    ],
    ...[
      'Authorization: Bearer reader',
      'Authorization: Basic eA==',
      'Authorization: Bearer',
      'Range: bytes=0-1',
      'If-Match: *',
      'X: \u0001',
    ],
    ...[
      'Mcp-Session-Id: x',
      'MCP-Protocol-Version: 2025-11-25',
      'MCP-Protocol-Version: 2026-07-28',
      'X-Forwarded-For: 1.2.3.4',
      'Cookie: a=b',
      ' folded: x',
      'no colon',
    ],
  ),
  { maxLength: 3 },
);
const requests = fc.record({
  method: fc.constantFrom(
    ...[
      'GET',
      'POST',
      'POST',
      'POST',
      'DELETE',
      'PUT',
      'PATCH',
      'HEAD',
      'OPTIONS',
      'TRACE',
      'CONNECT',
      'PROPFIND',
      'QUERY',
      'get',
      'FOO',
      '',
    ],
  ),
  path: paths,
  query: queries,
  version: fc.constantFrom(
    'HTTP/1.1',
    'HTTP/1.1',
    'HTTP/1.1',
    'HTTP/1.1',
    'HTTP/1.0',
    'HTTP/2.0',
    'HTTP/9',
    '',
  ),
  usual: fc.constantFrom(true, true, true, true, false),
  headers,
  body: bodies,
});

const ALLOWED: ReadonlySet<number> = new Set([
  200,
  0, // No HTTP at all: the connection is closed.
  202, // A notification over MCP.
  ...[100, 400, 406, 408, 411, 413, 414, 417, 431, 505], // Said by the transports below the routes.
  ...Object.entries(HTTP_STATUS).flatMap(([code, status]) =>
    status < 500 || /hybrid_not_configured|converter|llm/.test(code) ? [status] : [],
  ),
]);

/** A whole request is never cut off by the client: its change would be made, and its answer would be lost. */
const PATIENCE_MS = 3_000;

/** What a refusal says; the transports below the routes say it in other words, or in none. */
function checkWords({ status, head, body }: RawAnswer, method: string): void {
  expect(body).not.toMatch(/\bat .*:\d+:\d+|node_modules|\/src\/|Error:|brain-live-/);
  if (
    status < 400 ||
    !/^content-type: application\/json/im.test(head) ||
    method === 'HEAD' ||
    !/^x-brain-api/im.test(head)
  )
    return;
  const { error }: { error?: unknown } = JSON.parse(body);
  if (typeof error === 'string') return;
  expect(error).toMatchObject({ code: expect.anything(), message: expect.any(String) });
}

fuzz(
  'any request over HTTP is answered as documented, and a refused one changes nothing',
  250,
  fc.asyncProperty(requests, async ({ method, path, query, version, usual, headers: more, body }) => {
    const before = await server.snapshot();
    const host = new URL(server.url).host;
    const standard = [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Authorization: Bearer owner',
    ];
    const lines = [
      `${method} ${path}${query} ${version}`,
      ...(usual ? [`Host: ${host}`, ...standard] : [`Host: ${host}`]),
      'Connection: close',
      ...more,
    ];
    const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    const answer = await exchangeBytes(server.url, new Uint8Array(Buffer.concat([head, body])), PATIENCE_MS);
    expect([...ALLOWED]).toContain(answer.status);
    checkWords(answer, method);
    if (answer.status >= 400 || answer.status === 0) expect(await server.snapshot()).toEqual(before);
  }),
);

fuzz(
  'any bytes on the connection leave a server that answers the next request',
  100,
  fc.asyncProperty(
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(
          fc.constantFrom(
            'POST /write HTTP/1.1\r\n',
            'Host: 127.0.0.1\r\n',
            '\r\n',
            '\n',
            '\r',
            ' ',
            '0\r\n\r\n',
            'Content-Length: 3\r\n',
            'Transfer-Encoding: chunked\r\n',
            'ffffffff\r\n',
            'GET / HTTP/1.1\r\n',
            '{}',
            '\0',
          ),
          {
            maxLength: 12,
          },
        )
        .map((parts) => new Uint8Array(Buffer.from(parts.join('')))),
    ),
    async (bytes) => {
      const before = await server.snapshot();
      const { status } = await exchangeBytes(server.url, bytes, 100);
      expect([...ALLOWED]).toContain(status);
      expect(await server.snapshot()).toEqual(before);
      expect((await server.http('GET', '/revision')).status).toBe(200);
    },
  ),
);
