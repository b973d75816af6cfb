import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain } from '../../support/test-brain';

const FILLER = 'A long evening of talk about trains, weather and the price of bread. '.repeat(20);

/** A note with hundreds of properties that name the wanted words again and again. */
const HEAVY = `---\n${Array.from({ length: 200 }, (_, n) => `p${n}: Andrei Tarkovsky ${n}`).join('\n')}\n---\nA list.`;

const NOTES = {
  'Films/Stalker.md': '---\ndirector: Andrei Tarkovsky\nyear: 1979\n---\nThree men walk.',
  'Films/Solaris.md': '---\ndirector: "[[People/Andrei Tarkovsky]]"\n---\nAn ocean thinks.',
  'Recipes/Burger.md': '---\ncuisine: [[American]]\n---\nBeef and bread.',
  'Recipes/Pie.md': '---\ncuisine:\n  - "[[American]]"\n---\nApples.',
  'Rows/Task.md': '---\nAssignee: Wilhelmina Okonkwo\nPriority: High\nDue: 2026-11-03\n---\n',
  'Clips/Page.md': '---\nauthor:\n  - "[[Steph Ango]]"\nsource: https://example.com/x\n---\nA page.',
  'Heavy.md': HEAVY,
};

const found = async (notes: Record<string, string>, query: string): Promise<string[]> => {
  const { run } = await openTestBrain(notes);
  const { results } = await run(queryNotes, { query });
  return results.map(({ path }) => path);
};

describe('a property', () => {
  it.each([
    ['Andrei Tarkovsky', ['Films/Stalker.md', 'Films/Solaris.md']],
    ['"Andrei Tarkovsky" 1979', ['Films/Stalker.md']],
    ['American', ['Recipes/Burger.md', 'Recipes/Pie.md']],
    ['cuisine American', ['Recipes/Burger.md', 'Recipes/Pie.md']],
    ['Okonkwo', ['Rows/Task.md']],
    ['2026-11-03', ['Rows/Task.md']],
    ['Steph Ango', ['Clips/Page.md']],
  ])('finds its note: %s', async (query, paths) => {
    expect(await found(NOTES, query)).toEqual(expect.arrayContaining(paths));
  });

  it.each(['Tarkovsky', 'Andrei Tarkovsky', 'films of Tarkovsky'])(
    'of a heavy note puts it behind a text or a title about the query: %s',
    async (query) => {
      const paths = await found(
        {
          ...NOTES,
          'Essay.md': `${FILLER}\n\nTarkovsky made slow films. Andrei Tarkovsky wrote about time.\n\n${FILLER}`,
          'People/Andrei Tarkovsky.md': 'A maker of films.',
          'Once.md': 'Andrei Tarkovsky.',
        },
        query,
      );
      const heavy = paths.indexOf('Heavy.md');
      for (const path of ['Essay.md', 'People/Andrei Tarkovsky.md', 'Once.md'])
        expect([path, paths.indexOf(path) >= 0 && paths.indexOf(path) < heavy]).toEqual([path, true]);
    },
  );

  it('neither lengthens nor shortens the text beside it', async () => {
    const { run } = await openTestBrain({
      'a.md': 'The kettle boils.',
      'b.md': `---\n${Array.from({ length: 60 }, (_, n) => `p${n}: word${n} word${n + 60}`).join('\n')}\n---\nThe kettle boils.`,
    });
    const { results } = await run(queryNotes, { query: 'kettle' });
    expect(results.map(({ score }) => score)).toEqual([results[0]?.score, results[0]?.score]);
  });

  it('of a stamp finds nothing', async () => {
    const note = '---\nwing: net\nhall: facts\norigin: http\nwritten_by: zanzibar\n---\nSome words.';
    expect(await found({ 'wiki/net/facts/mtu.md': note }, 'zanzibar')).toEqual([]);
  });
});
