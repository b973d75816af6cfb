import fc from 'fast-check';
import { ProseCache } from '../../../src/core/catalog/prose';
import { sha256 } from '../../../src/core/base/hash';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { excerptReaches } from '../../../src/core/search/excerpt';
import { passageSteps } from '../../../src/core/search/passages';
import { queryWords } from '../../../src/core/search/question-words';
import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain } from '../../support/test-brain';

const WHOLE = 1 << 20;
const PART = 100_000;

describe('how far the notes of one answer are looked through', () => {
  const hit = (size: number, terms = 1) => ({
    record: { size },
    terms: new Map(terms > 0 ? [['kettl', 1]] : []),
  });

  it.each([
    ['short ones always', Array<number>(50).fill(PART), Array<number>(50).fill(WHOLE)],
    ['the first long ones', Array<number>(6).fill(900_000), [WHOLE, WHOLE, WHOLE, WHOLE, PART, PART]],
    ['endless ones', Array<number>(6).fill(1e9), [WHOLE, WHOLE, WHOLE, WHOLE, PART, PART]],
    [
      'a later one that still fits',
      [1e9, 1e9, 1e9, 900_000, 900_000, 140_000],
      [WHOLE, WHOLE, WHOLE, WHOLE, PART, WHOLE],
    ],
  ])('whole: %s', (_, sizes, reaches) => {
    expect(excerptReaches(sizes.map((size) => hit(size)))).toEqual(reaches);
  });

  it('is not less for notes of which only the beginning is shown', () => {
    const hits = [...Array.from({ length: 9 }, () => hit(900_000, 0)), hit(900_000)];
    expect(excerptReaches(hits).at(-1)).toBe(WHOLE);
  });
});

it('leaves all that one answer shows in memory for the next', () => {
  const size = fc.oneof(fc.nat({ max: 200_000 }), fc.nat({ max: 2_000_000 }));
  const letters = 'x'.repeat(WHOLE);
  fc.assert(
    fc.property(fc.array(size, { maxLength: 50, size: 'max' }), (sizes) => {
      const cache = new ProseCache();
      const hits = sizes.map((bytes) => ({ record: { size: bytes }, terms: new Map([['kettl', 1]]) }));
      const reaches = excerptReaches(hits);
      const notes = sizes.map((_, n) => ({
        path: vaultPath(`knowledge/${n}.md`),
        content_hash: sha256(`${n}`),
      }));
      notes.forEach((note, n) => {
        const reach = reaches[n] ?? 0;
        const text = letters.slice(0, Math.min(sizes[n] ?? 0, reach));
        cache.put(note, { prose: text, shown: `#${text}`, comments: '' }, reach);
      });
      expect(notes.every((note, n) => cache.get(note, reaches[n] ?? 0) !== null)).toBe(true);
      expect(cache.size).toBeLessThanOrEqual(2 * (4 * WHOLE + 50 * PART) + 50);
    }),
    { numRuns: 200 },
  );
});

it('shows what stands far back in a long note among the first', async () => {
  const filler = 'lorem ipsum dolor sit amet '.repeat(19_000);
  const { run } = await openTestBrain({
    'knowledge/a.md': `${filler}\n\nThe zeppelin lands in the harbour.\n\n${filler}`,
  });
  const { results } = await run(queryNotes, { query: 'zeppelin harbour' });
  expect(results[0]?.excerpt).toContain('The zeppelin lands in the harbour.');
});

it.each([
  ['code', 'Some words.\n\n```\nlet zeppelin = 1;\n```\n'],
  ['code alone', '```\nlet zeppelin = 1;\n```\n'],
  ['a heading', '# Notes\n\n## The zeppelin\n\nSome words.\n'],
  ['HTML', 'Some words.\n\n<div>the zeppelin</div>\n'],
])('shows %s where the prose has none of the words', async (_, text) => {
  const { run } = await openTestBrain({ 'knowledge/a.md': text });
  const { results } = await run(queryNotes, { query: 'zeppelin' });
  expect(results[0]?.excerpt).toContain('zeppelin');
});

describe('what a note says beside its text', () => {
  it.each<[string, string, string, string]>([
    [
      'a property',
      '---\ndirector: Andrei Tarkovsky\n---\nA film.',
      'tarkovsky',
      'director: Andrei Tarkovsky',
    ],
    [
      'a link',
      '---\ndirector: "[[Andrei Tarkovsky]]"\n---\nA film.',
      'tarkovsky',
      'director: Andrei Tarkovsky',
    ],
    [
      'a link with words of its own',
      '---\nby: "[[People/Andrei Tarkovsky|the master]]"\n---\nA film.',
      'tarkovsky',
      'by: the master (Andrei Tarkovsky)',
    ],
    [
      'a list',
      '---\ncast: [Donatas Banionis, Natalya Bondarchuk]\n---\n',
      'bondarchuk',
      'cast: Natalya Bondarchuk',
    ],
    [
      'two properties',
      '---\nyear: 1972\nseen: no\nby: Tarkovsky\n---\nA film.',
      'Tarkovsky 1972',
      'year: 1972 · by: Tarkovsky',
    ],
    [
      'the name of an embed',
      'Dinosaurs.\n\n![[img/Sauropod Diagram.png]]',
      'sauropod',
      'Sauropod Diagram.png',
    ],
    ['the name of a picture', 'Dinosaurs.\n\n![](<img/p sauropod.png>)', 'sauropod', 'p sauropod.png'],
    [
      'a comment in the front matter',
      '---\n# about the zeppelin\n---\nSome words.',
      'zeppelin',
      'about the zeppelin',
    ],
    ['a comment', 'Some words.\n\n%% ask [[Zeppelin]] for\nmore %%', 'zeppelin', 'ask Zeppelin for more'],
  ])('is shown where the words of the query stand only there: %s', async (_, text, query, excerpt) => {
    const { run } = await openTestBrain({ 'Notes/a.md': text });
    const { results } = await run(queryNotes, { query });
    expect(results.map((hit) => hit.excerpt)).toEqual([excerpt]);
  });

  it('is not shown where the text has words of the query', async () => {
    const { run } = await openTestBrain({ 'a.md': '---\nby: Tarkovsky\n---\nTarkovsky made it.' });
    const { results } = await run(queryNotes, { query: 'tarkovsky' });
    expect(results[0]?.excerpt).toBe('Tarkovsky made it.');
  });
});

it('shows prose rather than code', async () => {
  const { run } = await openTestBrain({
    'knowledge/a.md': '```\nlet zeppelin = harbour;\n```\n\nThe zeppelin lands.\n',
  });
  const { results } = await run(queryNotes, { query: 'zeppelin harbour' });
  expect(results[0]?.excerpt).toBe('The zeppelin lands.');
});

describe('the passages of a note of many short items', () => {
  const ITEMS = 10_000;
  const line = '- zeppelin\n';

  const stepsFor = async (words: readonly string[]): Promise<number> => {
    const { brain } = await openTestBrain({});
    const pieces = Array.from({ length: ITEMS }, (_, at) => ({
      from: at * line.length,
      to: (at + 1) * line.length - 1,
    }));
    const note = { body: line.repeat(ITEMS), pieces, heading: null, blocks: [], tables: [] };
    const terms = words.flatMap((word) => brain.catalog.words.analyser.terms(word));
    const steps = passageSteps(brain, note, new Map(terms.map((term) => [term, 1])));
    let count = 0;
    while (steps.next().done !== true) count += 1;
    return count;
  };

  it('are looked for in short steps', async () => {
    // Without a word that is held, the sentences are only read, and gone over once.
    const [none, all] = [await stepsFor(['hangar']), await stepsFor(['zeppelin'])];
    // Three passages, for each of which at least ten items after each item are looked at.
    expect(all - none).toBeGreaterThan((3 * ITEMS * 10) / 8192);
  });
});

it('reads the words of an endless query', async () => {
  const { brain } = await openTestBrain({});
  const { analyser } = brain.catalog.words;
  const words = queryWords(`${'red '.repeat(100_000)}${' ! '.repeat(100_000)} Door of Bergen`, analyser);
  expect(words).toHaveLength(100_003);
  expect(words.slice(-3).map(({ isNamed }) => isNamed)).toEqual([false, false, true]);
});
