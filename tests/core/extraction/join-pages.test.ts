import fc from 'fast-check';
import { finish, type Steps } from '../../../src/core/base/steps';
import * as blocks from '../../../src/core/extraction/chunks';
import * as joining from '../../../src/core/extraction/model-page';
import { type DraftPage, PAGE_LIMITS } from '../../../src/core/extraction/model-page';

const { firstBlocks } = blocks;
const blocksOf = (text: string) => finish(blocks.blocksOf(text));
const closedFence = (text: string) => finish(blocks.closedFence(text));
const joinPages = (drafts: readonly DraftPage[]) => finish(joining.joinPages(drafts));
const joinBodies = (first: string, second: string) => finish(joining.joinBodies(first, second));

/** How many steps some work has. */
function stepsOf(work: Steps<unknown>): number {
  let count = 1;
  while (work.next().done !== true) count += 1;
  return count;
}

const draft = (title: string, more: Partial<DraftPage> = {}): DraftPage => ({
  title,
  wing: undefined,
  hall: 'facts',
  summary: '',
  body: `About ${title}.`,
  tags: [],
  links: [],
  halfLife: '',
  applies: '',
  at: null,
  ...more,
});

describe('pages of several parts', () => {
  it('are joined when they would have the same name', () => {
    const joined = joinPages([
      draft('WireGuard MTU', {
        body: 'It is 1380.',
        tags: ['vpn'],
        links: ['DNS'],
        at: 900,
        hall: 'decisions',
      }),
      draft('DNS'),
      draft('wireguard: mtu', {
        body: 'It is 1380.\n\nPPPoE takes 20.',
        wing: 'homelab',
        summary: 'Why 1380.',
        tags: ['VPN', 'mtu'],
        links: ['PPPoE'],
        halfLife: 'durable',
        applies: 'homelab',
        at: 40,
      }),
    ]);
    expect(joined).toEqual([
      {
        title: 'WireGuard MTU',
        wing: 'homelab',
        hall: 'decisions',
        summary: 'Why 1380.',
        body: 'It is 1380.\n\nPPPoE takes 20.',
        tags: ['vpn', 'mtu'],
        links: ['DNS', 'PPPoE'],
        halfLife: 'durable',
        applies: 'homelab',
        at: 40,
      },
      draft('DNS'),
    ]);
  });

  it('are not joined beyond two pages of full length; the rest begins another', () => {
    const long = (letter: string) => `${letter.repeat(7_000)}.`;
    const joined = joinPages(['a', 'b', 'c', 'd', 'e'].map((letter) => draft('Log', { body: long(letter) })));
    expect(joined.map(({ title, body }) => [title, body.length])).toEqual([
      ['Log', 14_004],
      ['Log (2)', 14_004],
      ['Log (3)', 7_001],
    ]);
  });

  it('are joined in small steps, so that nobody waits for hundreds of long ones', () => {
    const body = '- a\n'.repeat(PAGE_LIMITS.body / 4);
    const steps = stepsOf(joining.joinPages(Array.from({ length: 20 }, () => draft('T', { body }))));
    // A step reads 25 blocks at most, and each of the 20 bodies has 2,000.
    expect(steps).toBeGreaterThan((20 * 2000) / 25);
  });

  it('with titles of signs alone are joined only when the signs are the same', () => {
    expect(joinPages([draft('???'), draft('!!!'), draft('???')])).toHaveLength(2);
  });

  it('keep every tag and link limit', () => {
    const many = (from: number) => Array.from({ length: 9 }, (_, index) => `t${from + index}`);
    const [page] = joinPages([
      draft('A', { tags: many(0), links: many(0) }),
      draft('A', { tags: many(20), links: many(20) }),
    ]);
    expect(page?.tags).toHaveLength(6);
    expect(page?.links).toHaveLength(10);
  });

  it.each([
    [
      'a paragraph in other line breaks',
      'One two\nthree.',
      'One two three.\n\nFour.',
      'One two\nthree.\n\nFour.',
    ],
    ['a heading with all that stands below it', '## H\n\nOne.', '## H\n\nOne.', '## H\n\nOne.'],
    [
      'not a heading with something new below it',
      '## H\n\nOne.',
      '## H\n\nOne.\n\nTwo.',
      '## H\n\nOne.\n\n## H\n\nTwo.',
    ],
    ['not a new heading at the end', 'One.', 'One.\n\n## New', 'One.\n\n## New'],
    ['a block of code as one', '```\na\n\nb\n```', '```\na\n\nb\n```\n\nc', '```\na\n\nb\n```\n\nc'],
    ['no part of a block of code', 'a', '```\na\n\nb\n```', 'a\n\n```\na\n\nb\n```'],
    [
      'nothing after code that was left open',
      '```\nrm -rf',
      'Safe words.',
      '```\nrm -rf\n```\n\nSafe words.',
    ],
  ])('leave out %s that was said', (_, first, second, joined) => {
    expect(joinBodies(first, second)).toBe(joined);
  });

  const block = fc.constantFrom(
    'One.',
    'Two\nlines.',
    '## Head',
    '- item\n- item',
    '> quote',
    'Drei.',
    '# H1',
  );
  const bodies = fc.array(block, { maxLength: 6 }).map((blocks) => blocks.join('\n\n'));

  it('lose no paragraph and gain none', () => {
    fc.assert(
      fc.property(bodies, bodies, (first, second) => {
        const joined = joinBodies(first, second);
        const prose = (text: string) => blocksOf(text).filter((each) => !each.startsWith('#'));
        expect(joined.startsWith(first)).toBe(true);
        expect(new Set(prose(joined))).toEqual(new Set([...prose(first), ...prose(second)]));
        const headings = (text: string) => blocksOf(text).filter((each) => each.startsWith('#'));
        expect(new Set(headings(joined))).toEqual(new Set([...headings(first), ...headings(second)]));
      }),
      { numRuns: 1000 },
    );
  });

  it('stay as they are when joined with nothing new', () => {
    fc.assert(
      fc.property(bodies, (body) => expect(joinBodies(body, body).trimEnd()).toBe(body)),
      { numRuns: 500 },
    );
  });
});

describe('a block of code left open', () => {
  it.each([
    ['```js\nx', '```js\nx\n```'],
    ['~~~~\nx\n~~~', '~~~~\nx\n~~~\n~~~~'],
    ['```\nx\n```', '```\nx\n```'],
    ['```\nx\n`````', '```\nx\n`````'],
    ['- ```\n  x', '- ```\n  x'],
    ['> ```\n> x', '> ```\n> x'],
    ['    indented', '    indented'],
    ['plain', 'plain'],
  ])('%j is closed: %j', (text, closed) => {
    expect(closedFence(text)).toBe(closed);
  });
});

it('a text that is too long is cut where a block ends', () => {
  const text = 'First paragraph of some length.\n\nSecond paragraph of some length.\n';
  expect(firstBlocks(text, 50)).toBe('First paragraph of some length.');
  expect(firstBlocks(text, 500)).toBe(text);
});
