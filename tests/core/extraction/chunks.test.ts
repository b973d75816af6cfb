import fc from 'fast-check';
import { finish, type Steps } from '../../../src/core/base/steps';
import * as blocks from '../../../src/core/extraction/chunks';
import { CHUNK_LIMITS, type ChunkLimits, chunkText } from '../../../src/core/extraction/chunks';
import * as joining from '../../../src/core/extraction/model-page';
import { type DraftPage, PAGE_LIMITS } from '../../../src/core/extraction/model-page';
import { cpuMs } from '../../support/cpu';

const chunksOf = (text: string, limits?: ChunkLimits) =>
  finish(chunkText(text, limits)).map((chunk) => ({ ...chunk, text: text.slice(chunk.from, chunk.to) }));

const paragraph = (words: number, word = 'wort') => `${`${word} `.repeat(words).trim()}.`;

describe('a text for a model', () => {
  it('stays whole when it is short', () => {
    expect(chunksOf('# A\n\nShort.')).toEqual([{ from: 0, to: 11, fresh: 0, text: '# A\n\nShort.' }]);
  });

  it('is cut before the highest heading of the second half, not at the last one', () => {
    const text = `# Doc\n\n${paragraph(1500)}\n\n## Second\n\n${paragraph(300)}\n\n### Third\n\n${paragraph(2000)}\n`;
    const [first, second] = chunksOf(text);
    expect(first?.text.endsWith('.\n\n')).toBe(true);
    expect(text.slice(second?.fresh)).toMatch(/^## Second/);
  });

  it('is not cut at what only looks like a heading', () => {
    const code = `\`\`\`sh\n${'# step\nrun it\n'.repeat(900)}\`\`\`\n`;
    const text = `${paragraph(1400)}\n\n${paragraph(10)}\n\n${code}`;
    const [, second] = chunksOf(text);
    expect(text.slice(second?.fresh)).toMatch(/^```sh/);
  });

  it.each([
    ['between paragraphs', `${paragraph(1300)}\n\n${paragraph(2000)}`, /\.\n\n$/, /^wort/],
    ['before an item, with its mark', `- ${paragraph(1300)}\n- ${paragraph(2000)}`, /\.\n$/, /^- wort/],
    ['after a sentence', `${`${paragraph(20)} `.repeat(200)}`, /\. $/, /^wort/],
    ['after a sentence without spaces', '东京天气很好。'.repeat(3000), /。$/, /^东京/],
    ['after a word', 'wort '.repeat(5000), /wort $/, /^wort/],
  ])('else is cut %s', (_, text, before, after) => {
    const [first, second] = chunksOf(text);
    expect(first?.text).toMatch(before);
    expect(text.slice(second?.fresh)).toMatch(after);
  });

  it('repeats up to 400 characters before each cut, from the beginning of a word on', () => {
    const [, second] = chunksOf('wort '.repeat(5000));
    const repeated = (second?.fresh ?? 0) - (second?.from ?? 0);
    expect(repeated).toBeGreaterThan(390);
    expect(repeated).toBeLessThanOrEqual(400);
    expect(second?.text).toMatch(/^wort/);
  });

  it('is read to the twentieth chunk', () => {
    const chunks = chunksOf('x'.repeat(400_000));
    expect(chunks).toHaveLength(20);
    expect(chunks.at(-1)?.to).toBeLessThan(400_000);
  });

  it('is one step a chunk, none of them slow', () => {
    const steps = chunkText(`${'> '.repeat(100)}${'- a *b* `c` [[d]]\n'.repeat(20_000)}`);
    let slowest = 0;
    for (let done = false; !done;) {
      const began = cpuMs();
      done = steps.next().done === true;
      slowest = Math.max(slowest, cpuMs() - began);
    }
    expect(slowest).toBeLessThan(2_000);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      '\n\n',
      '\n',
      ' ',
      '. ',
      '# H\n',
      '\n## H\n',
      '```\n',
      '- a\n',
      '> q\n',
      '|a|b|\n|-|-|\n',
      '\r\n',
    ),
    fc.constantFrom('😀', '👩‍👩‍👧', '東京。', '\ud800', '\udc00', 'e\u0301'),
    fc.stringMatching(/^[a-z]{1,30}$/),
  );
  const texts = fc.array(piece, { maxLength: 400 }).map((pieces) => pieces.join(''));
  const limits = fc.record({
    max: fc.integer({ min: 20, max: 300 }),
    overlap: fc.integer({ min: 0, max: 8 }),
    count: fc.constant(10_000),
  });

  it('is all there, in order, and every chunk keeps the limit', () => {
    fc.assert(
      fc.property(texts, limits, (text, small) => {
        const chunks = chunksOf(text, small);
        expect(chunks.map(({ fresh, to }) => text.slice(fresh, to)).join('')).toBe(text);
        for (const { from, to, fresh } of chunks) {
          expect(to - from).toBeLessThanOrEqual(small.max);
          expect(fresh - from).toBeLessThanOrEqual(small.overlap);
          expect(fresh).toBeGreaterThanOrEqual(from);
          for (const at of [from, to, fresh]) expect(splitsPair(text, at)).toBe(false);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('is cut in the middle of no character under the real limits', () => {
    for (let lead = 0; lead < 3; lead += 1) {
      const text = 'a'.repeat(lead) + '😀'.repeat(20_000);
      for (const { from, to } of chunksOf(text, CHUNK_LIMITS)) {
        expect(splitsPair(text, from)).toBe(false);
        expect(splitsPair(text, to)).toBe(false);
      }
    }
  });
});

function splitsPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

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
