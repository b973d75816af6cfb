import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { CHUNK_LIMITS, type ChunkLimits, chunkText } from '../../../src/core/extraction/chunks';

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
      const began = performance.now();
      done = steps.next().done === true;
      slowest = Math.max(slowest, performance.now() - began);
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
