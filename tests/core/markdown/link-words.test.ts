import * as fc from 'fast-check';
import { gate } from '../../../src/core/gate/gate';
import { linkTo, readReference } from '../../../src/core/links/references';
import { linksIn } from '../../support/links-in';
import { linkWords } from '../../../src/core/markdown/link-words';
import { linkTargets } from '../../support/link-targets';

const HOSTILE = [
  '<!--',
  '-->',
  '--!>',
  '%%',
  ']]',
  '[[',
  '|',
  '<%',
  '%>',
  '`',
  '<script',
  '</b>',
  '\\',
  '\n',
  '\t',
  '](',
  '$',
  '#',
  '%',
];
const title = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.constantFrom('a', ' ', '  ', 'é', 'b c')), { maxLength: 8 })
  .map((parts) => parts.join(''));

it('makes any text into the words of one link that leads where it should, and stays as it is', () => {
  fc.assert(
    fc.property(title, title, (one, other) => {
      const notes = [
        { path: 'wiki/a/facts/one.md', title: one },
        { path: 'wiki/a/facts/other.md', title: other },
      ];
      const gated = (body: string) =>
        gate({
          body,
          from: { path: null, wing: null, hall: null },
          targets: linkTargets(notes),
          mode: 'full',
          activeContent: true,
        }).body;
      const once = gated('See [[wiki/a/facts/one]], then [](other.md) and [[one]].');
      expect(linksIn(once).map(({ target }) => target)).toEqual([
        'wiki/a/facts/one',
        'wiki/a/facts/other',
        'wiki/a/facts/one',
      ]);
      expect(gated(once)).toBe(once);
      expect(once).not.toMatch(/<!--|-->|%%|<%|`|<script|\]\]\]/);
      expect(linkWords(linkWords(one))).toBe(linkWords(one));
      const reference = readReference(linkTo('wiki/a/facts/one.md', one) ?? '');
      expect(reference).toMatchObject({ kind: 'link', target: 'wiki/a/facts/one' });
    }),
    { numRuns: 1000 },
  );
});

it.each([
  ['[[a  b]]', '[[knowledge/n|a  b]]'],
  ['[[ A\u00a0 b ]]', '[[knowledge/n|A\u00a0 b]]'],
  ['[](a%20%20b)', '[[knowledge/n|a  b]]'],
  ['[a  b](knowledge/n.md)', '[[knowledge/n|a  b]]'],
  ['[[knowledge/n]]', '[[knowledge/n|a b]]'],
])('keeps the words of %j', (body, expected) => {
  const targets = linkTargets([{ path: 'knowledge/n.md', title: 'a b' }]);
  const from = { path: null, wing: null, hall: null };
  expect(gate({ body, from, targets, mode: 'full', activeContent: true }).body).toBe(expected);
});
