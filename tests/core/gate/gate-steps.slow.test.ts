import fc from 'fast-check';
import type { Steps } from '../../../src/core/base/steps';
import { contentKeySteps } from '../../../src/core/catalog/content-key';
import { noteSteps } from '../../../src/core/catalog/record';
import { gateSteps } from '../../../src/core/gate/gate';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { countSteps } from '../../support/count-steps';
import { from, targets } from '../../support/gate-world';

const path = vaultPath('wiki/net/facts/hostile.md');
/** What is done with a text on its way into the vault, each in steps. */
const WORK: Readonly<Record<string, (body: string) => Steps<unknown>>> = {
  gate: (body) => gateSteps({ body, from, targets, mode: 'full', activeContent: true }),
  'gate of an update': (body) =>
    gateSteps({ body, current: `${body}x`, from, targets, mode: 'full', activeContent: true }),
  note: (body) => noteSteps(path, 'wiki', body),
  'key of the content': (body) => contentKeySteps(body),
};

const LENGTH = 1 << 18;
/** A step reads no more of a text than this on the average, in UTF-16 units. */
const MOST_PER_STEP = 1 << 15;
const filled = (mix: string, length: number) => mix.repeat(Math.ceil(length / mix.length)).slice(0, length);

const PATTERNS = ['``` run-js\n```\n', '](', '<a', '|-|\n', '[a]: b "\n', '[[x]] ', '```\n'];

it.each(Object.keys(WORK))('%s takes more steps for a longer text, whatever it repeats', (name) => {
  const work = WORK[name];
  for (const mix of PATTERNS) {
    const steps = countSteps(work?.(filled(mix, LENGTH)) ?? finishedAtOnce());
    const least = LENGTH / MOST_PER_STEP;
    expect({ mix, steps, isEnough: steps >= least }).toEqual({ mix, steps, isEnough: true });
  }
});

function* finishedAtOnce(): Steps<void> {}

const TOKENS = [
  ...PATTERNS,
  ...[
    '[',
    '![',
    '<',
    '<!--',
    '-->',
    '$',
    '$$\n',
    '%%',
    '*',
    '_',
    '`',
    '> ',
    '- ',
    '\t',
    '|',
    '&',
    '\\\\',
    '[[',
  ],
  ...['](<', '[^1]', '==', '#a ', '<div x="', '\n', '\n\n', 'a', 'é', '\u0301', '\u200b', '(', ')', ']', '"'],
  ...['# ', '~~~', '    ', '<% ', 'obsidian://', '<script>', '$=', '[a][b]', '{', ' '],
];

it('takes about twice as many steps for twice the text, for any mix', () => {
  const mixes = fc.array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(mixes, fc.constantFrom(...Object.values(WORK)), (drawn, work) => {
      const mix = drawn.join('');
      const [once, twice] = [1, 2].map((times) => countSteps(work(filled(mix, times * 16_384))));
      // Sorting grows by a logarithm more, and few steps by chance.
      expect(twice).toBeLessThan(3 * (once ?? 0) + 16);
    }),
    { numRuns: 25 },
  );
});
