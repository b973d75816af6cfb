import type { Caller } from '../../src/core/access/tokens';
import type { McpHandler } from '../../src/doors/http/app';
import { call, exchange, OWNER, post, SECRET, serve, stopServers } from './http-support';

const seen: { caller: Caller; body: unknown }[] = [];
const mcp: McpHandler = async (_req, res, caller, body) => {
  seen.push({ caller, body });
  res.json({ jsonrpc: '2.0', id: 1, result: {} });
};

let base = '';
beforeAll(async () => {
  ({ url: base } = await serve({ mcp }));
});
beforeEach(() => seen.splice(0));
afterAll(stopServers);

it.each<[string, unknown]>([
  ['one message', { jsonrpc: '2.0', id: 1, method: 'ping' }],
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
])('hands on %s with its verified sender', async (_name, message) => {
  for (const path of ['/mcp', '/mcp/']) {
    const { status, headers } = await post(base, path, message, { 'x-brain-client': 'some agent' });
    expect([status, headers.get('x-brain-api'), headers.get('cache-control')]).toEqual([
      200,
      '1',
      'no-store',
    ]);
    expect(seen.pop()).toEqual({
      caller: { origin: 'mcp', name: 'laptop', human: false, client: 'some agent', scopes: expect.any(Set) },
      body: message,
    });
  }
});

it.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('answers %s with the one method there is', async (method) => {
  const answer = await call(base, method, '/mcp');
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } });
});

it.each<[string, string, string, number, number, string]>([
  ['bad JSON', 'application/json', '{', 400, -32700, 'invalid_json'],
  ['another media type', 'text/plain', '{}', 415, -32000, 'unsupported_media_type'],
])('refuses %s in the words of the protocol', async (_name, type, body, status, code, data) => {
  const answer = await call(base, 'POST', '/mcp', { headers: { 'content-type': type }, body });
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: {
      code,
      message: expect.any(String),
      data: { code: data, message: expect.any(String), request_id: answer.headers.get('x-request-id') },
    },
  });
  expect(seen).toEqual([]);
});

it('refuses a missing token with a bare challenge, and no sign of OAuth', async () => {
  const answer = await call(base, 'POST', '/mcp', { headers: { authorization: '' } });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="brain"']);
  expect(answer.body).toMatchObject({ error: 'invalid_token', error_description: expect.any(String) });
});

it('hides an unexpected failure', async () => {
  const { url, lines } = await serve({ mcp: () => Promise.reject(new Error(SECRET)) });
  const answer = await post(url, '/mcp', {});
  expect(answer.status).toBe(500);
  expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32603, data: { code: 'internal' } } });
  expect(JSON.stringify([answer.body, lines])).not.toContain(SECRET);
});

it('cuts an answer that fails half way, instead of passing it off as whole', async () => {
  const { port, lines } = await serve({
    mcp: async (_req, res) => {
      res.write('event: message\n');
      throw new Error(SECRET);
    },
  });
  const answer = await exchange(
    port,
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${OWNER}\r\n\r\n`,
  );
  expect(answer).not.toMatch(/\r\n0\r\n\r\n$/);
  expect(lines).toEqual([expect.objectContaining({ event: 'http.internal' })]);
});
