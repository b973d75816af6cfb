import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import * as z from 'zod';
import { parseAuditLine } from '../../src/core/audit/line';
import { type LiveServer, startLiveServer } from '../support/live-server';
import { fuzz } from './fuzz';
import { mutatedBytes } from './mutations';
import { exchangeBytes, type RawAnswer } from './raw-http';

const FILES = {
  'wiki/net/facts/mtu.md': '---\nwing: net\nhall: facts\n---\n# MTU\n\n1420.\n',
  'raw/2026-11-01-dns.md': '# DNS\n\nUnbound.\n',
};

const documentShape = z.object({
  paths: z.object({ '/mcp': z.object({ post: z.object({ responses: z.record(z.string(), z.unknown()) }) }) }),
});

let server: LiveServer;
/** The lines that the audit log should have by now. */
let owed = 0;
/** The statuses that the server's own description names for this address. */
let promised: readonly string[];
beforeAll(async () => {
  server = await startLiveServer(FILES, { rateLimit: 0 });
  const { body } = await server.http('GET', '/openapi.json');
  promised = Object.keys(documentShape.parse(body).paths['/mcp'].post.responses);
});
afterAll(() => server.stop());

const TOOLS = [
  ...[
    'brain_query',
    'brain_answer',
    'brain_get',
    'brain_write',
    'capture',
    'brain_update',
    'brain_index',
    'brain_pending',
    'brain_promote',
  ],
  ...[
    'brain_reject',
    'brain_ingest',
    'brain_history',
    'brain_edit_root',
    'brain_forget',
    'brain_log_session',
    'no_such_tool',
    '',
    '__proto__',
    'toString',
  ],
];
const METHODS = [
  ...[
    'tools/call',
    'tools/call',
    'tools/call',
    'tools/list',
    'initialize',
    'ping',
    'notifications/initialized',
    'notifications/cancelled',
  ],
  ...[
    'resources/list',
    'resources/read',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
    'server/discover',
  ],
  ...['tasks/get', 'rpc.x', '', 'TOOLS/CALL', 'tools/call '],
];
const json = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value)));
const args = fc.dictionary(
  fc.constantFrom(
    'query',
    'path',
    'wing',
    'hall',
    'slug',
    'content',
    'limit',
    'reason',
    'text',
    'records',
    'expected_hash',
    'x',
    'links',
  ),
  fc.oneof(
    fc.constantFrom('net', 'facts', 'wiki/net/facts/mtu.md', 'raw/2026-11-01-dns.md', '../x', '', 'mtu'),
    json,
  ),
  { maxKeys: 4 },
);
const ids = fc.oneof(fc.integer(), fc.string({ maxLength: 8 }), json);
const params = fc.oneof(
  fc.record(
    { name: fc.oneof(fc.constantFrom(...TOOLS), json), arguments: fc.oneof(args, args, json) },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      name: fc.constantFrom(...TOOLS),
      arguments: args,
      _meta: fc.oneof(
        fc.record(
          {
            progressToken: ids,
            'io.modelcontextprotocol/protocolVersion': fc.constantFrom('2026-07-28', '2025-11-25', 'x', 1),
            'io.modelcontextprotocol/clientInfo': fc.oneof(fc.constant({ name: 'c', version: '1' }), json),
            'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), json),
          },
          { requiredKeys: [] },
        ),
        json,
      ),
    },
    { requiredKeys: ['name'] },
  ),
  json,
);
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 6, arbitrary: fc.constant('2.0') }, json),
    id: ids,
    method: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...METHODS) }, json),
    params,
    result: json,
    error: json,
  },
  { requiredKeys: ['jsonrpc'] },
);
const call = fc.record({
  jsonrpc: fc.constant('2.0'),
  id: ids,
  method: fc.constant('tools/call'),
  params: fc.record({ name: fc.constantFrom(...TOOLS), arguments: args }),
});
const bodies = fc
  .oneof(call, message, fc.array(fc.oneof(message, call), { maxLength: 4 }), json)
  .map((value) => new Uint8Array(Buffer.from(JSON.stringify(value))));
const bytes = fc.oneof(
  { weight: 4, arbitrary: bodies },
  {
    weight: 1,
    arbitrary: mutatedBytes([
      new Uint8Array(
        Buffer.from(
          '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brain_query","arguments":{"query":"mtu"}}}',
        ),
      ),
      new Uint8Array(
        Buffer.from(
          '[{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"brain_pending"}},{"jsonrpc":"2.0","id":"b","method":"ping"}]',
        ),
      ),
    ]),
  },
);
const headers = fc.record({
  accept: fc.constantFrom(
    ...Array<string>(5).fill('application/json, text/event-stream'),
    'application/json',
    '*/*',
    'text/html',
    '',
  ),
  version: fc.constantFrom(
    '',
    '',
    '',
    '2025-03-26',
    '2025-06-18',
    '2025-11-25',
    '2026-07-28',
    '2024-11-05',
    '1900-01-01',
    'x',
  ),
  session: fc.constantFrom('', '', '', 'x', 'x'.repeat(300)),
  method: fc.constantFrom('', '', 'tools/call', 'ping', 'x'),
  name: fc.constantFrom('', '', 'brain_query', '=?base64?x?=', 'x'),
  token: fc.constantFrom('owner', 'laptop', 'reader', 'proposer'),
});

const PLAIN = { accept: '', version: '', session: '', method: '', name: '' };

interface Head {
  readonly accept: string;
  readonly version: string;
  readonly session: string;
  readonly method: string;
  readonly name: string;
  readonly token: string;
}

function send(
  body: Uint8Array,
  { accept, version, session, method, name, token }: Head,
  patience?: number,
): Promise<RawAnswer> {
  const lines = [
    'POST /mcp HTTP/1.1',
    `Host: ${new URL(server.url).host}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Authorization: Bearer ${token}`,
    'Connection: close',
    ...(accept === '' ? [] : [`Accept: ${accept}`]),
    ...(version === '' ? [] : [`MCP-Protocol-Version: ${version}`]),
    ...(session === '' ? [] : [`Mcp-Session-Id: ${session}`]),
    ...(method === '' ? [] : [`Mcp-Method: ${method}`]),
    ...(name === '' ? [] : [`Mcp-Name: ${name}`]),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return exchangeBytes(server.url, new Uint8Array(Buffer.concat([head, body])), patience);
}

/** The lines of the audit log so far; each must be readable. */
async function auditLines(): Promise<number> {
  const folder = path.join(server.root, '.brain', 'audit');
  let count = 0;
  for (const file of await readdir(folder).catch(() => [])) {
    // Calls have files of their own: by month and device.
    if (!/^\d{4}-\d{2}\./.test(file)) continue;
    const lines = (await readFile(path.join(folder, file), 'utf8')).split('\n').slice(0, -1);
    expect(lines.filter((line) => parseAuditLine(line) === null)).toEqual([]);
    count += lines.length;
  }
  return count;
}

/**
 * The lines of the audit log once they are so many more than `before`, or none has come for a second. A call that was read at all
 * is seen through, and the others with it: after the first line the next may take two seconds.
 */
async function linesAfter(before: number, calls: number): Promise<number> {
  let [found, since] = [before, Date.now()];
  while (found < before + calls && Date.now() - since < (found > before ? 2_000 : 1_000)) {
    await setTimeout(10);
    const now = await auditLines();
    if (now !== found) [found, since] = [now, Date.now()];
  }
  return found;
}

/** How many tool calls a body holds that its reader could read. */
function callsIn(body: Uint8Array, { status, body: answer }: RawAnswer): number {
  if (status === 400 && answer.includes('"invalid_json"')) return 0;
  const value: unknown = body.length === 0 ? {} : JSON.parse(Buffer.from(body).toString('utf8'));
  const isCall = (each: unknown) =>
    typeof each === 'object' && each !== null && 'method' in each && each.method === 'tools/call';
  return (Array.isArray(value) ? value : [value]).filter(isCall).length;
}

/** All messages of an answer: one, a batch, or a stream of events. */
function messagesOf({ head, body }: RawAnswer): unknown[] {
  if (body.trim() === '') return [];
  const texts = /^content-type: text\/event-stream/im.test(head)
    ? [...body.matchAll(/^data: ?(.+)$/gm)].map(([, data]) => data ?? '')
    : [body];
  return texts.flatMap((text): unknown => JSON.parse(text));
}

fuzz(
  'any body at /mcp gets an answer of the protocol, and each tool call one line in the audit log',
  300,
  fc.asyncProperty(bytes, headers, async (body, head) => {
    const answer = await send(body, head);
    expect(promised).toContain(String(answer.status));
    expect(answer.status).toBeLessThan(500);
    for (const each of messagesOf(answer)) {
      expect(each).toMatchObject({ jsonrpc: '2.0' });
      expect(JSON.stringify(each)).not.toMatch(/node_modules|\/src\/|brain-live-/);
    }
    owed += callsIn(body, answer);
    // The line of a call may be written after its answer. One too many shows at the next call.
    for (let tries = 0; tries < 200 && (await auditLines()) < owed; tries += 1) await setTimeout(10);
    const wanted = owed;
    owed = await auditLines();
    expect(owed).toBe(wanted);
  }),
);

fuzz(
  'a client that hangs up leaves one line for each of its calls, or none when it was gone before they were read',
  25,
  fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 3 }), fc.nat(3), async (calls, patience) => {
    const body = new Uint8Array(Buffer.from(JSON.stringify(calls.map((each, id) => ({ ...each, id })))));
    await send(body, { ...PLAIN, token: 'owner' }, patience);
    const before = owed;
    owed = await linesAfter(before, calls.length);
    expect([0, calls.length]).toContain(owed - before);
  }),
);

it('the log of all those calls is whole', async () => {
  const { body } = await server.http('GET', '/audit/verify');
  expect(body).toMatchObject({ lines: owed, problem_count: 0 });
});
