import * as fc from 'fast-check';
import { sha256 } from '../../src/core/base/hash';
import { DESCRIPTORS, type OperationName } from '../../src/core/operation/descriptors';
import { OPERATIONS } from '../../src/core/registry/table';
import { type LiveServer, startLiveServer } from '../support/live-server';
import { shownValue } from '../support/mcp-answer';

const MTU = 'wiki/net/facts/mtu.md';
const MTU_TEXT =
  '---\nwing: net\nhall: facts\ncreated_at: 2026-01-01T00:00:00Z\n---\n# MTU\n\n1420, see [[page]].\n';
const QUEUED = 'raw/2026-11-01-idea.md';
const FILES = {
  'AGENTS.md': '# Guide\n',
  [MTU]: MTU_TEXT,
  'wiki/net/_index.md': '# Mine\n',
  'knowledge/page.md': '# Page\n\nText.\n',
  [QUEUED]: '# Idea\n\nA source of [[mtu]].\n',
  'raw/rejected/old.md': '---\nrejected_at: 2026-01-01T00:00:00Z\nrejected_by: human:me\n---\n# Old\n',
  'inbox/doc.md': '# MTU\n\nDocument text of the inbox.\n',
};

/** What a note that stands may be: everything the token must not touch, whatever it calls. */
const GUARDED = /^(?:wiki|knowledge|AGENTS\.md|raw\/rejected)/;

describe('a token that may only propose', () => {
  let live: LiveServer;
  let before: Record<string, string>;
  beforeAll(async () => {
    live = await startLiveServer(FILES, { rateLimit: 0 });
    before = guarded(await live.snapshot());
  });
  afterAll(() => live.stop());

  const guarded = (files: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      // What it has withdrawn itself is a rejected note.
      Object.entries(files).filter(
        ([path, text]) => GUARDED.test(path) && !/^rejected_by: proposer/m.test(text),
      ),
    );

  const path = fc.constantFrom(...Object.keys(FILES), 'wiki/net/facts/new', 'knowledge/new.md');
  const text = fc.constantFrom(
    '# New\n\nText.',
    MTU_TEXT,
    '---\nwing: net\nhall: facts\nlocked: true\n---\n# X',
  );
  const flag = fc.boolean();
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const address = {
    wing: optional(fc.constantFrom('net', 'new wing', '../x')),
    hall: optional(fc.constantFrom('facts', 'decisions')),
    slug: optional(fc.constantFrom('mtu', 'new', 'page')),
  };
  /** Every field that any operation takes, so that every one is called in earnest as well as in vain. */
  const fields = {
    ...address,
    path,
    source: optional(path),
    hash: fc.constantFrom(sha256(MTU_TEXT), undefined),
    expected_hash: fc.constantFrom(sha256(MTU_TEXT), sha256(FILES['AGENTS.md']), undefined),
    content: text,
    text,
    title: optional(fc.constantFrom('MTU', 'New', 'Page')),
    filename: optional(fc.constantFrom('page', 'mtu.md')),
    reason: fc.constant('because'),
    overwrite: optional(flag),
    force: optional(flag),
    destination: fc.constantFrom('wiki', 'raw', undefined),
    pages: fc.constant([{ title: 'MTU', content: 'A page.', wing: 'net', hall: 'facts', slug: 'mtu' }]),
    query: fc.constant('mtu'),
    answer: fc.constant('It is 1420.'),
    frontmatter: fc.constantFrom({ wing: 'net', hall: 'facts', written_by: 'human:me' }, undefined),
    half_life: fc.constant(undefined),
    by: fc.constant('owner'),
    since: fc.constant('2000-01-01'),
    plan: fc.constant(sha256('')),
    undo: fc.constant('x'),
    id: fc.constant('x'),
    skill: fc.constant('x'),
    status: fc.constantFrom('raw', 'wiki', 'pass'),
  };
  const asked = fc.record(fields, { requiredKeys: ['content', 'reason', 'query', 'pages', 'answer'] });
  const refused = new Set<string>();
  const done = new Set<string>();

  /** Of all the fields, those that the one who is called knows. */
  const known = (value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(value).filter(([name, held]) => names.includes(name) && held !== undefined),
    );

  it('leaves every note that stands as it is, whatever it calls over HTTP, in any order', async () => {
    const allowed = ['/query', '/write', '/capture', '/ingest', '/ingest-raw'];
    const routes = Object.entries(DESCRIPTORS).map(([name, { method, path }]) => ({
      ...{ method, path },
      // The two tables have the same names.
      input: OPERATIONS[name as OperationName].input,
    }));
    // Every other call is one that the token may make, however many routes there are.
    const route = fc.oneof(
      fc.constantFrom(...routes),
      fc.constantFrom(...routes.filter(({ path: at }) => allowed.includes(at))),
    );
    const call = fc.record({ route, value: asked });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
        for (const { route, value } of calls) {
          const ask = known(value, Object.keys(route.input.shape));
          const query = new URLSearchParams(Object.entries(ask).map(([name, held]) => [name, String(held)]));
          const answer =
            route.method === 'POST'
              ? await live.http('POST', route.path, ask, 'proposer')
              : await live.http(route.method, `${route.path}?${query.toString()}`, undefined, 'proposer');
          expect({ path: route.path, status: answer.status < 500 || answer.status === 503 }).toEqual({
            path: route.path,
            status: true,
          });
          (answer.status === 200 ? done : refused).add(route.path);
          if (answer.status === 200 && typeof answer.body.path === 'string' && answer.body.created === true) {
            expect(answer.body.path).toMatch(/^raw\/[^/]+$/);
          }
        }
        expect(guarded(await live.snapshot())).toEqual(before);
      }),
      { numRuns: 160, seed: 1 },
    );
    // The calls were no shots in the dark: what it may do was done, and what it may not was refused.
    for (const may of allowed) expect(done).toContain(may);
    for (const may of ['/promote', '/reject', '/edit-root', '/undo', '/index', '/restore']) {
      expect(done).not.toContain(may);
      expect(refused).toContain(may);
    }
  });

  it('is shown no tool that changes a note which stands, and leaves every one as it is by those of MCP', async () => {
    const client = await live.mcp('proposer');
    const { tools } = await client.listTools();
    expect(
      tools.map(({ name }) => name).filter((name) => /promote|reject|index|root|log/.test(name)),
    ).toEqual([]);
    const others = ['brain_promote', 'brain_reject', 'brain_edit_root', 'brain_index'];
    const called = new Set<string>();
    const call = fc.record({
      name: fc.constantFrom(...tools.map(({ name }) => name), ...others),
      value: asked,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 10 }), async (calls) => {
        for (const { name, value } of calls) {
          const schema = tools.find((tool) => tool.name === name)?.inputSchema.properties ?? fields;
          const result = await client.callTool({ name, arguments: known(value, Object.keys(schema)) });
          if (result.isError !== true) called.add(name);
          const written = shownValue(result).path;
          if (/write|capture/.test(name) && result.isError !== true) expect(written).toMatch(/^raw\/[^/]+$/);
        }
        expect(guarded(await live.snapshot())).toEqual(before);
      }),
      // Always the same calls, as they are to reach every tool below.
      { numRuns: 100, seed: 3 },
    );
    expect([...called]).toEqual(
      expect.arrayContaining(['brain_write', 'capture', 'brain_query', 'brain_ingest']),
    );
    expect([...called].filter((name) => others.includes(name))).toEqual([]);
  });

  it('keeps what it asked for as a suggestion, and is told so', async () => {
    const ask = { wing: 'net', hall: 'facts', slug: 'told', content: '# Told\n\nText.' };
    const { status, body } = await live.http('POST', '/write', ask, 'proposer');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      wing: 'net',
      hall: 'facts',
      path: expect.stringMatching(/^raw\//) as string,
    });
    expect(String(body.warnings)).toContain('only propose');
    const overwrite = await live.http('POST', '/write', { ...ask, slug: 'mtu', overwrite: true }, 'proposer');
    expect(overwrite.body).toMatchObject({ error: { code: 'forbidden_scope' } });
  });
});
