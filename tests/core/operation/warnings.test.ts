import { namedWarnings } from '../../../src/core/operation/warnings';

it('puts the files before each warning about them or their pages, and says it once', () => {
  const warned = (file: string, ...warnings: string[]) => ({ file, warnings });
  expect(
    namedWarnings([
      warned('a.md', 'Cut.', 'Cut.'),
      warned('b.md'),
      { ...warned('c.md'), pages: [{ warnings: ['No quote.'] }] },
      ...['d', 'e', 'f', 'g'].map((name) => warned(`${name}.md`, 'Cut.')),
    ]),
  ).toEqual(['a.md, d.md, e.md and 2 more: Cut.', 'c.md: No quote.']);
});
