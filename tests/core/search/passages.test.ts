import fc from 'fast-check';
import { estimateTokens } from '../../../src/core/base/text';
import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain } from '../../support/test-brain';

const shownFor = async (query: string, files: Record<string, string>, more: object = {}) => {
  const { run } = await openTestBrain(files);
  const { results } = await run(queryNotes, { query, ...more });
  return results.map(({ path, passages = [] }) => ({ path, passages }));
};

const filler = 'Nothing of that kind is told here, and the day goes on as it began. '.repeat(12).trim();

it('shows whole sentences around the words, with what follows', async () => {
  const files = {
    'a.md': `${filler}\n\nDr. Smith found the zeppelin at 4.30 in the hangar. It was blue. He left.\n\n${filler}\n`,
  };
  const [hit] = await shownFor('zeppelin hangar', files);
  expect(hit?.passages).toHaveLength(1);
  expect(hit?.passages[0]).toMatch(
    /^(?:Nothing .*\n\n)?Dr\. Smith found the zeppelin at 4\.30 in the hangar\. It was blue\. He left\./s,
  );
  expect(hit?.passages[0]).toMatch(/[.]$/);
});

it('shows rows with the head of their table', async () => {
  const rows = Array.from({ length: 80 }, (_, n) => `| Ctrl+${n} | does the thing number ${n} |`);
  rows[60] = '| Ctrl+U | ungroups the shapes |';
  const files = { 'keys.md': `# Keys\n\n| Key | What it does |\n|---|---|\n${rows.join('\n')}\n` };
  const [hit] = await shownFor('shortcut to ungroup shapes', files);
  const lines = hit?.passages[0]?.split('\n') ?? [];
  expect(lines.slice(0, 2)).toEqual(['| Key | What it does |', '|---|---|']);
  expect(lines).toContain('| Ctrl+U | ungroups the shapes |');
  expect(rows).toEqual(expect.arrayContaining(lines.slice(2)));
  expect(lines.length).toBeLessThan(30);
});

it('does not end at a heading whose text follows', async () => {
  const files = { 'a.md': `${filler}\n\n## Ungroup shortcut\n\nPress Ctrl and U.\n\n${filler}\n` };
  const [hit] = await shownFor('ungroup shortcut', files);
  expect(hit?.passages[0]).toContain('## Ungroup shortcut\n\nPress Ctrl and U.');
});

it('shows equal texts of two notes once', async () => {
  const text = 'The zeppelin lands at noon.';
  const hits = await shownFor('zeppelin noon', { 'a.md': `${text}\n`, 'b.md': `${text}\n` });
  expect(hits.flatMap(({ passages }) => passages)).toEqual([text]);
});

it('shows nothing of notes that hold little, and nothing that a reader of the note does not see', async () => {
  const files = {
    'a.md': 'The zeppelin of Bergen lands in the hangar at noon.\n\n%%the zeppelin hangar is secret%%\n',
    'b.md': `${filler} It rained at noon. ${filler}\n`,
  };
  const hits = await shownFor('zeppelin Bergen hangar noon', files);
  expect(hits.map(({ path, passages }) => [path, passages.length])).toEqual([
    ['a.md', 1],
    ['b.md', 0],
  ]);
  expect(hits[0]?.passages[0]).not.toContain('secret');
});

it.each([
  ['The door is red.', 4],
  ['ドアは赤い', 5],
  ['', 0],
])('estimates the tokens of %j', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

it('keeps to the tokens that were asked for, to three passages of a note, and to what notes hold', async () => {
  const word = fc.constantFrom('tunnel', 'battery', 'boiler', 'modem', 'the', 'zeppelin', '门是红的');
  const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => `A ${words.join(' ')}.`);
  const note = fc.array(sentence, { minLength: 1, maxLength: 30 }).map((all) => all.join('\n\n'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(note, { minLength: 1, maxLength: 6 }),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 300 }),
      async (notes, query, tokens) => {
        const files = Object.fromEntries(notes.map((text, at) => [`${at}.md`, text]));
        const hits = await shownFor(query.join(' '), files, { max_tokens: tokens });
        const all = hits.flatMap(({ passages }) => passages);
        expect(all.reduce((sum, text) => sum + estimateTokens(text), 0)).toBeLessThanOrEqual(tokens);
        expect(new Set(all).size).toBe(all.length);
        for (const { path, passages } of hits) {
          expect(passages.length).toBeLessThanOrEqual(3);
          for (const text of passages) expect(files[path]).toContain(text);
        }
      },
    ),
    { numRuns: 100 },
  );
});
