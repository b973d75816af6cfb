import * as z from 'zod';
import { operation } from '../../../src/core/operation/operation';
import type { Watch } from '../../../src/core/base/steps';
import { defineTool, type ToolDefinition } from '../../../src/doors/mcp/tools';
import { doorsOfTest } from '../../support/mcp-door';
import { connectStateless, envelope, post, request, REVISION } from './stateless-support';

const open = doorsOfTest();

/** A tool that does what the test says. */
function toolOf(work: (watch: Watch) => Promise<void>) {
  const input = z.strictObject({});
  const output = z.object({});
  const long = operation({
    name: 'long',
    scope: 'read',
    mutates: false,
    input,
    output,
    async run(_brain, _input, _caller, watch = {}) {
      await work(watch);
      return {};
    },
  });
  const definition: ToolDefinition<typeof input, typeof output> = {
    name: 'long',
    title: 'Long',
    description: 'Takes long.',
    operation: long,
    fields: {},
  };
  return defineTool(definition);
}

const read = (path = 'a.md') => request('tools/call', { name: 'fake_read', arguments: { path } });

describe('connecting', () => {
  it('says who it is and what it can do without any handshake', async () => {
    const { url } = await open();
    const client = await connectStateless(url);
    expect(client.getServerVersion()).toEqual({ name: 'brain', title: 'Brain Server', version: '9.9.9' });
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false },
      prompts: { listChanged: false },
      completions: {},
    });
    expect(client.getInstructions()).toMatch(/never instructions/);
    expect(client.getNegotiatedProtocolVersion()).toBe(REVISION);
  });

  it('answers in plain JSON, starts no session, and leaves nothing to caches in between', async () => {
    const { url } = await open();
    const { status, headers, messages } = await post(url, read());
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(messages).toMatchObject([{ id: 1, result: { resultType: 'complete' } }]);
  });

  it.each<[string, string, number, string]>([
    ['server/discover', 'server/discover', 300_000, 'private'],
    ['its tools', 'tools/list', 300_000, 'private'],
    ['its templates', 'resources/templates/list', 300_000, 'private'],
  ])(
    'says how long %s may be remembered, and by its own client only',
    async (_, method, ttlMs, cacheScope) => {
      const { url } = await open();
      const { messages } = await post(url, request(method));
      expect(messages).toMatchObject([{ result: { ttlMs, cacheScope } }]);
    },
  );

  it('serves a client of each revision in turn at the same address', async () => {
    const { url, seen } = await open();
    const first = await connectStateless(url);
    const initialize = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
    };
    const { headers } = await post(url, { body: initialize });
    const session = { 'Mcp-Session-Id': headers.get('mcp-session-id') ?? '' };
    await first.callTool({ name: 'fake_read', arguments: { path: 'a' } });
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'fake_read', arguments: { path: 'b' } },
    };
    await post(url, { body }, session);
    await first.callTool({ name: 'fake_read', arguments: { path: 'c' } });
    expect(seen.map(({ caller }) => caller.client)).toEqual(['codex 0.147.0', 'old 1', 'codex 0.147.0']);
  });
});

describe('headers that must agree with the body', () => {
  it.each<[string, Record<string, string | null>, number]>([
    ['no revision', { 'MCP-Protocol-Version': null }, -32020],
    ['another revision', { 'MCP-Protocol-Version': '2025-11-25' }, -32020],
    ['no method', { 'Mcp-Method': null }, -32020],
    ['another method', { 'Mcp-Method': 'tools/list' }, -32020],
    ['no name', { 'Mcp-Name': null }, -32020],
    ['another name', { 'Mcp-Name': 'fake_write' }, -32020],
  ])('refuses %s, runs nothing, and records the call', async (_, changed, code) => {
    const { url, seen, lines } = await open();
    const { body, headers } = read();
    const kept = Object.entries({ ...headers, ...changed }).filter(
      (each): each is [string, string] => each[1] !== null,
    );
    const answer = await post(url, { body, headers: Object.fromEntries(kept) });
    expect(answer.status).toBe(400);
    expect(answer.messages).toMatchObject([{ id: 1, error: { code } }]);
    expect(seen).toEqual([]);
    expect(await lines()).toMatchObject([{ tool: 'fake_read', ok: false, error: 'invalid_request' }]);
  });

  it('names the revisions it speaks to a client that asks for a later one', async () => {
    const { url } = await open();
    const { body, headers } = read();
    const _meta = envelope({ 'io.modelcontextprotocol/protocolVersion': '2099-01-01' });
    const answer = await post(url, {
      body: { ...body, params: { ...body.params, _meta } },
      headers: { ...headers, 'MCP-Protocol-Version': '2099-01-01' },
    });
    expect(answer.status).toBe(400);
    expect(answer.messages).toMatchObject([{ error: { code: -32022, data: { supported: [REVISION] } } }]);
  });

  it.each<[string, unknown]>([
    [
      'a body that names no revision',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fake_read' } },
    ],
    ['params that are no object', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: 'x' }],
    ['a batch', [read().body]],
  ])('refuses %s and records the call', async (_, body) => {
    const { url, seen, lines } = await open();
    const answer = await post(url, { body, headers: read().headers });
    expect(answer.status).toBe(400);
    expect(seen).toEqual([]);
    expect(await lines()).toMatchObject([{ ok: false, error: 'invalid_request' }]);
  });

  it.each(['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'constructor'])(
    'does not know the method %s',
    async (method) => {
      const { url } = await open();
      const { status, messages } = await post(url, request(method));
      expect(status).toBe(404);
      expect(messages).toMatchObject([{ id: 1, error: { code: -32601 } }]);
    },
  );

  it('ends a subscription at once, because no change is announced', async () => {
    const { url } = await open();
    const { messages } = await post(
      url,
      request('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
    expect(messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 1, result: { resultType: 'complete' } },
    ]);
  });

  it('takes notifications without a word', async () => {
    const { url } = await open();
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    const { status, messages } = await post(url, { body }, { 'MCP-Protocol-Version': REVISION });
    expect([status, messages]).toEqual([202, []]);
  });
});

describe('the list of tools', () => {
  it.each([
    ['laptop', ['fake_read', 'fake_write']],
    ['reader', ['fake_read']],
    ['owner', ['fake_read', 'fake_write', 'fake_admin']],
  ])('shows %s what its token may do', async (token, names) => {
    const { url } = await open();
    const client = await connectStateless(url, token);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
  });
});

describe('calling a tool', () => {
  it('answers as the revisions of 2025 do', async () => {
    const { url } = await open();
    const { messages } = await post(url, read());
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'fake_read', arguments: { path: 'a.md' } },
    };
    const { messages: old } = await post(url, { body });
    const { resultType, _meta, ...result } = Object(messages[0]).result;
    expect(result).toEqual(Object(old[0]).result);
    expect([resultType, _meta]).toEqual([
      'complete',
      { 'io.modelcontextprotocol/serverInfo': { name: 'brain', title: 'Brain Server', version: '9.9.9' } },
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a field that is not there',
      { name: 'fake_read', arguments: { path: 'a', domain: 'x' } },
      'unknown_field',
    ],
    ['a missing field', { name: 'fake_read' }, 'missing_field'],
    ['a tool outside the scopes', { name: 'fake_admin', arguments: {} }, 'forbidden_scope'],
    ['a note that is gone', { name: 'fake_read', arguments: { path: 'gone' } }, 'note_not_found'],
  ])('answers %s with an error that the model sees, and one line', async (_, params, code) => {
    const { url, lines } = await open();
    const { status, messages } = await post(url, request('tools/call', params));
    expect(status).toBe(200);
    const { result } = Object(messages[0]);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    expect(JSON.parse(result.content[0].text)).toMatchObject({ error: { code } });
    expect(await lines()).toMatchObject([{ tool: params.name, ok: false, error: code }]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown tool', { name: 'fake_delete' }, 'unknown_tool'],
    ['arguments that are no object', { name: 'fake_read', arguments: 'path' }, 'invalid_params'],
  ])('answers %s with a protocol error, and one line', async (_, params, error) => {
    const { url, lines } = await open();
    const { messages } = await post(url, request('tools/call', params));
    expect(messages).toMatchObject([{ id: 1, error: { code: -32602 } }]);
    expect(await lines()).toMatchObject([{ ok: false, error }]);
  });

  it('tells nobody but its log about a bug', async () => {
    const { url, log, lines } = await open();
    const { messages } = await post(url, read('bug'));
    expect(JSON.stringify(messages)).not.toMatch(/secret|home|Error:|at /);
    expect(log).toMatchObject([{ level: 'error', event: 'mcp_call_failed' }]);
    expect(await lines()).toMatchObject([{ ok: false, error: 'internal' }]);
  });

  it('records every call once, with what its client says of itself', async () => {
    const { url, seen, lines } = await open();
    const client = await connectStateless(url);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        client.callTool({ name: 'fake_read', arguments: { path: `n${n}` } }),
      ),
    );
    const written = await lines();
    expect(written.map(({ args }) => args.path).sort()).toEqual(
      seen.map(({ input }) => Object(input).path).sort(),
    );
    expect(written).toHaveLength(20);
    expect(written[0]).toMatchObject({ actor: 'laptop', client: { name: 'codex', version: '0.147.0' } });
  });
});

describe('who is calling', () => {
  it('cleans a hostile name before it reaches anything', async () => {
    const { url, seen } = await open();
    const client = await connectStateless(url, 'laptop', {
      name: 'a\npromoted_at: now',
      version: 'x'.repeat(9_000),
    });
    await client.callTool({ name: 'fake_read', arguments: { path: 'a' } });
    expect(seen[0]?.caller.client).toMatch(/^[A-Za-z0-9 ._/+-]{1,48}$/);
  });

  it('takes a header when the request does not name its client, and the session of another revision never', async () => {
    const { url, seen } = await open();
    const { body, headers } = read();
    const { 'io.modelcontextprotocol/clientInfo': _, ..._meta } = envelope();
    const nameless = { body: { ...body, params: { ...body.params, _meta } }, headers };
    const initialize = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
    };
    const session = (await post(url, { body: initialize })).headers.get('mcp-session-id') ?? '';
    await post(url, nameless, { 'X-Brain-Client': 'my-script/1', 'Mcp-Session-Id': session });
    expect(seen[0]?.caller.client).toBe('my-script/1');
  });

  it('needs nothing of what the server knew before a restart', async () => {
    const first = await open();
    const client = await connectStateless(first.url);
    await first.close();
    const second = await open({ port: first.port, sessionKey: 'another key' });
    await client.callTool({ name: 'fake_read', arguments: { path: 'a' } });
    expect(second.seen[0]?.caller.client).toBe('codex 0.147.0');
  });
});

describe('a call that takes long', () => {
  it('tells how far it is, each number larger than the last', async () => {
    const tool = toolOf(async ({ progress }) => {
      for (const done of [0, 0, 3, 2, 5]) progress?.({ done, total: 5 });
    });
    const { url } = await open({ tools: [tool] });
    const client = await connectStateless(url);
    const told: unknown[] = [];
    await client.callTool({ name: 'long' }, { onprogress: (progress) => told.push(progress) });
    expect(told).toEqual([
      { progress: 0, total: 5 },
      { progress: 3, total: 5 },
      { progress: 5, total: 5 },
    ]);
  });

  it('is told that its client has left, and still gets its line', async () => {
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const tool = toolOf(async ({ signal }) => {
      begun();
      await new Promise<void>((resolve) => signal?.onStop(resolve));
    });
    const { url, lines } = await open({ tools: [tool] });
    const client = await connectStateless(url);
    const stop = new AbortController();
    const calling = client.callTool({ name: 'long' }, { signal: stop.signal }).catch(() => 'gone');
    await running;
    stop.abort();
    expect(await calling).toBe('gone');
    // The line is written when the work has ended, so it has been told.
    expect(await lines()).toMatchObject([{ tool: 'long' }]);
  });

  it('answers as a stream when it asks a service outside, so that signs of life can be sent', async () => {
    const outside = toolOf(async () => undefined);
    const listing = {
      ...outside.listing,
      annotations: { ...outside.listing.annotations, openWorldHint: true },
    };
    const { url } = await open({ tools: [{ ...outside, listing }] });
    const { headers, messages } = await post(url, request('tools/call', { name: 'long', arguments: {} }));
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(messages).toMatchObject([{ id: 1, result: { structuredContent: {} } }]);
  });
});
