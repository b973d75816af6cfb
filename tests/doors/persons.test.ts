import type { Caller, TokenStore } from '../../src/core/access/tokens';
import type { McpHandler } from '../../src/doors/http/app';
import { post, serve, stopServers } from './http-support';

const seen: Caller[] = [];
const mcp: McpHandler = async (_req, res, caller) => {
  seen.push(caller);
  res.json({ jsonrpc: '2.0', id: 1, result: {} });
};

/** Knows a token for each name, `page` as that of the page. */
const tokens: TokenStore = {
  verify: async (name) => ({ name, scopes: new Set(['read', 'write']), page: name === 'page' }),
};

afterAll(stopServers);

const PAGE = { 'x-brain-page': 'true' };

/** Who calls at which door, with which token and on which program: a person or a program. */
it.each<[door: string, token: string, headers: Record<string, string>, expected: Partial<Caller>]>([
  ['/echo', 'page', PAGE, { origin: 'web', name: 'ann', human: true }],
  ['/echo', 'owner', PAGE, { origin: 'web', name: 'ann', human: true }],
  ['/echo', 'page', {}, { origin: 'web', name: 'ann', human: true }],
  ['/echo', 'owner', {}, { origin: 'http', name: 'owner', human: false }],
  ['/echo', 'owner', { 'x-brain-client': 'brain-cli/1' }, { origin: 'http', name: 'owner', human: false }],
  ['/echo', 'laptop', PAGE, { origin: 'http', name: 'laptop', human: false }],
  ['/echo', 'bridge', PAGE, { origin: 'http', name: 'bridge', human: false }],
  ['/mcp', 'page', {}, { origin: 'web', name: 'ann', human: true }],
  ['/mcp', 'owner', PAGE, { origin: 'mcp', name: 'owner', human: false }],
  ['/mcp', 'owner', {}, { origin: 'mcp', name: 'owner', human: false }],
  ['/mcp', 'laptop', PAGE, { origin: 'mcp', name: 'laptop', human: false }],
])('at %s the token "%s" with %j is of %j', async (door, token, headers, expected) => {
  const { url } = await serve({ mcp, tokens, settings: { humanName: 'ann' } });
  const answer = await post(url, door, {}, { authorization: `Bearer ${token}`, ...headers });
  expect(answer.status).toBe(200);
  expect(door === '/mcp' ? seen.pop() : answer.body.caller).toMatchObject(expected);
});

it.each([{}, PAGE])('takes nobody for a person where no token is asked for (%j)', async (headers) => {
  const { url } = await serve({ tokens, settings: { auth: false } });
  const answer = await post(url, '/echo', {}, { authorization: '', ...headers });
  expect(answer.body.caller).toMatchObject({ name: 'local', human: false });
});
