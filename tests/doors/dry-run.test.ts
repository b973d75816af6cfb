import { createHash } from 'node:crypto';
import { OPERATIONS } from '../../src/core/registry/table';
import { type LiveServer, startLiveServer } from '../support/live-server';

const ROOT = '# How we work\n';
const SCAN = 'inbox/quarantine/2026-01-01/scan.txt';

const RULE = {
  ...{ name: 'ci', by: 'ci-bot', per_day: 50, on: false, failures: 0 },
  ...{ made_by: 'human:me', made_at: '2026-01-01T00:00:00Z', device: 'testtest' },
};

const VAULT = {
  '.brain/rules.json': JSON.stringify({ v: 1, rules: [RULE] }),
  'AGENTS.md': ROOT,
  'inbox/page.md': '# Page\n\nIt waits in the inbox.\n',
  [SCAN]: 'Scanned.\n',
  [`${SCAN}.error.json`]: '{"file":"inbox/scan.txt"}\n',
  'raw/2026-01-02-dns.md': '# DNS\n\nNames to numbers.\n',
  'raw/2026-01-03-mtu.md': '# MTU\n\nIt wants 1420.\n',
  'raw/2026-01-04-own.md': '---\nwritten_by: owner\n---\n# Own\n',
  'raw/rejected/old.md': '---\nrejected_by: me\n---\n# Old\n',
  'wiki/net/facts/known.md': '---\nsource: https://example.org/known\n---\n# Known\n\nKnown words.\n',
  'Projects/plan.md': '# Plan\n\nSee [[known]].\n',
  'wiki/net/facts/promoted.md': '---\npromoted_at: 2026-01-01T00:00:00Z\n---\n# Promoted\n',
  'wiki/vpn/facts/known.md': '---\npromoted_at: 2026-01-01T00:00:00Z\n---\n# Known too\n',
};

const raw = { path: 'raw/2026-01-02-dns.md' };
const quote = { n: 1, path: 'wiki/net/facts/known.md', quote: 'Known words.' };

/** A call that changes something, for each route that takes one by itself. */
const CALLS: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  ['/write', { content: '# New', wing: 'new', hall: 'facts' }],
  ['/write', { content: '# Legacy' }],
  ['/write', { content: '# Again', wing: 'net', hall: 'facts', slug: 'known', overwrite: true }],
  ['/capture', { text: 'A thought.' }],
  ['/update', { path: 'wiki/net/facts/known.md', content: 'Newer words.', reason: 'they are' }],
  ['/index', {}],
  ['/tunnels', {}],
  ['/promote', { ...raw, wing: 'net', hall: 'facts' }],
  ['/reject', { path: 'raw/2026-01-03-mtu.md', reason: 'no' }],
  ['/withdraw', { path: 'raw/2026-01-04-own.md' }],
  ['/restore', { path: 'raw/rejected/old.md' }],
  ['/adopt', { path: 'Projects/plan.md', wing: 'net', hall: 'decisions' }],
  ['/replace', { ...raw, replaces: 'wiki/net/facts/known.md', reason: 'newer' }],
  ['/confirm', { path: 'wiki/net/facts/known.md' }],
  ['/move', { path: 'wiki/net/facts/known.md', hall: 'hypotheses' }],
  ['/unpromote', { path: 'wiki/net/facts/promoted.md' }],
  ['/snooze', raw],
  ['/rules', { name: 'ci', remove: true }],
  ['/ingest', { text: 'Some text.' }],
  ['/ingest-path', { path: 'inbox/page.md' }],
  ['/ingest-path', { path: 'inbox' }],
  ['/ingest-raw', { pages: [{ title: 'Given', content: 'Given words.' }] }],
  ['/backfill-refs', {}],
  ['/answer/file', { query: 'What is known?', answer: 'It is [1].', citations: [quote] }],
  ['/sessions', { records: [{ skill: 'deploy', status: 'pass' }] }],
  [
    '/edit-root',
    { content: '# New', reason: 'why', expected_hash: createHash('sha256').update(ROOT).digest('hex') },
  ],
  ['/quarantine/retry', { path: SCAN }],
  ['/inbox/ingest', {}],
];

let server: LiveServer;
beforeEach(async () => {
  server = await startLiveServer(VAULT);
});
afterEach(() => server.stop());

it.each(CALLS)(
  'POST %s %j changes nothing in a dry run, and answers in the shape of the real call',
  async (path, body) => {
    const before = await server.snapshot();
    const dry = await server.http('POST', path, { ...body, dry_run: true });
    expect([dry.status, dry.text]).toEqual([200, expect.any(String)]);
    expect(await server.snapshot()).toEqual(before);
    const real = await server.http('POST', path, body);
    expect(real.status).toBe(200);
    // The text that a decision would make is shown before it, and readable after it.
    const shapes = [dry, real].map(({ body: answer }) =>
      Object.keys(answer).filter((key) => !/^body/.test(key)),
    );
    expect(shapes[0]?.sort()).toEqual(shapes[1]?.sort());
  },
);

it.each([
  { name: 'new', by: 'ci-bot', hall: 'facts' },
  { name: 'ci', by: 'ci-bot', on: true },
  { name: 'ci' },
])('POST /rules %j lists notes in a dry run and changes nothing', async (body) => {
  const before = await server.snapshot();
  const dry = await server.http('POST', '/rules', { ...body, dry_run: true });
  expect([dry.status, dry.body]).toEqual([200, expect.objectContaining({ ready: [], ready_count: 0 })]);
  expect(await server.snapshot()).toEqual(before);
});

it('changes nothing of a file that is sent', async () => {
  const send = async (query: string) => {
    const headers = { authorization: 'Bearer owner' };
    const init = { method: 'POST', headers, body: '# Sent\n\nSent words.\n' };
    const answer = await fetch(`${server.url}/ingest-file?name=sent.md${query}`, init);
    return { status: answer.status, body: await answer.json() };
  };
  const before = await server.snapshot();
  const dry = await send('&dry_run=true');
  expect(dry.status).toBe(200);
  expect(await server.snapshot()).toEqual(before);
  const real = await send('');
  expect(real.status).toBe(200);
  expect(Object.keys(dry.body).sort()).toEqual(Object.keys(real.body).sort());
});

it('is offered by every route that changes the vault', () => {
  const without = Object.entries(OPERATIONS).filter(
    ([, { mutates, input }]) => mutates && !('dry_run' in input.shape),
  );
  expect(without.map(([name]) => name)).toEqual([]);
});
