import fc from 'fast-check';
import { getNote } from '../../../src/core/notes/get';
import { openTestBrain } from '../../support/test-brain';

const PATH = 'knowledge/long.md';

it('gives a body in pages as small as the caller wants, without losing or halving a character', async () => {
  const words = fc.array(fc.constantFrom('a', ' ', '\n', '\n\n', '\r\n', '\r\n\r\n', '橋', '😀', '👩‍🚀'), {
    minLength: 1,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(words, fc.integer({ min: 1, max: 12 }), async (parts, max_chars) => {
      const body = `x${parts.join('')}`;
      const { run } = await openTestBrain({ [PATH]: body });
      const pages: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const page: { body: string; truncated: boolean; next_offset?: number | undefined } = await run(
          getNote,
          {
            path: PATH,
            max_chars,
            offset,
          },
        );
        expect(page.truncated).toBe(page.next_offset !== undefined);
        expect(page.body).not.toBe('');
        // A character of two halves is not cut where only one would fit.
        expect(page.body.length).toBeLessThanOrEqual(Math.max(2, max_chars));
        expect(page.body).not.toMatch(/\p{Surrogate}/u);
        pages.push(page.body);
        offset = page.next_offset;
      }
      expect(pages.join('')).toBe(body);
    }),
    { numRuns: 200 },
  );
});

it('begins a page with a whole character where the place asked for is inside one', async () => {
  const { run } = await openTestBrain({ [PATH]: 'ab😀cd' });
  const page = async (offset: number) => (await run(getNote, { path: PATH, offset })).body;
  expect([await page(2), await page(3), await page(4)]).toEqual(['😀cd', '😀cd', 'cd']);
});

it.each(['\n', '\r\n'])('ends a page between paragraphs, whatever ends the lines: %j', async (eol) => {
  const paragraph = `${'word '.repeat(40).trim()}.${eol}${eol}`;
  const body = paragraph.repeat(300).slice(0, 60_000);
  const { run } = await openTestBrain({ [PATH]: body });
  const first = await run(getNote, { path: PATH });
  expect(first).toMatchObject({ truncated: true, next_offset: first.body.length });
  expect(first.body.length % paragraph.length).toBe(0);
  expect(first.body.length).toBeGreaterThan(39_000);
  const rest = await run(getNote, { path: PATH, offset: first.body.length });
  expect(first.body + rest.body).toBe(body);
});
