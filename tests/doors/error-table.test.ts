import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type LiveServer, startLiveServer } from '../support/live-server';
import { API_DESCRIPTION, describedApi } from './contract/described-api';

/**
 * Part 7 of the specification, row by row, over both doors of a real server on a real folder. A refused call leaves the
 * vault as it was: every file, every byte, every empty folder.
 */
const note = { wing: 'net', hall: 'facts', slug: 'new', content: 'text' };
const promotion = { path: 'raw/2026-11-01-dns.md', wing: 'net', hall: 'facts' };
const FILES = {
  'raw/2026-11-01-dns.md': '# DNS\n',
  'raw/rejected/old.md': '# Old\n',
  'wiki/net/facts/taken.md': '# Taken\n',
  'wiki/net/facts/locked.md': '---\nlocked: true\n---\nmine',
  'AGENTS.md': '# Root\n',
};

/** What the server says of itself: what it refuses with must stand there. */
const described = describedApi(API_DESCRIPTION, ['/mcp']);

let server: LiveServer;
let client: Client;
beforeAll(async () => {
  server = await startLiveServer(FILES);
  client = await server.mcp();
});
afterAll(() => server.stop());

type Row = readonly [
  condition: string,
  method: string,
  path: string,
  body: unknown,
  status: number,
  code: string,
];

const HTTP: readonly Row[] = [
  ['an empty query', 'POST', '/query', { query: '' }, 400, 'empty_query'],
  ['a query of white space', 'POST', '/query', { query: ' \n\t' }, 400, 'empty_query'],
  ['no query', 'POST', '/query', {}, 400, 'missing_field'],
  ['domain on a query', 'POST', '/query', { query: 'x', domain: 'y' }, 400, 'unknown_field'],
  ['a query in a hall outside the set', 'POST', '/query', { query: 'x', hall: 'y' }, 400, 'invalid_hall'],
  [
    'a write name with a separator',
    'POST',
    '/write',
    { content: 'x', filename: 'a/b.md' },
    400,
    'invalid_filename',
  ],
  [
    'a write name with a backslash',
    'POST',
    '/write',
    { content: 'x', filename: 'a\\b' },
    400,
    'invalid_filename',
  ],
  ['a write name with dots', 'POST', '/write', { content: 'x', filename: '..' }, 400, 'invalid_filename'],
  ['a write slug with dots', 'POST', '/write', { ...note, slug: '../../x' }, 400, 'invalid_filename'],
  [
    'a write to a new wing with a bad name',
    'POST',
    '/write',
    { ...note, wing: 'brand-new', slug: 'a/b' },
    400,
    'invalid_filename',
  ],
  [
    'a write into a hall outside the set',
    'POST',
    '/write',
    { ...note, hall: 'opinions' },
    400,
    'invalid_hall',
  ],
  ['a write with a wing that is a path', 'POST', '/write', { ...note, wing: '../x' }, 400, 'invalid_wing'],
  [
    'a write with half an address',
    'POST',
    '/write',
    { content: 'x', wing: 'net' },
    400,
    'wing_and_hall_required_together',
  ],
  [
    'an update with half an address',
    'POST',
    '/update',
    { wing: 'net', slug: 'mtu', content: 'x', reason: 'r' },
    400,
    'wing_and_hall_required_together',
  ],
  [
    'a reading with half an address',
    'GET',
    '/note?hall=facts&slug=mtu',
    undefined,
    400,
    'wing_and_hall_required_together',
  ],
  [
    'an envelope value outside its set',
    'POST',
    '/write',
    { ...note, wing: 'brand-new', half_life: 'long', claim_provenance: 'asserted' },
    400,
    'invalid_envelope',
  ],
  [
    'half_life without provenance',
    'POST',
    '/write',
    { ...note, wing: 'brand-new', half_life: 'durable' },
    400,
    'invalid_envelope',
  ],
  ['applies without provenance', 'POST', '/write', { ...note, applies: 'local' }, 400, 'invalid_envelope'],
  ['provenance alone', 'POST', '/write', { ...note, claim_provenance: 'inferred' }, 400, 'invalid_envelope'],
  [
    'a bad envelope in the content',
    'POST',
    '/write',
    { ...note, content: '---\nhalf_life: x\nclaim_provenance: asserted\n---\n' + 'x' },
    400,
    'invalid_envelope',
  ],
  [
    'front matter that is code',
    'POST',
    '/write',
    { ...note, content: '---js\n({a:1})\n---\nx' },
    400,
    'invalid_frontmatter',
  ],
  ['a write onto an existing note', 'POST', '/write', { ...note, slug: 'taken' }, 409, 'note_exists'],
  [
    'an overwrite of a locked note',
    'POST',
    '/write',
    { ...note, slug: 'locked', overwrite: true },
    423,
    'locked',
  ],
  [
    'a note over 1 MiB',
    'POST',
    '/write',
    { ...note, content: 'x'.repeat(1024 * 1024 + 1) },
    413,
    'too_large',
  ],
  ['a promotion into a bad hall', 'POST', '/promote', { ...promotion, hall: 'x' }, 400, 'invalid_hall'],
  ['a promotion into a bad wing', 'POST', '/promote', { ...promotion, wing: '..' }, 400, 'invalid_wing'],
  [
    'a promotion under a bad slug',
    'POST',
    '/promote',
    { ...promotion, wing: 'brand-new', slug: 'a/b' },
    400,
    'invalid_slug',
  ],
  ['a promotion onto a note', 'POST', '/promote', { ...promotion, slug: 'taken' }, 400, 'destination_exists'],
  [
    'a promotion of nothing',
    'POST',
    '/promote',
    { ...promotion, wing: 'brand-new', path: 'raw/none.md' },
    400,
    'source_missing',
  ],
  [
    'a promotion of a rejected note',
    'POST',
    '/promote',
    { ...promotion, path: 'raw/rejected/old.md' },
    400,
    'not_in_queue',
  ],
  [
    'a promotion with a link to a note that is not there',
    'POST',
    '/promote',
    { ...promotion, links: { nothing: 'wiki/net/facts/none.md' } },
    400,
    'invalid_field',
  ],
  ['a gate report of nothing', 'GET', '/gate?path=raw/none.md', undefined, 400, 'source_missing'],
  [
    'a gate report of a reviewed note',
    'GET',
    '/gate?path=wiki/net/facts/taken.md',
    undefined,
    400,
    'not_in_queue',
  ],
  ['a gate report without a path', 'GET', '/gate', undefined, 400, 'missing_field'],
  ['a rejection of nothing', 'POST', '/reject', { path: 'raw/none.md' }, 400, 'source_missing'],
  ['a rejection of a wiki note', 'POST', '/reject', { path: 'wiki/net/facts/taken.md' }, 400, 'not_in_queue'],
  [
    'an update of nothing',
    'POST',
    '/update',
    { path: 'wiki/net/facts/none.md', content: 'x', reason: 'r' },
    404,
    'note_not_found',
  ],
  [
    'an update of a raw note',
    'POST',
    '/update',
    { path: promotion.path, content: 'x', reason: 'r' },
    400,
    'in_queue',
  ],
  [
    'an update of another version',
    'POST',
    '/update',
    { path: 'wiki/net/facts/taken.md', content: 'x', reason: 'r', expected_hash: '0'.repeat(64) },
    409,
    'hash_mismatch',
  ],
  [
    'a promotion of another version',
    'POST',
    '/promote',
    { ...promotion, expected_hash: '0'.repeat(64) },
    409,
    'hash_mismatch',
  ],
  [
    'a rejection of another version',
    'POST',
    '/reject',
    { path: promotion.path, expected_hash: '0'.repeat(64) },
    409,
    'hash_mismatch',
  ],
  ['a root edit without the hash', 'POST', '/edit-root', { content: 'x', reason: 'r' }, 400, 'missing_field'],
  [
    'a root edit of another version',
    'POST',
    '/edit-root',
    { content: 'x', reason: 'r', expected_hash: '0'.repeat(64) },
    409,
    'hash_mismatch',
  ],
  [
    'a root edit with front matter that cannot be read',
    'POST',
    '/edit-root',
    { content: '---\na: [\n---\n', reason: 'r', expected_hash: '0'.repeat(64) },
    400,
    'invalid_frontmatter',
  ],
  ['an index of an unknown wing', 'POST', '/index', { wing: 'nowhere' }, 400, 'invalid_wing'],
  ['a read of nothing', 'GET', '/note?path=wiki/net/facts/none.md', undefined, 404, 'note_not_found'],
  ['a read outside the vault', 'GET', '/note?path=../../etc/passwd', undefined, 400, 'path_not_allowed'],
  ['a bad window', 'GET', '/pass-rate?window=7', undefined, 400, 'invalid_window'],
  [
    'an embedding backfill without hybrid retrieval',
    'POST',
    '/backfill-embeddings',
    {},
    503,
    'hybrid_not_configured',
  ],
  ['an ingest of nothing', 'POST', '/ingest', { text: ' ' }, 400, 'empty_content'],
  ['an ingest into a bad wing', 'POST', '/ingest', { text: 'x', wing: '../etc' }, 400, 'invalid_wing'],
  [
    'a batch of which one page is bad',
    'POST',
    '/ingest-raw',
    {
      pages: [
        { title: 'Good', content: 'x' },
        { title: 'Bad', content: 'x', hall: 'misc' },
      ],
    },
    400,
    'invalid_field',
  ],
  ['a wrong method', 'GET', '/query', undefined, 405, 'method_not_allowed'],
  ['an unknown route', 'POST', '/delete', {}, 404, 'not_found'],
  ['JSON that is none', 'POST', '/write', '{', 400, 'invalid_json'],
  ['an unknown field', 'POST', '/write', { ...note, autor: 'x' }, 400, 'unknown_field'],
];

it.each(HTTP)('HTTP: %s', async (_, method, path, body, status, code) => {
  const before = await server.snapshot();
  const answer = await server.http(method, path, body);
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      error: {
        code,
        message: expect.stringMatching(/^.{15,}[.)]$/),
        request_id: answer.headers.get('x-request-id'),
        ...(answer.text.includes('"details"') && { details: expect.any(Object) }),
      },
    },
  });
  expect(await server.snapshot()).toEqual(before);
  const route = described.find((each) => each.method === method && each.path === path.split('?', 1)[0]);
  const retryAfter = answer.headers.get('retry-after');
  expect(route?.fault({ status, body: answer.body, retryAfter }) ?? null).toBeNull();
});

it.each<[accept: string, status: number]>([
  ['application/json;q=0, text/event-stream', 406],
  ['Application/JSON ; Q=0.000', 406],
  ['application/json;q=0, */*', 406],
  ['application/*;q=0, */*;q=1', 406],
  ['*/*;q=0', 406],
  ['application/json;charset=utf-8;q=0', 406],
  ['*/*;q=0, application/json', 200],
  ['application/*;q=0, application/json;q=0.1', 200],
  ['text/event-stream;q=0, */*', 200],
  ['text/event-stream', 200],
  ['text/html, */*;q=0.8', 200],
  ['application/json;q=', 200],
  ['', 200],
])('HTTP honours what Accept refuses: %j is answered with %i', async (accept, status) => {
  const before = await server.snapshot();
  const headers = { authorization: 'Bearer owner', 'content-type': 'application/json', accept };
  const asked: [string, RequestInit][] = [
    ['/health', {}],
    ['/openapi.json', {}],
    ['/pending', {}],
    ['/query', { method: 'POST', body: '{"query":"mtu"}' }],
    [
      '/write',
      { method: 'POST', body: JSON.stringify({ ...note, slug: 'accepted', dry_run: status === 200 }) },
    ],
  ];
  for (const [path, init] of asked) {
    const answer = await fetch(server.url + path, { ...init, headers });
    expect([path, answer.status]).toEqual([path, status]);
    const body: unknown = await answer.json();
    if (status === 406) expect(body).toMatchObject({ error: { code: 'not_acceptable' } });
  }
  if (status === 406) expect(await server.snapshot()).toEqual(before);
});

const MCP: readonly (readonly [
  condition: string,
  tool: string,
  args: Record<string, unknown>,
  code: string,
])[] = [
  ['an empty query', 'brain_query', { query: ' ' }, 'empty_query'],
  ['domain on a query', 'brain_query', { query: 'x', domain: 'y' }, 'unknown_field'],
  ['domain on a write', 'brain_write', { ...note, domain: 'x' }, 'unknown_field'],
  ['type on a write', 'brain_write', { ...note, type: 'x' }, 'unknown_field'],
  ['a write without a hall', 'brain_write', { wing: 'net', content: 'x' }, 'missing_field'],
  ['a write into a hall outside the set', 'brain_write', { ...note, hall: 'opinions' }, 'invalid_hall'],
  ['a write name with dots', 'brain_write', { ...note, wing: 'brand-new', slug: '..' }, 'invalid_filename'],
  [
    'half_life without provenance',
    'brain_write',
    { ...note, wing: 'brand-new', half_life: 'durable' },
    'invalid_envelope',
  ],
  ['a write onto an existing note', 'brain_write', { ...note, slug: 'taken' }, 'note_exists'],
  ['a promotion onto a note', 'brain_promote', { ...promotion, slug: 'taken' }, 'destination_exists'],
  ['a promotion of nothing', 'brain_promote', { ...promotion, path: 'raw/none.md' }, 'source_missing'],
  ['a rejection of nothing', 'brain_reject', { path: 'raw/none.md' }, 'source_missing'],
  [
    'an update of nothing',
    'brain_update',
    { path: 'wiki/net/facts/none.md', content: 'x', reason: 'r' },
    'note_not_found',
  ],
  ['a root edit without the hash', 'brain_edit_root', { content: 'x', reason: 'r' }, 'missing_field'],
  ['a read of a rejected note', 'brain_get', { path: 'raw/rejected/old.md' }, 'path_not_allowed'],
];

it.each(MCP)('MCP: %s', async (_, name, args, code) => {
  const before = await server.snapshot();
  const lines = await auditLines();
  const result = await client.callTool({ name, arguments: args });
  expect(result.isError).toBe(true);
  const [first] = result.content as { text: string }[];
  expect(JSON.parse(first?.text ?? '')).toEqual({
    error: expect.objectContaining({ code, message: expect.stringMatching(/.{15,}/) }),
  });
  expect(await server.snapshot()).toEqual(before);
  const audited = (await auditLines()).slice(lines.length);
  expect(audited.map((line) => JSON.parse(line))).toMatchObject([
    { tool: name, ok: false, error: code, actor: 'owner' },
  ]);
});

async function auditLines(): Promise<string[]> {
  const month = new Date().toISOString().slice(0, 7);
  const text = await readFile(join(server.root, `.brain/audit/${month}.testtest.jsonl`), 'utf8').catch(
    () => '',
  );
  return text.split('\n').filter(Boolean);
}

it.each([
  ['a reader that writes', 'reader', '/write', note],
  ['a writer that promotes', 'laptop', '/promote', promotion],
  ['a writer that rejects', 'laptop', '/reject', { path: promotion.path }],
  ['a writer that edits the root note', 'laptop', '/edit-root', { content: 'x', reason: 'r' }],
  [
    'a proposer that updates',
    'proposer',
    '/update',
    { path: 'wiki/net/facts/taken.md', content: 'x', reason: 'r' },
  ],
  ['a proposer that replaces', 'proposer', '/write', { ...note, slug: 'taken', overwrite: true }],
])('scope: %s', async (_, token, path, body) => {
  const before = await server.snapshot();
  const answer = await server.http('POST', path, body, token);
  expect([answer.status, answer.body.error]).toMatchObject([403, { code: 'forbidden_scope' }]);
  expect(await server.snapshot()).toEqual(before);
});

it('a tool outside the scopes of a token is not listed and refuses', async () => {
  const laptop = await server.mcp('laptop');
  const { tools } = await laptop.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('brain_promote');
  const result = await laptop.callTool({ name: 'brain_promote', arguments: promotion });
  expect(JSON.stringify(result.content)).toContain('forbidden_scope');
});

it('both doors give the same object for the same operation', async () => {
  const { body } = await server.http('POST', '/query', { query: 'taken' });
  const result = await client.callTool({ name: 'brain_query', arguments: { query: 'taken' } });
  expect(result.structuredContent).toEqual(body);
});

describe('an error names what its caller can call', () => {
  const update = { path: 'wiki/net/facts/none.md', content: 'x', reason: 'r' };

  it.each([
    [{}, 'Use POST /write for a new note.'],
    [{ 'x-brain-words': 'command' }, 'Use brain write for a new note.'],
    [{ 'x-brain-words': 'plain' }, 'Use a write for a new note.'],
    [{ 'x-brain-words': 'nonsense' }, 'Use POST /write for a new note.'],
  ])('over HTTP with %j', async (headers, words) => {
    const response = await fetch(`${server.url}/update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer owner', ...headers },
      body: JSON.stringify(update),
    });
    expect(Object(await response.json()).error.message).toContain(words);
  });

  it('over MCP', async () => {
    const result = await client.callTool({ name: 'brain_update', arguments: update });
    expect(JSON.stringify(result.content)).toContain('Use brain_write for a new note.');
    const read = await client.callTool({ name: 'brain_get', arguments: { path: 'nothing like it' } });
    expect(JSON.stringify(read.content)).toContain('Look for it with brain_query.');
  });
});
