import fc from 'fast-check';
import { getNote } from '../../../src/core/notes/get';
import { queryNotes } from '../../../src/core/search/query';
import { Catalog } from '../../../src/core/catalog/catalog';
import { movesAmong } from '../../../src/core/links/follow';
import { opens } from '../../../src/core/links/resolve';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { LinkTargets } from '../../obsidian/metadata/link-target';
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

/** A vault, and what links in its notes open. */
const FILES_BY_NAME = [
  'Terms.png',
  'A/Terms.md',
  'A/B/Deep.md',
  'A/B/i.md',
  'A/i.md',
  'B/Deep.md',
  'B/Deep.canvas',
  'C/Only.MD',
  'C/no-ending',
  'Long/B/Deep.md',
  'i.md',
  'raw/idea.md',
  'wiki/w/facts/idea.md',
];
const RULE: readonly (readonly [
  from: string,
  target: string,
  wiki: string | null,
  markdown?: string | null,
])[] = [
  ['i.md', 'A/Terms', 'A/Terms.md'],
  ['i.md', '/A/Terms.md', 'A/Terms.md'],
  ['i.md', 'terms', 'A/Terms.md'],
  ['i.md', 'Terms.png', 'Terms.png'],
  ['i.md', 'deep', 'B/Deep.md'],
  ['A/B/i.md', 'Deep', 'A/B/Deep.md'],
  ['A/i.md', 'B/Deep', 'B/Deep.md', 'A/B/Deep.md'],
  ['A/i.md', './B/Deep', 'A/B/Deep.md'],
  ['A/i.md', '../B/Deep.md', 'B/Deep.md'],
  ['A/i.md', '../Deep', null],
  ['A/i.md', '/Deep', null],
  ['A/i.md', 'Deep.canvas', 'B/Deep.canvas'],
  ['A/i.md', 'only', 'C/Only.MD'],
  ['A/i.md', 'no-ending', 'C/no-ending'],
  ['Long/x.md', 'B/Deep', 'B/Deep.md', 'Long/B/Deep.md'],
  ['A/i.md', 'b/i', 'A/B/i.md'],
  ['C/x.md', 'er/Deep', null],
  ['C/x.md', 'idea', 'raw/idea.md'],
  ['C/x.md', 'brain/raw/idea', 'raw/idea.md'],
  ['C/x.md', 'facts/idea', 'wiki/w/facts/idea.md'],
  ['C/x.md', '', null],
  ['C/x.md', 'x'.repeat(2000), null],
];

describe('a link opens', () => {
  const catalogOf = (paths: readonly string[]): Catalog => {
    const catalog = new Catalog();
    for (const path of paths) catalog.addPath(vaultPath(path));
    return catalog;
  };

  const cases = RULE.map(
    ([from, target, wiki, other]) => [from, target, wiki, other === undefined ? wiki : other] as const,
  );
  it.each(cases)('from %s with %.20j: %j', (from, target, wiki, markdown) => {
    const files = catalogOf(FILES_BY_NAME);
    expect(opens(target, vaultPath(from), files)).toBe(wiki);
    expect(opens(target, vaultPath(from), files, true)).toBe(markdown);
  });

  it('what the app opens, in any vault, also after a move', () => {
    const folder = fc.constantFrom('', 'A/', 'B/', 'A/B/', 'a/', 'raw/', 'wiki/w/facts/', 'Longer/');
    const name = fc.constantFrom('Terms', 'terms', 'Index', 'B', 'p.png');
    const file = fc
      .tuple(folder, name)
      .map(([at, stem]) => `${at}${stem}${stem.endsWith('.png') ? '' : '.md'}`);
    const target = fc
      .tuple(fc.constantFrom('', '', './', '../', '/', 'A/', 'B/', 'facts/', 'a/b/'), name)
      .map(([at, stem]) => at + stem);
    let found = 0;
    fc.assert(
      fc.property(
        fc.uniqueArray(file, { minLength: 2, maxLength: 8, selector: (path) => path.toLowerCase() }),
        target,
        folder,
        (paths, link, at) => {
          const from = vaultPath(`${at}here.md`);
          const byApp = (all: readonly string[]) =>
            new LinkTargets([...all].sort().map((path) => ({ path }))).resolve(link, from)?.path ?? null;
          const files = catalogOf(paths);
          expect(opens(link, from, files)).toBe(byApp(paths));
          found += Number(byApp(paths) !== null);
          const [moved = '', ...others] = paths;
          const to = `Z/${moved}`;
          const { after } = movesAmong(files, new Map([[vaultPath(moved), vaultPath(to)]]));
          expect(opens(link, from, after)).toBe(byApp([...others, to]));
        },
      ),
      { numRuns: 1000 },
    );
    expect(found).toBeGreaterThan(50);
  });

  it('in a view what it would open in a vault of the files in sight', () => {
    const whole = catalogOf(['A/Terms.md', 'Long/Terms.md']);
    const view = whole.seenBy((path) => path.startsWith('Long/'));
    expect(opens('Terms', vaultPath('i.md'), whole)).toBe('A/Terms.md');
    expect(opens('Terms', vaultPath('i.md'), view)).toBe('Long/Terms.md');
    expect(opens('A/Terms', vaultPath('i.md'), view)).toBeNull();
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
