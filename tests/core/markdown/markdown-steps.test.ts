import fc from 'fast-check';
import { finish, ITEMS_PER_STEP, sortSteps, type Steps } from '../../../src/core/base/steps';
import { collapseSteps, factSteps } from '../../../src/core/markdown/facts';
import { markdownSteps } from '../../../src/core/markdown/parse';

function count(steps: Steps<unknown>): number {
  let all = 1;
  while (steps.next().done !== true) all += 1;
  return all;
}

const LENGTH = 1 << 18;
const filled = (text: string) => text.repeat(LENGTH / text.length);

describe('a paragraph of many pages', () => {
  it.each([
    ['words', 'word '],
    ['emphasis', '*a* _b_ \\* c '],
    ['wikilinks', '[[a|b]] c '],
    ['links', '[a](b) c [[d]] '],
    ['comments', '%%a%% b\n'],
    ['HTML comments', '<!-- a --> b '],
    ['code', '`a` b '],
    ['tags', '<b>a</b> '],
    ['math', '$$a$$ b\n'],
    ['definitions', 'a\n[a]: b '],
  ])('is read a little at a time: %s', (_, text) => {
    const body = filled(text);
    const own = LENGTH / 4096;
    const parsed = count(markdownSteps(body));
    // Text without any mark is gone over at once.
    if (text !== 'word ') expect(parsed).toBeGreaterThan(0.8 * own);
    expect(count(factSteps(body)) - parsed).toBeGreaterThan(0.8 * own);
  });

  it('is read a little at a time when it is a table or a quote', () => {
    const rows = `|a|b|\n|-|-|\n${'| c [[d]] | e |\n'.repeat(20_000)}`;
    expect(count(markdownSteps(rows))).toBeGreaterThan(20_000 / 256);
    expect(count(markdownSteps('> a b c\n'.repeat(40_000)))).toBeGreaterThan((40_000 * 8) / 4096);
  });
});

it('reads the links of many items a few at a time', () => {
  const body = '- [ ] do [[it]] #tag\n'.repeat(10_000);
  const links = 10_000 / 256;
  expect(count(factSteps(body)) - count(markdownSteps(body))).toBeGreaterThan(body.length / 4200 + links);
});

it('sorts as ever, what is equal in the order it came in', () => {
  const keys = fc.oneof(
    fc.array(fc.nat({ max: 50 }), { maxLength: 40 }),
    fc.array(fc.nat({ max: 5_000 }), {
      minLength: 2 * ITEMS_PER_STEP,
      maxLength: 5 * ITEMS_PER_STEP,
      size: 'max',
    }),
  );
  fc.assert(
    fc.property(keys, fc.boolean(), (drawn, isSorted) => {
      const given = isSorted ? [...drawn].sort((a, b) => a - b) : drawn;
      const items = given.map((key, place) => ({ key, place }));
      const order = (a: { key: number }, b: { key: number }) => a.key - b.key;
      const sorted = [...items].sort(order);
      const steps = count(sortSteps([...items], order));
      expect(finish(sortSteps(items, order))).toEqual(sorted);
      expect(steps).toBeGreaterThan(Math.floor(given.length / ITEMS_PER_STEP) - 1);
    }),
    { numRuns: 60 },
  );
});

it('brings a text onto one line, wherever a step ends', () => {
  const space = fc.constantFrom(
    ' ',
    '\n',
    '  ',
    '\t',
    ' \r\n ',
    '\u00a0',
    'a',
    'b ',
    ' '.repeat(9_000),
    'x'.repeat(16_383),
  );
  fc.assert(
    fc.property(fc.array(space, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      expect(finish(collapseSteps(text))).toBe(text.replace(/\s+/g, ' ').trim());
    }),
    { numRuns: 500 },
  );
  expect(count(collapseSteps('a  b'.repeat(100_000)))).toBeGreaterThan(10);
});
