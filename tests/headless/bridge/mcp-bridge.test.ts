import * as fc from 'fast-check';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { KEY_IN_META } from '../../../src/core/operation/descriptors';
import { eventData, runBridge, statelessHeaders, streamLines } from '../../../src/headless/bridge/bridge';
import { post, request } from '../../doors/mcp/stateless-support';
import { freePort } from '../../support/free-port';
import { fakeTools, type RunningDoor, type Seen, startDoor } from '../../support/mcp-door';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function door(seen: Seen[] = [], port?: number, sessionKey = 'key'): Promise<RunningDoor> {
  const running = await startDoor({ tools: fakeTools(seen), port: port ?? (await freePort()), sessionKey });
  open.push(running);
  return running;
}

/** A server that answers every POST with `respond`. */
async function serve(respond: http.RequestListener): Promise<string> {
  const server = http.createServer((req, res) => {
    req.resume();
    req.on('end', () => respond(req, res));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
  // A TCP server's address is always an object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The bridge as a host runs it. */
function host(url: string, token: string | null = 'laptop', command: string | null = 'brain') {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const ended = runBridge({ url, token, command, stdin, stdout, stderr, pausesMs: [0, 0] });
  const lines = streamLines(stdout);
  return {
    stdin,
    stdout,
    stderr,
    ended,
    send: (message: unknown) => stdin.write(`${JSON.stringify(message)}\n`),
    async next(): Promise<Record<string, unknown>> {
      const { value } = await lines.next();
      return Object(JSON.parse(String(value)));
    },
    async ask(message: unknown): Promise<Record<string, unknown>> {
      this.send(message);
      return this.next();
    },
  };
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'claude-ai', version: '0.1.0' },
  },
};
const read = (id: number | string, path = 'a') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'fake_read', arguments: { path } },
});

describe('the bridge', () => {
  it("passes messages both ways, and the host's own name on", async () => {
    const seen: Seen[] = [];
    const { url, lines } = await door(seen);
    const bridge = host(url);
    expect(await bridge.ask(initialize)).toMatchObject({ id: 0, result: { serverInfo: { name: 'brain' } } });
    bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await bridge.ask({ jsonrpc: '2.0', id: 'x', method: 'tools/list' })).toMatchObject({ id: 'x' });
    expect(await bridge.ask(read(2))).toMatchObject({ id: 2, result: { structuredContent: { path: 'a' } } });
    expect(seen[0]?.caller).toMatchObject({ name: 'laptop', client: 'claude-ai 0.1.0' });
    expect(await lines()).toMatchObject([{ client: { name: 'claude-ai', version: '0.1.0' } }]);
    bridge.stdin.end();
    await bridge.ended;
    expect(bridge.stderr.read()).toBeNull();
  });

  it('finishes what was asked before stdin ended', async () => {
    const { url } = await door();
    const bridge = host(`${url}/`);
    for (let id = 1; id <= 20; id += 1) bridge.send(read(id));
    bridge.stdin.end();
    await bridge.ended;
    bridge.stdout.end();
    const ids = [];
    for await (const line of streamLines(bridge.stdout)) ids.push(Object(JSON.parse(line)).id);
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  it('answers each request of a batch', async () => {
    const { url } = await door();
    const bridge = host(url);
    bridge.send([read(1), read(2, 'gone'), { jsonrpc: '2.0', method: 'notifications/initialized' }]);
    expect([await bridge.next(), await bridge.next()].map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  it('says that no server runs, what to start, and goes on when there is one', async () => {
    const first = await door();
    await first.close();
    const bridge = host(first.url);
    for (const id of [1, 'two']) {
      expect(await bridge.ask(read(id))).toEqual({
        jsonrpc: '2.0',
        id,
        error: {
          code: -32000,
          message: `No Brain server is running at ${first.url}. Start it with "brain serve", then try again.`,
        },
      });
    }
    await door([], first.port);
    expect(await bridge.ask(read(3))).toMatchObject({ id: 3, result: {} });
  });

  it.each([
    ['node /opt/brain-server/dist/brain.mjs', ' with "node /opt/brain-server/dist/brain.mjs serve"'],
    [null, ''],
  ])('names the program as it can be started where it is %s', async (command, how) => {
    const first = await door();
    const wrong = await host(first.url, 'wrong', command).ask(read(1));
    const list = command === null ? '.' : `; "${command} token list" shows what there is.`;
    expect(wrong).toMatchObject({
      error: { message: expect.stringContaining(` Set BRAIN_TOKEN to a valid one${list}`) },
    });
    await first.close();
    expect(await host(first.url, 'laptop', command).ask(read(2))).toMatchObject({
      error: { message: `No Brain server is running at ${first.url}. Start it${how}, then try again.` },
    });
  });

  it("survives a restart of the server and keeps the host's name, even when the key for session ids is new", async () => {
    const first = await door();
    const bridge = host(first.url);
    await bridge.ask(initialize);
    await first.close();
    const seen: Seen[] = [];
    await door(seen, first.port, 'another key');
    expect(await bridge.ask(read(1))).toMatchObject({ id: 1, result: {} });
    expect(seen[0]?.caller.client).toBe('claude-ai 0.1.0');
  });

  it('answers when the server dies in the middle of a call', async () => {
    const url = await serve((_, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      res.write(': keepalive\n\n', () => res.destroy());
    });
    expect(await host(url).ask(read(1))).toMatchObject({
      id: 1,
      error: { code: -32000, message: expect.stringContaining('was lost') },
    });
  });

  it('asks a tool call again by one key when its answer was lost, and nothing else', async () => {
    const bodies: unknown[] = [];
    const server = http.createServer((req, res) => {
      void text(req).then((body) => {
        bodies.push(JSON.parse(body));
        const { id, method } = Object(JSON.parse(body));
        if (method !== 'tools/call' || bodies.length < 3) res.destroy();
        else
          res
            .writeHead(200, { 'Content-Type': 'application/json' })
            .end(JSON.stringify({ jsonrpc: '2.0', id, result: { n: bodies.length } }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push({ close: async () => void server.close() });
    const bridge = host(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await bridge.ask(read(1))).toEqual({ jsonrpc: '2.0', id: 1, result: { n: 3 } });
    const keyed = { ...read(1).params, _meta: { [KEY_IN_META]: expect.stringMatching(/^[\w-]{36}$/) } };
    expect(bodies[0]).toEqual({ ...read(1), params: keyed });
    expect([bodies[1], bodies[2]]).toEqual([bodies[0], bodies[0]]);
    bodies.length = 0;
    const own = { ...read(2), params: { ...read(2).params, _meta: { [KEY_IN_META]: 'mine' } } };
    await bridge.ask(own);
    expect(bodies).toEqual([own, own, own]);
    bodies.length = 0;
    expect(await bridge.ask({ ...initialize, id: 3 })).toMatchObject({ id: 3, error: {} });
    expect(bodies).toHaveLength(1);
  });

  it('does not say that it never arrived when the server is gone after a lost answer', async () => {
    const server = http.createServer((_, res) => {
      res.destroy();
      server.close();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bridge = host(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await bridge.ask(read(1))).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('check whether it did') },
    });
  });

  it('answers when the stream ends without the answer', async () => {
    const url = await serve((_, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      res.end('data: {"jsonrpc":"2.0","id":99,"result":{}}\n\n');
    });
    expect(await host(url).ask(read(1))).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('was lost') },
    });
  });

  it('says that the token is wrong, without naming it', async () => {
    const { url } = await door();
    const answer = await host(url, 'wrong-secret').ask(read(1));
    expect(answer).toMatchObject({ id: 1, error: { message: expect.stringContaining('BRAIN_TOKEN') } });
    expect(JSON.stringify(answer)).not.toContain('wrong-secret');
  });

  it.each<[string, number, string, string]>([
    [
      'a refusal of the door',
      403,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Host not allowed."}}',
      'Host not allowed.',
    ],
    [
      'a refusal of the HTTP door',
      413,
      '{"error":{"code":"too_large","message":"Send less."}}',
      'Send less.',
    ],
    ['another kind of server', 200, '<html>', 'is not a Brain server (HTTP 200)'],
    ['another kind of server that refuses', 404, '<html>', 'is not a Brain server (HTTP 404)'],
  ])('passes %s on as the answer to the request', async (_, status, body, message) => {
    const url = await serve((__, res) => {
      res.writeHead(status, { 'Content-Type': body.startsWith('<') ? 'text/html' : 'application/json' });
      res.end(body);
    });
    expect(await host(url).ask(read(7))).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining(message) },
    });
  });

  it('takes a plain JSON answer', async () => {
    const url = await serve((_, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' });
      res.end('{"jsonrpc":"2.0","id":1,\n"result":{"x":1}}');
    });
    expect(await host(url).ask(read(1))).toEqual({ jsonrpc: '2.0', id: 1, result: { x: 1 } });
  });

  it('refuses a line that is not JSON, and skips empty ones', async () => {
    const { url } = await door();
    const bridge = host(url);
    bridge.stdin.write('\n  \n{oops\n');
    expect(await bridge.next()).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it.each<[unknown]>([
    [[]],
    [42],
    ['hello'],
    [null],
    [{}],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }],
    [[1, { jsonrpc: '2.0', method: 'notifications/initialized' }]],
  ])('answers %j, which is no message, as the server does', async (line) => {
    const { url } = await door();
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { Authorization: 'Bearer laptop', 'Content-Type': 'application/json' },
      body: JSON.stringify(line),
    });
    const refused = { jsonrpc: '2.0', id: null, error: { code: -32600 } };
    expect(await response.json()).toMatchObject(refused);
    expect(await host(url).ask(line)).toMatchObject(refused);
  });

  it('owes nothing to notifications and answers, alone or in a batch', async () => {
    const { url } = await door();
    const bridge = host(url);
    const notice = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const answer = { jsonrpc: '2.0', id: 7, result: {} };
    for (const line of [notice, answer, [notice, answer]]) bridge.send(line);
    bridge.stdin.end();
    await bridge.ended;
    expect(bridge.stdout.read()).toBeNull();
  });

  it('reports a failed notification on stderr, never on stdout', async () => {
    const first = await door();
    await first.close();
    const bridge = host(first.url);
    bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    bridge.stdin.end();
    await bridge.ended;
    expect(String(bridge.stderr.read())).toContain('brain serve');
    expect(bridge.stdout.read()).toBeNull();
  });

  it('ends when the host stops listening', async () => {
    let asked = (): void => undefined;
    const pending = new Promise<void>((resolve) => (asked = resolve));
    const bridge = host(await serve(() => asked())); // never answers
    bridge.send(read(1));
    await pending;
    bridge.stdout.destroy(new Error('EPIPE'));
    await bridge.ended;
    expect(bridge.stdin.destroyed).toBe(true);
  });

  it('works without a token where the server asks for none', async () => {
    let authorization: string | undefined = 'not asked';
    const url = await serve((req, res) => {
      ({ authorization } = req.headers);
      res.writeHead(202).end();
    });
    const bridge = host(url, null);
    bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    bridge.stdin.end();
    await bridge.ended;
    expect(authorization).toBeUndefined();
  });
});

describe('the bridge in revision 2026-07-28', () => {
  const stated = (method: string, params: Record<string, unknown> = {}, id: number | string = 1) => ({
    ...request(method, params, id).body,
  });

  it("passes messages both ways without a handshake, and the host's own name on", async () => {
    const seen: Seen[] = [];
    const { url, lines } = await door(seen);
    const bridge = host(url);
    expect(await bridge.ask(stated('server/discover'))).toMatchObject({
      id: 1,
      result: { supportedVersions: ['2026-07-28'] },
    });
    const call = stated('tools/call', { name: 'fake_read', arguments: { path: 'a' } }, 'x');
    expect(await bridge.ask(call)).toMatchObject({ id: 'x', result: { structuredContent: { path: 'a' } } });
    expect(seen[0]?.caller).toMatchObject({ name: 'laptop', client: 'by hand 1' });
    expect(await lines()).toMatchObject([{ client: { name: 'by hand', version: '1' } }]);
    bridge.stdin.end();
    await bridge.ended;
    expect(bridge.stderr.read()).toBeNull();
  });

  it('serves a host that tries it first and then falls back to a handshake', async () => {
    const seen: Seen[] = [];
    const { url } = await door(seen);
    const bridge = host(url);
    await bridge.ask(stated('server/discover'));
    expect(await bridge.ask(initialize)).toMatchObject({ id: 0, result: { protocolVersion: '2025-06-18' } });
    expect(await bridge.ask(read(2))).toMatchObject({ id: 2, result: {} });
    expect(seen[0]?.caller.client).toBe('claude-ai 0.1.0');
  });

  it('needs nothing of a server that was restarted meanwhile', async () => {
    const first = await door();
    const bridge = host(first.url);
    await bridge.ask(stated('server/discover'));
    await first.close();
    const seen: Seen[] = [];
    await door(seen, first.port, 'another key');
    const call = stated('tools/call', { name: 'fake_read', arguments: { path: 'a' } });
    expect(await bridge.ask(call)).toMatchObject({ id: 1, result: {} });
    expect(seen[0]?.caller.client).toBe('by hand 1');
  });

  it('passes a refusal on as the answer, and says nothing else', async () => {
    const { url } = await door();
    const bridge = host(url);
    expect(await bridge.ask(stated('no/such'))).toMatchObject({ id: 1, error: { code: -32601 } });
    bridge.stdin.end();
    await bridge.ended;
    expect(bridge.stderr.read()).toBeNull();
  });

  it('closes the connection of a request that the host takes back, and owes it no answer', async () => {
    let asked = (): void => undefined;
    let left = (): void => undefined;
    const asking = new Promise<void>((resolve) => (asked = resolve));
    const leaving = new Promise<void>((resolve) => (left = resolve));
    let posts = 0;
    const url = await serve((_, res) => {
      posts += 1;
      res.once('close', left);
      asked(); // and never answers
    });
    const bridge = host(url);
    bridge.send(stated('tools/call', { name: 'fake_read' }, 7));
    await asking;
    bridge.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    await leaving;
    bridge.stdin.end();
    await bridge.ended;
    expect([bridge.stdout.read(), bridge.stderr.read(), posts]).toEqual([null, null, 1]);
  });
});

describe('the headers of a message of revision 2026-07-28', () => {
  it('are none for a message of another revision', () => {
    for (const message of [initialize, read(1), [read(1)], null, 'x', { params: { _meta: {} } }])
      expect(statelessHeaders(message)).toBeNull();
  });

  it('name what it is about, so that the server finds the same in both places', async () => {
    const { url } = await door();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), async (name) => {
        const { body } = request('tools/call', { name });
        const { messages } = await post(url, { body, headers: { ...statelessHeaders(body) } });
        // Not -32020, which says that headers and body disagree.
        expect(messages).toMatchObject([{ error: { code: -32602 } }]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('reading streams', () => {
  const collect = async (lines: AsyncIterable<string>): Promise<string[]> => {
    const found = [];
    for await (const line of lines) found.push(line);
    return found;
  };
  /** The bytes of a text, cut at arbitrary places. */
  const chunks = (text: string, cuts: readonly number[]): Readable => {
    const bytes = Buffer.from(text);
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
    return Readable.from(places.slice(1).map((end, i) => bytes.subarray(places[i], end)));
  };

  it('finds the same lines however the bytes arrive', async () => {
    const line = fc.string({
      unit: fc.constantFrom('a', 'ß', '🙂', '\u2028', '\u0085', '"', ' '),
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat()),
        async (lines, end, cuts) => {
          expect(await collect(streamLines(chunks(lines.map((text) => text + end).join(''), cuts)))).toEqual(
            lines,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('gives the last line also without its end', async () => {
    expect(await collect(streamLines(chunks('a\nß', [3])))).toEqual(['a', 'ß']);
  });

  it('reads events, their several data lines, and skips comments and other fields', async () => {
    const text = ': hello\n\nevent: message\ndata: {"a":\ndata: 1}\nid: 7\n\ndata:x\r\n\r\ndata: cut off';
    expect(await collect(eventData(chunks(text, [5, 30])))).toEqual(['{"a":\n1}', 'x']);
  });
});
