import { answerNotes } from '../../../src/core/answer/operation';
import { getNote } from '../../../src/core/notes/get';
import { writeNote } from '../../../src/core/notes/write';
import { listPending } from '../../../src/core/review/pending';
import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain } from '../../support/test-brain';

const STALE =
  'created_at: 2020-01-01T00:00:00Z\nhalf_life: volatile\nclaim_provenance: asserted\ntags: [vpn]\n';
const note = (stamps: string, body: string): string => `---\n${stamps}---\n${body}\n`;
const TEXT = '# WireGuard MTU\n\nThe WireGuard tunnel needs an MTU of 1380 bytes.';

const VAULT = {
  'wiki/net/facts/mtu.md': note(`${STALE}origin: mcp\nwritten_by: laptop (claude-code 2.1)\n`, TEXT),
  'raw/2026-11-01-idea.md': note(`${STALE}origin: http\nwritten_by: laptop via qwen3:14b\n`, TEXT),
  'knowledge/page.md': note('origin: web\nwritten_by: human:me\nsource_type: external\n', TEXT),
  'wiki/net/facts/fresh.md': note('tags: [vpn]\n', '# Fresh\n\nOf today.'),
};
const QUERY = { query: 'WireGuard MTU', include_raw: true };

describe('what a reader has to know of a note', () => {
  it('stands in every result of a search: who, by which door, whether reviewed, whether stale', async () => {
    const { run } = await openTestBrain(VAULT);
    const { results } = await run(queryNotes, QUERY);
    const marks = results.map(({ path, status, stale, origin, written_by: by }) => [
      path,
      { status, stale, origin, by },
    ]);
    expect(Object.fromEntries(marks)).toEqual({
      'wiki/net/facts/mtu.md': { status: 'wiki', stale: true, origin: 'mcp', by: 'laptop (claude-code 2.1)' },
      'raw/2026-11-01-idea.md': { status: 'raw', stale: true, origin: 'http', by: 'laptop via qwen3:14b' },
      'knowledge/page.md': { status: 'knowledge', stale: false, origin: 'web', by: 'human:me' },
    });
  });

  it('stands in a note that is read, in the queue, in citations, and with similar notes and neighbours', async () => {
    const { run } = await openTestBrain(VAULT);
    expect(await run(getNote, { path: 'raw/2026-11-01-idea.md' })).toMatchObject({
      status: 'raw',
      stale: true,
      written_by: 'laptop via qwen3:14b',
      same_tags: [
        { path: 'wiki/net/facts/fresh.md', stale: false },
        { path: 'wiki/net/facts/mtu.md', stale: true },
      ],
    });
    const { pending } = await run(listPending);
    expect(pending).toMatchObject([{ stale: true, origin: 'http', written_by: 'laptop via qwen3:14b' }]);
    expect(pending[0]?.similar).toContainEqual({
      path: 'wiki/net/facts/mtu.md',
      title: 'WireGuard MTU',
      stale: true,
      shared: ['WireGuard', 'MTU', '1380', 'bytes', 'needs'],
    });
    const { citations } = await run(answerNotes, { query: 'What MTU does the WireGuard tunnel need?' });
    expect(citations).toContainEqual(
      expect.objectContaining({ path: 'wiki/net/facts/mtu.md', status: 'wiki', stale: true, origin: 'mcp' }),
    );
    const written = await run(writeNote, { wing: 'net', hall: 'facts', slug: 'x', content: TEXT });
    expect(written.similar).toContainEqual(
      expect.objectContaining({ path: 'wiki/net/facts/mtu.md', stale: true }),
    );
  });
});

it.each<[Record<string, unknown>, string[]]>([
  [{ written_by: 'laptop' }, ['raw/2026-11-01-idea.md', 'wiki/net/facts/mtu.md']],
  [{ written_by: 'laptop (claude-code 2.1)' }, ['wiki/net/facts/mtu.md']],
  [{ written_by: 'laptop via qwen3:14b' }, ['raw/2026-11-01-idea.md']],
  [{ written_by: 'lap' }, []],
  [{ written_by: 'human:me' }, ['knowledge/page.md']],
  [{ origin: 'http' }, ['raw/2026-11-01-idea.md']],
  [{ origin: 'web', source_type: 'external' }, ['knowledge/page.md']],
  [{ origin: 'web', source_type: 'internal' }, []],
  [{ status: 'raw' }, ['raw/2026-11-01-idea.md']],
  [{ not_stale: true }, ['knowledge/page.md']],
])('a search for notes with %j finds those alone', async (filter, expected) => {
  const { run } = await openTestBrain(VAULT);
  const { results } = await run(queryNotes, { ...QUERY, ...filter });
  expect(results.map(({ path }) => path).sort()).toEqual(expected);
});
