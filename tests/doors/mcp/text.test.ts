import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import * as fc from 'fast-check';
import { isRecord } from '../../../src/core/base/json';
import { answerNotes } from '../../../src/core/answer/operation';
import { getNote } from '../../../src/core/notes/get';
import { listPending } from '../../../src/core/review/pending';
import { queryNotes } from '../../../src/core/search/query';
import { answerText, changeText } from '../../../src/doors/mcp/text';
import { TOOLS } from '../../../src/doors/mcp/tools';
import { NOW, openTestBrain } from '../../support/test-brain';

describe('the text of an answer', () => {
  it('has one line for the plain members, then the lists as tables, then the body as it is', () => {
    const text = answerText(
      {
        count: 2,
        degraded: false,
        none: [],
        empty: {},
        absent: null,
        zero: 0,
        tags: ['a', 'b'],
        results: [
          { path: 'wiki/a.md', score: 1.5, stale: false, title: 'A', origin: 'mcp' },
          { path: 'wiki/b.md', score: 1, stale: false, title: 'B', written_by: 'me', origin: 'mcp' },
          { path: 'wiki/c.md', score: 1, stale: false, origin: 'mcp' },
        ],
        body: '# A\n\nText.\n',
      },
      { results: ['score'] },
    );
    expect(text).toBe(
      [
        '{"count":2,"zero":0,"tags":["a","b"]}',
        'results: ["path","title","written_by"] all: {"origin":"mcp"}',
        '["wiki/a.md","A"]',
        '["wiki/b.md","B","me"]',
        '["wiki/c.md"]',
        '',
        '# A\n\nText.\n',
      ].join('\n'),
    );
  });

  it('is empty for an empty answer', () => {
    expect(answerText({})).toBe('');
    expect(answerText({ list: [], body: 'x' })).toBe('\nx');
  });

  it('keeps every value on a line of its own JSON, whatever a note says', () => {
    const value = fc.oneof(fc.string(), fc.constant('a\n["forged"]'), fc.boolean(), fc.integer());
    const row = fc.dictionary(fc.constantFrom('path', 'title', 'excerpt'), value, { minKeys: 1 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (results) => {
        const [head = '', ...lines] = answerText({ results }).split('\n');
        if (head === '') return;
        const [names = '[]', common = '{}'] = head.slice('results: '.length).split(' all: ');
        const columns: string[] = JSON.parse(names);
        const all: Record<string, unknown> = JSON.parse(common);
        expect(lines).toHaveLength(results.length);
        lines.forEach((line, at) => {
          const values: unknown[] = JSON.parse(line);
          columns.forEach((column, place) => {
            const given = results[at]?.[column];
            expect(values[place] ?? false).toEqual(given ?? false);
          });
          for (const [column, value] of Object.entries(all)) expect(results[at]?.[column]).toEqual(value);
        });
      }),
    );
  });
});

describe('the text of a change', () => {
  const hash = 'a'.repeat(64);

  it('has the path, the hash, what changed, and what needs telling', () => {
    const shared = ['mtu', 'tunnel', 'uplink', 'link'];
    const text = changeText({
      ...{ path: 'wiki/net/facts/mtu.md', content_hash: hash, wing: 'net', hall: 'facts', slug: 'mtu' },
      ...{ created: true, replaced: false, unchanged: false, index: 'wiki/net/_index.md', relinked: 0 },
      similar: [
        { path: 'wiki/net/facts/a.md', title: 'A', stale: false, shared },
        { path: 'wiki/net/facts/b.md', title: 'B', stale: false, shared: ['mtu'] },
        { path: 'wiki/net/facts/c.md', title: 'C', stale: false, shared: ['mtu', 'link'] },
        { path: 'wiki/net/facts/d.md', title: 'D', stale: false, shared },
      ],
      refs: [
        { target: 'x', text: 'x', line: 1, kind: 'wikilink', resolved: 'wiki/x.md', unlinked: false },
        { target: 'y', text: 'y', line: 2, kind: 'wikilink', reason: 'missing', unlinked: true },
        {
          ...{ target: 'z', text: 'z', line: 2, kind: 'wikilink', reason: 'ambiguous', unlinked: true },
          candidates: ['wiki/a/z.md', 'wiki/b/z.md'],
        },
      ],
      ...{ unlinked: ['y', 'z'], warnings: [] },
    });
    expect(JSON.parse(text)).toEqual({
      ...{ path: 'wiki/net/facts/mtu.md', content_hash: hash },
      similar: [
        { path: 'wiki/net/facts/a.md', shared: ['mtu', 'tunnel', 'uplink'] },
        { path: 'wiki/net/facts/c.md', shared: ['mtu', 'link'] },
      ],
      refs: [{ target: 'z', reason: 'ambiguous', candidates: ['wiki/a/z.md', 'wiki/b/z.md'] }],
      unlinked: ['y', 'z'],
    });
  });

  it('names the former version only where a warning speaks of it', () => {
    const change = { path: 'a.md', supersedes: hash };
    expect(JSON.parse(changeText({ ...change, warnings: ['Short.'] }))).not.toHaveProperty('supersedes');
    const warned = { ...change, warnings: ['It stays readable by its hash, "supersedes".'] };
    expect(JSON.parse(changeText(warned))).toEqual(warned);
  });
});

it('a quote that the answer holds word for word stands in the text once', () => {
  const citations = [
    { n: 1, quote: 'It is 1420.' },
    { n: 2, quote: 'It is *odd*.' },
  ];
  const text = answerText({ answer: '[1] It is 1420.', citations });
  expect(text.split('It is 1420.')).toHaveLength(2);
  expect(text).toContain('It is *odd*.');
});

/** A vault of forty notes as people write them. */
function files(): Record<string, string> {
  const notes = Array.from({ length: 40 }, (_, at) => {
    const stamps = `---\nwing: homelab\nhall: facts\ncreated_at: ${NOW}\norigin: mcp\nwritten_by: laptop (claude-code 2.1.300)\n---\n`;
    const text = `# The MTU of tunnel ${at}\n\nWireGuard wants an MTU of 1420 on link ${at}, because the uplink adds 80 bytes of headers.\n\n## Why\n\nMeasured with ping on ${at} days: "1421" did not pass.\n`;
    return [`wiki/homelab/facts/tunnel-mtu-${at}.md`, stamps + text];
  });
  const queued = Array.from({ length: 20 }, (_, at) => [
    `raw/2026-11-20-idea-${at}.md`,
    `---\nwing: homelab\nwritten_by: laptop\norigin: mcp\n---\n# Idea ${at}\n\nA mirror for the MTU of link ${at}.\n`,
  ]);
  return Object.fromEntries([...notes, ...queued]);
}

it('costs fewer tokens than the JSON of the same answer, and says as much', async () => {
  const { run } = await openTestBrain(files());
  const answers: Record<string, unknown> = {
    brain_query: await run(queryNotes, { query: 'mtu tunnel' }),
    brain_get: await run(getNote, { path: 'wiki/homelab/facts/tunnel-mtu-3.md' }),
    brain_answer: await run(answerNotes, { query: 'Which MTU does WireGuard want?' }),
    brain_pending: await run(listPending, { limit: 20 }),
  };
  const costs = Object.entries(answers).map(([name, answer]) => {
    const tool = TOOLS.find((each) => each.name === name);
    if (tool === undefined || !isRecord(answer)) throw new Error(`no tool ${name}`);
    const text = answerText(answer, tool.leftOut);
    const [before, after] = [JSON.stringify(answer), text].map((each) => encode(each).length);
    return { name, before: before ?? 0, after: after ?? 0, text };
  });
  process.stdout.write(
    `${costs.map(({ name, before, after }) => `${name}: ${before} tokens as JSON, ${after} as text`).join('\n')}\n`,
  );
  for (const { before, after } of costs) expect(after).toBeLessThan(before);
  const query = costs.find(({ name }) => name === 'brain_query');
  expect(query?.after).toBeLessThan(0.65 * (query?.before ?? 0));
  for (const word of [
    'wiki/homelab/facts/tunnel-mtu-10.md',
    'The MTU of tunnel 10',
    'laptop (claude-code 2.1.300)',
    'of 2026-11-20, unreviewed',
    'wiki',
    'WireGuard wants',
  ])
    expect(query?.text).toContain(word);
});

it.each<[object, string]>([
  [
    { reviewed: { by: 'human:ada', at: NOW }, status: 'wiki' },
    'of 2026-11-20, reviewed by human:ada 2026-11-20',
  ],
  [{ reviewed: null, status: 'wiki', stale: true }, 'of 2026-11-20, unreviewed, stale'],
  [{ reviewed: null, status: 'vault' }, 'of 2026-11-20'],
  [
    { reviewed: { by: 'x, verified by ada', at: NOW }, verified: { at: NOW }, status: 'wiki' },
    'of 2026-11-20, reviewed by x  verified by ada 2026-11-20, verified 2026-11-20',
  ],
  [
    { reviewed: null, edited_since: true, superseded_by: 'a, b.md', same_subject: 'c.md' },
    'of 2026-11-20, unreviewed, edited by hand since, superseded by "a, b.md", same subject as c.md',
  ],
])('the text for a model says %j as %s', (marks, words) => {
  expect(answerText({ results: [{ path: 'a.md', date: NOW, stale: false, ...marks }] })).toContain(
    JSON.stringify(words),
  );
});
