import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { SCOPES } from '../../../src/core/access/tokens';
import { HALLS } from '../../../src/core/vocabulary/address';
import { type Tool, TOOLS, toolsFor, withServices } from '../../../src/doors/mcp/tools';
import { refusal } from '../../support/refusal';

const listings = TOOLS.map(({ listing }) => listing);

function tool(name: string): Tool {
  const found = TOOLS.find((each) => each.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
}

/** Every node of a schema with the keys that lead to it. */
function* nodes(value: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, Object(value)];
  for (const [key, child] of Object.entries(value)) yield* nodes(child, `${path}/${key}`);
}

describe('the table of tools', () => {
  it('has the tools in a fixed order', () => {
    expect(
      TOOLS.map(({ name, operation: { scope }, core }) => `${name} ${scope}${core ? '' : ' +'}`),
    ).toEqual([
      'brain_write propose',
      'brain_query read',
      'brain_answer read',
      'brain_index write',
      'brain_get read',
      'brain_reject review',
      'brain_edit_root admin',
      'brain_forget propose +',
      'capture propose',
      'brain_update propose +',
      'brain_edit propose +',
      'brain_promote review +',
      'brain_pending read +',
      'brain_withdraw propose +',
      'brain_ingest propose +',
      'brain_history read +',
      'brain_log_session write +',
      'brain_context read',
      'brain_overview read',
    ]);
  });

  it.each<[string, string[], string[], string[]]>([
    [
      'brain_write',
      ['wing', 'hall', 'content'],
      ['slug', 'source_type', 'half_life', 'applies', 'claim_provenance', 'overwrite'],
      [],
    ],
    [
      'brain_query',
      [],
      ['query', 'wing', 'hall', 'under', 'since', 'order', 'limit', 'include_raw', 'status'],
      ['source_type', 'written_by', 'origin', 'not_stale'],
    ],
    ['brain_answer', ['query'], ['wing'], ['hall', 'under', 'limit']],
    ['brain_index', [], ['wing'], []],
    ['brain_get', [], ['path', 'paths', 'hash', 'offset'], ['wing', 'hall', 'slug', 'max_chars']],
    ['brain_reject', ['path'], ['reason'], []],
    ['brain_edit_root', ['content', 'reason'], ['expected_hash'], []],
    ['brain_forget', ['path', 'reason'], [], []],
    ['capture', ['text'], ['title', 'tags'], ['wing', 'hall', 'source']],
    [
      'brain_update',
      ['content', 'reason'],
      ['path', 'expected_hash'],
      ['wing', 'hall', 'slug', 'half_life', 'applies', 'claim_provenance'],
    ],
    ['brain_edit', ['path'], ['append', 'replace', 'section', 'reason', 'expected_hash'], []],
    ['brain_promote', ['path', 'wing', 'hall'], ['slug'], []],
    ['brain_pending', [], ['mine', 'offset'], ['limit']],
    ['brain_withdraw', ['path'], ['reason'], []],
    ['brain_ingest', [], ['text', 'path', 'job', 'title', 'source', 'wing'], ['hall', 'destination']],
    ['brain_history', [], ['path', 'diff'], ['hash']],
    [
      'brain_log_session',
      ['skill', 'status'],
      ['summary'],
      ['notes', 'error', 'session_id', 'agent', 'model', 'duration_ms', 'timestamp'],
    ],
    ['brain_context', [], ['task', 'wing', 'max_tokens'], []],
    ['brain_overview', [], [], []],
  ])('lists exactly these fields of %s, and takes others', (name, required, optional, unlisted) => {
    const { listing, read } = tool(name);
    const { properties = {}, required: demanded = [] } = listing.inputSchema;
    expect([...demanded].sort()).toEqual([...required].sort());
    expect(Object.keys(properties).sort()).toEqual([...required, ...optional].sort());
    for (const field of unlisted) {
      // A wrong value of a known field is told; an unknown field is told first.
      expect(refusal(() => read({ [field]: { no: 'value' } })).code).not.toBe('unknown_field');
    }
    expect(refusal(() => read({ surprise: 1 })).code).toBe('unknown_field');
  });

  it('hints at what each tool does to the vault', () => {
    const hints = listings.map(
      ({ name, title, annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } }) => {
        expect([title, openWorldHint]).toEqual([expect.stringMatching(/^[A-Z]/), false]);
        // The protocol's default is true.
        expect(destructiveHint === undefined).toBe(readOnlyHint);
        return `${name} ${readOnlyHint ? 'R' : ''}${destructiveHint ? 'D' : ''}${!readOnlyHint && idempotentHint ? 'I' : ''}`.trim();
      },
    );
    expect(hints).toEqual([
      'brain_write D',
      'brain_query R',
      'brain_answer R',
      'brain_index I',
      'brain_get R',
      'brain_reject DI',
      'brain_edit_root DI',
      'brain_forget',
      'capture',
      'brain_update DI',
      'brain_edit D',
      'brain_promote',
      'brain_pending R',
      'brain_withdraw I',
      'brain_ingest I',
      'brain_history R',
      'brain_log_session',
      'brain_context R',
      'brain_overview R',
    ]);
  });

  it.each<[boolean, boolean, string[]]>([
    [false, false, []],
    [true, false, ['brain_answer', 'brain_ingest']],
    [false, true, ['brain_ingest']],
    [true, true, ['brain_answer', 'brain_ingest']],
  ])('with a model: %s and a converter: %s says what may leave this machine', (model, converter, names) => {
    const offered = TOOLS.map((each) => withServices(each, { model, converter }));
    const open = offered.filter(({ listing }) => listing.annotations.openWorldHint);
    expect(open.map(({ name }) => name)).toEqual(names);
  });

  it('keeps the two tools of every conversation loaded', () => {
    expect(
      listings.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true).map(({ name }) => name),
    ).toEqual(['brain_write', 'brain_query']);
  });

  it('gives a token with one scope only what that scope allows', () => {
    const shown = SCOPES.map((scope) => {
      const caller = { origin: 'mcp', name: 'x', human: false, scopes: new Set([scope]) } as const;
      return toolsFor(TOOLS, caller).length;
    });
    expect(shown).toEqual([7, 7, 9, 2, 1]);
  });
});

describe('the schemas', () => {
  it.each(listings.map((listing) => [listing.name, listing.inputSchema] as const))(
    'of %s are flat: clients turn anything else into strings, or refuse the whole list',
    (_, schema) => {
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(schema.$schema).toBeUndefined();
      for (const [path, node] of nodes(schema)) {
        expect(
          Object.keys(node).filter((key) =>
            ['anyOf', 'oneOf', 'allOf', 'not', '$ref', '$defs'].includes(key),
          ),
        ).toEqual([]);
        if ('type' in node && !path.endsWith('/properties')) {
          expect(['object', 'array', 'string', 'number', 'integer', 'boolean']).toContain(node.type);
        }
      }
      for (const field of Object.values(schema.properties ?? {})) {
        expect(field).toMatchObject({
          type: expect.stringMatching(/^(string|integer|number|boolean|array|object)$/),
        });
        // An object of texts is read from a string too.
        for (const member of Object.values(Object(Object(field).properties ?? {})))
          expect(member).toMatchObject({ type: 'string' });
        if (Object(field).type === 'array') expect(Object(field).items.type).toBe('string');
      }
    },
  );

  it('give the hall as the closed set it is', () => {
    const halls = listings.flatMap(({ inputSchema }) => {
      const hall: unknown = inputSchema.properties?.hall;
      return hall === undefined ? [] : [Object(hall).enum];
    });
    expect(halls).toHaveLength(3);
    for (const hall of halls) expect(hall).toEqual([...HALLS]);
  });

  it('outline the answers that programs read', () => {
    expect(
      listings.filter(({ outputSchema }) => outputSchema?.properties !== undefined).map(({ name }) => name),
    ).toEqual(['brain_query', 'brain_get']);
    expect(tool('brain_query').listing.outputSchema).toEqual({
      type: 'object',
      properties: { results: { type: 'array' }, warnings: { type: 'array' } },
      required: ['results'],
    });
    const { outputSchema } = tool('brain_get').listing;
    expect(outputSchema?.required ?? []).toEqual([]);
    expect(outputSchema?.additionalProperties).toBeUndefined(); // answers may grow
  });
});

describe('the words', () => {
  it.each(listings.map(({ name, description }) => [name, description]))(
    'of %s say what it does, when to call it and what comes back, in at most three sentences',
    (name, description) => {
      expect(name).toMatch(/^[A-Za-z0-9_]{1,32}$/);
      expect(description.split(/\. (?=[A-Z])/).length).toBeLessThanOrEqual(3);
      expect(description).toMatch(/Call it |or reads one version/);
      expect(description.length).toBeLessThan(400);
    },
  );

  it('cost at most 2,600 tokens for who reads and writes, whatever clients show of them', () => {
    const scopes = new Set(SCOPES.slice(0, 3));
    const usual = toolsFor(TOOLS, { origin: 'mcp', name: 'x', human: false, scopes }).map(
      ({ listing }) => listing,
    );
    expect(encode(JSON.stringify({ tools: usual })).length).toBeLessThanOrEqual(2600);
  });
});

/** Where the errors of the tools that change notes are written. */
const ERRORS: readonly [string, readonly string[]][] = [
  ['brain_write', ['notes/write', 'notes/content']],
  ['brain_update', ['notes/update', 'notes/losses']],
  ['brain_edit', ['notes/edit', 'notes/update', 'notes/losses']],
  ['brain_edit_root', ['notes/root']],
  ['brain_promote', ['review/promote']],
  ['brain_ingest', ['ingest/tool']],
];

it.each(ERRORS)('%s lists every field that its errors and its own words name', (name, sources) => {
  const { listing, operation } = tool(name);
  const listed = Object.keys(listing.inputSchema.properties ?? {});
  const errors = sources.flatMap((source) => {
    const code = readFileSync(`src/core/${source}.ts`, 'utf8');
    const thrown = code.match(/new BrainError\((?:[^;]|;(?=.*`))*?\);/gs) ?? [];
    return thrown.flatMap((each) => each.match(/`[^`]*`|'[^']*'/g) ?? []).filter((text) => / /.test(text));
  });
  const said = [...errors, JSON.stringify(listing)].join('\n');
  const named = Object.keys(operation.input.shape).filter((field) =>
    field.includes('_') ? said.includes(field) : said.includes(`"${field}": true`),
  );
  expect(named.filter((field) => !listed.includes(field))).toEqual([]);
});

describe('reading arguments', () => {
  it('takes null for "not given"', () => {
    expect(tool('brain_query').read({ query: 'mtu', wing: null })).toMatchObject({ query: 'mtu' });
    expect(tool('brain_query').read({ query: 'mtu', wing: null })).not.toHaveProperty('wing');
  });

  it('pages the queue for a reader with a small memory', () => {
    expect(tool('brain_pending').read({})).toEqual({ limit: 20, offset: 0 });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['brain_write', { wing: 'a', hall: 'facts', content: 'x', domain: 'd' }, 'unknown_field'],
    ['brain_write', { wing: 'a', hall: 'facts', content: 'x', type: 't' }, 'unknown_field'],
    ['brain_write', { wing: 'a', hall: 'facts', content: 'x', frontmatter: {} }, 'unknown_field'],
    ['brain_write', { wing: 'a', hall: 'facts', content: 'x', dry_run: true }, 'unknown_field'],
    ['brain_write', { wing: 'a', hall: 'facts', content: 'x', filename: 'f' }, 'unknown_field'],
    ['brain_write', { wing: 'a', content: 'x' }, 'missing_field'],
    ['brain_write', { hall: 'facts', content: 'x' }, 'missing_field'],
    ['brain_write', { wing: 'a', hall: 'rumours', content: 'x' }, 'invalid_hall'],
    ['brain_query', { query: 'x', domain: 'd' }, 'unknown_field'],
    ['brain_promote', { wing: 'a', hall: 'facts' }, 'missing_field'],
    ['brain_edit_root', { content: 'x' }, 'missing_field'],
    ['brain_update', { path: 'wiki/a/facts/b.md', content: 'x' }, 'missing_field'],
  ])('%s refuses %j with %s', (name, args, code) => {
    expect(refusal(() => tool(name).read(args)).code).toBe(code);
  });
});
