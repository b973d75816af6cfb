import fc from 'fast-check';
import { getNote } from '../../../src/core/notes/get';
import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain } from '../../support/test-brain';

const FILES = {
  'A/Terms.md': 'Of A.\n',
  'B/Terms.md': 'Of B.\n',
  'Long folder/Terms.md': 'Far.\n',
  'A/Index.md': 'See [[Terms]].\n',
  'B/Index.md': 'See [[terms]] and [[A/Terms]].\n',
  'Other.md': 'See [[Terms]] and [[Index]].\n',
  'A/Deep/README.md': 'Deep, see [[README]].\n',
  'README.md': 'Root, see [[README]].\n',
};

/** What the app opens: the exact path from the root, else the same folder, else the shortest path. */
const OPENS: readonly (readonly [from: string, outgoing: readonly string[]])[] = [
  ['A/Index.md', ['A/Terms.md']],
  ['B/Index.md', ['A/Terms.md', 'B/Terms.md']],
  ['Other.md', ['A/Index.md', 'A/Terms.md']],
  ['A/Deep/README.md', ['README.md']],
  ['README.md', []],
];

describe('a name that several files have', () => {
  it.each(OPENS)('opens from %s what the app opens', async (path, outgoing) => {
    const { run } = await openTestBrain(FILES);
    expect((await run(getNote, { path })).outgoing).toEqual(outgoing);
  });

  it('is a backlink of the note that it opens, and of no other', async () => {
    const { run } = await openTestBrain(FILES);
    const linked = async (path: string) => (await run(getNote, { path })).backlinks;
    expect(await linked('A/Terms.md')).toEqual(['A/Index.md', 'B/Index.md', 'Other.md']);
    expect(await linked('B/Terms.md')).toEqual(['B/Index.md']);
    expect(await linked('Long folder/Terms.md')).toEqual([]);
  });

  it('opens one note from anywhere, which has the link as a backlink', async () => {
    const folder = fc.constantFrom('', 'A/', 'B/', 'A/B/', 'Longer/');
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(folder, { minLength: 1 }), folder, async (folders, from) => {
        const notes = folders.map((each) => `${each}Name.md`);
        const source = `${from}Source.md`;
        const files = Object.fromEntries(notes.map((path) => [path, 'Text.\n']));
        const { run } = await openTestBrain({ ...files, [source]: 'See [[Name]].\n' });
        const { outgoing } = await run(getNote, { path: source });
        const own = ['Name.md', `${from}Name.md`].find((path) => notes.includes(path));
        const shortest = [...notes].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
        expect(outgoing).toEqual([own ?? shortest]);
        for (const path of notes)
          expect((await run(getNote, { path })).backlinks).toEqual(outgoing[0] === path ? [source] : []);
      }),
      { numRuns: 60 },
    );
  });
});

it('is a note in any case of its ending, found and linked as others are', async () => {
  const { run } = await openTestBrain({ 'Own/UPPER.MD': '# Quokka\n', 'Own/a.md': 'See [[UPPER]].\n' });
  expect((await run(getNote, { path: 'Own/a.md' })).outgoing).toEqual(['Own/UPPER.MD']);
  expect(await run(getNote, { path: 'Own/UPPER.MD' })).toMatchObject({
    title: 'Quokka',
    status: 'vault',
    backlinks: ['Own/a.md'],
  });
  const { results } = await run(queryNotes, { query: 'quokka' });
  expect(results.map(({ path }) => path)).toEqual(['Own/UPPER.MD']);
});
