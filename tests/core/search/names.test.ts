import { queryNotes } from '../../../src/core/search/query';
import { confirmNote } from '../../../src/core/review/confirm';
import { promoteNote } from '../../../src/core/review/promote';
import { openTestBrain, person } from '../../support/test-brain';

const words = (word: string, times: number): string => `${`${word} `.repeat(times)}\n`;
const stamps = 'origin: mcp\nwritten_by: eve\ncreated_at: 2026-11-01T00:00:00Z\n';
const FILES = {
  'Web/Express.md': 'A framework.\n',
  'Web/Deep/Express.md': 'Another note of this name.\n',
  'Web/Frameworks.md': `# Frameworks for express\n\n${words('express', 30)}`,
  'Web/Node.md': `# Express and more\n\n${words('express', 20)}`,
  'Food/Café crème.md': 'Milk.\n',
  'Food/Drinks.md': `---\naliases: [Hot drinks]\n---\n${words('tea', 3)}`,
  'Food/Hot.md': words('hot drinks', 30),
  'wiki/net/facts/agent.md': `---\n${stamps}---\n# Express\n\nBy an agent.\n`,
  'raw/2026-11-01-reviewed.md': `---\n${stamps}---\n# Milk frother\n\nBy an agent.\n`,
  'Food/Frother.md': words('milk frother', 30),
};

describe('a query that is the name of a note', () => {
  async function first(query: string, more: object = {}) {
    const { run } = await openTestBrain(FILES);
    const { results } = await run(queryNotes, { query, limit: 5, ...more });
    return results.map(({ path, score }) => ({ path, score }));
  }

  it('finds it first, of several that with the shortest path, and the score shows it', async () => {
    const hits = await first('express');
    expect(hits.slice(0, 2).map(({ path }) => path)).toEqual(['Web/Express.md', 'Web/Deep/Express.md']);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(new Set(scores).size).toBe(scores.length);
  });

  it.each([
    ['cafe  Creme', 'Food/Café crème.md'],
    ['Hot Drinks', 'Food/Drinks.md'],
  ])('in any case and by an alias: %s', async (query, path) => {
    expect((await first(query))[0]?.path).toBe(path);
  });

  it('goes before a name that is only folded alike', async () => {
    const { run } = await openTestBrain({
      'Cmd/pct-move-volume.md': 'Moves.',
      'Commands/pct-move_volume.md': 'Moves.',
    });
    const { results } = await run(queryNotes, { query: 'PCT-move_volume' });
    expect(results.map(({ path }) => path)).toEqual([
      'Commands/pct-move_volume.md',
      'Cmd/pct-move-volume.md',
    ]);
  });

  it('finds it by a name without letters', async () => {
    const { run } = await openTestBrain({ 'Signs/~.md': 'Tilde.', 'Signs/{.md': 'Brace.' });
    const { results } = await run(queryNotes, { query: '~' });
    expect(results.map(({ path, excerpt }) => ({ path, excerpt }))).toEqual([
      { path: 'Signs/~.md', excerpt: 'Tilde.' },
    ]);
  });

  it('keeps to the filters and the limit', async () => {
    expect((await first('express', { limit: 1 })).map(({ path }) => path)).toEqual(['Web/Express.md']);
    expect((await first('express', { under: 'wiki' })).map(({ path }) => path)).toEqual([
      'wiki/net/facts/agent.md',
    ]);
  });

  it('counts for a note of an agent once a person has reviewed it', async () => {
    const { run } = await openTestBrain(FILES);
    const best = async () => (await run(queryNotes, { query: 'milk frother' })).results[0]?.path;
    expect(await best()).toBe('Food/Frother.md');
    const { path } = await run(
      promoteNote,
      { path: 'raw/2026-11-01-reviewed.md', wing: 'food', hall: 'facts' },
      person,
    );
    expect(await best()).toBe(path);
    await run(confirmNote, { path }, person);
    expect(await best()).toBe(path);
  });
});
