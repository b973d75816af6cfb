import { type Caller, SCOPES, type TokenStore } from '../../src/core/access/tokens';
import { operation, perform } from '../../src/core/operation/operation';
import * as z from 'zod';
import { startLiveServer } from '../support/live-server';
import type { McpHandler } from '../../src/doors/http/app';
import { fakeBrain, post, serve, stopServers } from './http-support';

const seen: Caller[] = [];
const mcp: McpHandler = async (_req, res, caller) => {
  seen.push(caller);
  res.json({ jsonrpc: '2.0', id: 1, result: {} });
};

/** Knows a token for each name, `page` as that of the page, and `ada` as that of a person with limits. */
const tokens: TokenStore = {
  verify: async (name) => ({
    name,
    scopes: new Set(name === 'ada' ? SCOPES : (['read', 'write'] as const)),
    page: name === 'page',
    ...(name === 'ada' && { human: true, limits: LIMITS }),
  }),
};
const LIMITS = { read: ['wiki/homelab'] };

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
  ['/echo', 'ada', {}, { origin: 'http', name: 'ada', human: true, limits: LIMITS }],
  ['/echo', 'ada', PAGE, { origin: 'web', name: 'ada', human: true, limits: LIMITS }],
  ['/mcp', 'ada', {}, { origin: 'mcp', name: 'ada', human: false, limits: LIMITS }],
  ['/mcp', 'ada', PAGE, { origin: 'mcp', name: 'ada', human: false, limits: LIMITS }],
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

describe("a person's token", () => {
  it('has no scope of a person over MCP', async () => {
    const { url } = await serve({ mcp, tokens });
    await post(url, '/mcp', {}, { authorization: 'Bearer ada' });
    expect([...(seen.pop()?.scopes ?? [])]).toEqual(['read', 'propose', 'write']);
    const { body } = await post(url, '/echo', {}, { authorization: 'Bearer ada' });
    expect(body.caller).toMatchObject({ scopes: [...SCOPES] });
  });

  it('signs decisions over HTTP with its name, and over MCP decides nothing and is an agent', async () => {
    const server = await startLiveServer({
      'raw/fan.md': '# Fan\n\nIt rattles.\n',
      'raw/disk.md': '# Disk\n\nIt broke.\n',
    });
    const at = { wing: 'homelab', hall: 'facts' };
    const promoted = await server.http('POST', '/promote', { path: 'raw/fan.md', ...at }, 'ada');
    expect(promoted.body).toMatchObject({ path: 'wiki/homelab/facts/fan.md' });
    expect((await server.http('POST', '/reject', { path: 'raw/disk.md' }, 'ada')).status).toBe(200);
    const confirmed = await server.http('POST', '/confirm', { path: 'wiki/homelab/facts/fan.md' }, 'ada');
    expect(confirmed.body).toMatchObject({ verified_by: 'human:ada' });
    const note = await server.http('GET', '/note?path=wiki/homelab/facts/fan.md', undefined, 'ada');
    expect(note.body.frontmatter).toMatchObject({ promoted_by: 'human:ada' });
    const { body } = await server.http('GET', '/decisions?by=human:ada');
    expect(body.decisions).toMatchObject([
      { kind: 'confirmed', by: 'human:ada' },
      { kind: 'rejected', by: 'human:ada' },
      { kind: 'promoted', by: 'human:ada' },
    ]);

    const agent = await server.mcp('ada');
    const names = (await agent.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('brain_write');
    expect(names).not.toContain('brain_promote');
    const refused = await agent.callTool({ name: 'brain_reject', arguments: { path: 'wiki/x.md' } });
    expect(JSON.stringify(refused)).toContain('forbidden_scope');
    const pump = { wing: 'homelab', hall: 'facts', slug: 'pump', content: '# Pump\n\nIt hums.' };
    await agent.callTool({ name: 'brain_write', arguments: pump });
    const made = await server.http('GET', '/note?path=wiki/homelab/facts/pump.md');
    expect(made.body.frontmatter).toMatchObject({ origin: 'mcp', written_by: 'ada (live test 1.0)' });
    const { text } = await server.http('GET', '/audit');
    expect(text).toContain('"actor":"ada"');
    expect(text).not.toContain('"actor":"human:ada"');
    await server.stop();
  });
});

it('performs nothing for a door that takes a caller over MCP for a person', async () => {
  const run = jest.fn();
  const op = operation({
    ...{ name: 'x', scope: 'read', mutates: false },
    ...{ input: z.strictObject({}), output: z.never(), run },
  });
  const caller: Caller = { origin: 'mcp', name: 'ada', human: true, scopes: new Set(SCOPES) };
  await expect(perform(fakeBrain().brain, op, {}, caller)).rejects.toThrow(
    'A call over MCP acts as a person.',
  );
  expect(run).not.toHaveBeenCalled();
});
