import * as http from 'node:http';
import type { StateStore } from '../../../src/core/ports/ports';
import { sha256 } from '../../../src/core/base/hash';
import { fakeTools, type Seen, doorsOfTest } from '../../support/mcp-door';

const open = doorsOfTest();

async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: { Authorization: 'Bearer laptop', 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return answer.text();
}

function call(name: string, args: unknown, id: unknown = 1) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

describe('one audit line per call', () => {
  it('says what was done, without the words of the note', async () => {
    const { url, lines } = await open();
    await post(url, call('fake_write', { wing: 'homelab', content: 'A private thought.' }));
    expect(await lines()).toEqual([
      {
        v: 1,
        ts: '2026-11-20T10:32:00Z',
        seq: 1,
        id: 'req-1',
        tool: 'fake_write',
        actor: 'laptop',
        auth: 'read write',
        ok: true,
        args: { wing: 'homelab', content: { chars: 18, sha256: sha256('A private thought.') } },
        paths: ['wiki/a/facts/b.md'],
        content_hash: 'f'.repeat(64),
        unlinked: 2,
        duration_ms: 0,
        prev: '0'.repeat(64),
      },
    ]);
  });

  it.each([
    ['a field that the tool does not have', 'fake_write', 'unknown_field'],
    ['a tool that there is not', 'fake_other', 'unknown_tool'],
  ])('holds no words that were sent to %s', async (_, tool, error) => {
    const { url, lines } = await open();
    await post(url, call(tool, { body: 'secret text', also: { note: 'secret text' }, dry_run: true }));
    const [line] = await lines();
    expect(line).toMatchObject({ error, args: { body: { chars: 11, sha256: sha256('secret text') } } });
    expect(JSON.stringify(line)).not.toContain('secret');
  });

  it.each<[string, unknown, Record<string, string>, string[]]>([
    [
      'an unsupported protocol version',
      call('fake_read', { path: 'a' }),
      { 'MCP-Protocol-Version': '1999-01-01' },
      ['invalid_request'],
    ],
    [
      'an Accept header that takes neither form',
      call('fake_read', { path: 'a' }),
      { Accept: 'text/html' },
      ['invalid_request'],
    ],
    [
      'a message that is not JSON-RPC',
      { method: 'tools/call', params: { name: 'fake_read' } },
      {},
      ['invalid_request'],
    ],
    [
      'a call sent as a notification',
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'fake_read' } },
      {},
      ['invalid_request'],
    ],
    [
      'a call that asks to become a task',
      { ...call('fake_read', {}), params: { name: 'fake_read', task: { ttl: 1 } } },
      {},
      ['missing_field'],
    ],
    [
      'one bad message in a batch',
      [call('fake_read', { path: 'a' }, 1), { id: 2, method: 'tools/call' }, 7],
      {},
      ['invalid_request', 'invalid_request'],
    ],
    [
      'a batch that uses an id twice',
      [call('fake_read', { path: 'a' }, 1), call('fake_read', { path: 'b' }, 1)],
      {},
      ['invalid_request', 'invalid_request'],
    ],
    [
      'a batch that is too long',
      Array.from({ length: 101 }, (_, id) => call('fake_read', { path: 'a' }, id)),
      {},
      Array(101).fill('invalid_request'),
    ],
  ])('also for %s', async (_, body, headers, errors) => {
    const { url, lines } = await open();
    await post(url, body, headers);
    expect((await lines()).map(({ error }) => error)).toEqual(errors);
  });

  it('also when so many calls end at once that the disk is behind, and none fails for that', async () => {
    let turns = 0;
    const slow = (memory: StateStore): StateStore => ({
      ...memory,
      async append(...args) {
        for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
        await memory.append(...args);
      },
    });
    const { url, lines } = await open({ state: slow });
    const batch = (name: string) => Array.from({ length: 100 }, (_, id) => call(name, { path: 'a' }, id));
    const names = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? 'no_such_tool' : 'fake_read'));
    const answers = await Promise.all(names.map((name) => post(url, batch(name))));
    expect(answers.join('')).not.toContain('internal');
    const errors = (await lines()).map(({ error }) => error ?? 'none');
    expect(turns).toBeGreaterThan(2);
    expect(errors.filter((error) => error === 'unknown_tool')).toHaveLength(600);
    expect(errors.filter((error) => error === 'none')).toHaveLength(600);
  });

  it('also when a refused body holds thousands of calls, of which the log takes many at a time', async () => {
    let appends = 0;
    const counted = (memory: StateStore): StateStore => ({
      ...memory,
      append(...args) {
        appends += 1;
        return memory.append(...args);
      },
    });
    const { url, lines } = await open({ state: counted });
    await post(
      url,
      Array.from({ length: 5000 }, (_, id) => call('fake_read', {}, id)),
    );
    expect(await lines()).toHaveLength(5000);
    expect(appends).toBeLessThan(200);
  });

  it('without the token that a caller has put where it does not belong', async () => {
    const token = 'T0zmqcp9bJMnFejOYFivVElOUUVEj8BKeAO8I3nWois';
    const { url, lines } = await open();
    await post(url, call(token, { path: token, [token]: 1, token }));
    expect(JSON.stringify(await lines())).not.toContain(token);
    expect(await lines()).toMatchObject([{ tool: '[redacted]', error: 'unknown_tool' }]);
  });

  it.each<[string, unknown]>([
    ['a list of tools', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ['a ping', { jsonrpc: '2.0', id: 1, method: 'ping' }],
    [
      'another method that names a tool',
      { jsonrpc: '2.0', id: 1, method: 'tools/run', params: { name: 'fake_read' } },
    ],
    ['nothing', null],
    ['an empty batch', []],
  ])('and none for %s', async (_, body) => {
    const { url, lines } = await open();
    await post(url, body);
    expect(await lines()).toEqual([]);
  });

  it('has every call of many clients once', async () => {
    const { url, lines } = await open();
    const calls = Array.from({ length: 60 }, (_, i) =>
      post(url, call(i % 3 === 0 ? 'fake_write' : 'fake_read', { path: `p${i}` })),
    );
    await Promise.all(calls);
    const written = await lines();
    expect(written.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(new Set(written.map(({ id }) => id)).size).toBe(60);
  });
});

describe('when the client leaves', () => {
  /** Sends a call and hangs up as soon as `when` resolves. */
  async function hangUp(url: string, body: unknown, when: Promise<void>): Promise<void> {
    const request = http.request(new URL('/mcp', url), {
      method: 'POST',
      headers: { Authorization: 'Bearer laptop', 'Content-Type': 'application/json' },
    });
    const ended = new Promise<void>((resolve) => request.once('close', resolve));
    request.on('error', () => undefined); // hanging up is an error to the request
    request.end(JSON.stringify(body));
    await when;
    request.destroy();
    await ended;
  }

  it('lets a call that runs go on to its end, and writes its line', async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const seen: Seen[] = [];
    const { url, lines } = await open({
      tools: fakeTools(seen, () => {
        begun();
        return gate;
      }),
    });
    await hangUp(url, call('fake_read', { path: 'a' }), running);
    go();
    expect(await lines()).toMatchObject([{ tool: 'fake_read', ok: true }]);
  });

  it('does not begin a change that was still waiting for the log', async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    let begun = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (begun = resolve));
    let opened = 0;
    const state = (memory: StateStore): StateStore => ({
      ...memory,
      async append(path, text, sync) {
        if (text === '' && (opened += 1) === 2) {
          begun();
          await gate;
        }
        await memory.append(path, text, sync);
      },
    });
    const { url, seen, lines, disconnected } = await open({ state });
    await hangUp(url, call('fake_write', { wing: 'a', content: 'b' }), waiting);
    await disconnected();
    go();
    expect(await lines()).toMatchObject([{ tool: 'fake_write', ok: false, error: 'cancelled' }]);
    expect(seen).toEqual([]);
  });
});

describe('when the log cannot be written', () => {
  const failing =
    (fails: () => boolean) =>
    (memory: StateStore): StateStore => ({
      ...memory,
      async append(path, text, sync) {
        if (fails()) throw new Error('no space left on /secret/device');
        await memory.append(path, text, sync);
      },
    });

  it('changes nothing and shows nothing', async () => {
    let full = false;
    const { url, seen, log, lines } = await open({ state: failing(() => full) });
    full = true;
    const written = await post(url, call('fake_write', { wing: 'a', content: 'b' }));
    const shown = await post(url, call('fake_read', { path: 'a' }));
    for (const text of [written, shown]) {
      expect(text).toContain('\\"code\\":\\"internal\\"');
      expect(text).not.toMatch(/secret|Ignore your rules/);
    }
    expect(seen.map(({ input }) => input)).toEqual([{ path: 'a', limit: 10 }]);
    expect(log.some(({ event }) => event === 'audit_append_failed')).toBe(true);

    full = false;
    await post(url, call('fake_read', { path: 'b' }));
    expect((await lines()).map(({ tool, ok }) => [tool, ok])).toEqual([
      ['fake_write', false],
      ['fake_read', true],
      ['fake_read', true],
    ]);
  });

  it('does not hide a change that was made before the line failed', async () => {
    let appends = 0;
    const { url, lines } = await open({ state: failing(() => (appends += 1) === 3) });
    const text = await post(url, call('fake_write', { wing: 'a', content: 'b' }));
    expect(text).toContain('wiki/a/facts/b.md');
    expect(text).not.toContain('isError');
    await post(url, call('fake_read', { path: 'a' }));
    expect((await lines()).map(({ tool, ok }) => [tool, ok])).toEqual([
      ['fake_write', true],
      ['fake_read', true],
    ]);
  });

  it('syncs the lines of changes, not those of reads', async () => {
    const syncs: boolean[] = [];
    const state = (memory: StateStore): StateStore => ({
      ...memory,
      async append(path, text, sync) {
        if (text !== '') syncs.push(sync);
        await memory.append(path, text, sync);
      },
    });
    const { url } = await open({ state });
    await post(url, call('fake_read', { path: 'a' }));
    await post(url, call('fake_write', { wing: 'a', content: 'b' }));
    expect(syncs).toEqual([false, true]);
  });
});
