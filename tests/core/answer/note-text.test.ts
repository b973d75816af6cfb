import fc from 'fast-check';
import { pieceSteps } from '../../../src/core/answer/note-text';
import { markdownSteps } from '../../../src/core/markdown/parse';
import { finish } from '../../../src/core/base/steps';
import { hostileMarkdown } from '../../support/hostile-markdown';

const ranges = (body: string) => finish(pieceSteps(body));
const pieces = (body: string) => ranges(body).map(({ from, to }) => body.slice(from, to));

it.each<[string, string, string[]]>([
  ['paragraphs', '# T\n\none\ntwo\n\n\n  three  \n', ['# T', 'one\ntwo', 'three']],
  ['paragraphs with CRLF', 'one\r\n\r\ntwo\r\n', ['one', 'two']],
  ['a list and code', '- a\n- b\n\n```sh\nls\n```\n', ['- a\n- b', '```sh\nls\n```']],
  [
    'no comments',
    'seen %%hidden%% seen\n\n<!-- hidden\n\nhidden -->\n\n%%\nhidden\n%%\n\nend',
    ['seen', 'seen', 'end'],
  ],
  ['no comment that never ends', 'seen\n\n<!-- hidden\n\nhidden', ['seen']],
  ['what stands behind a comment', '<!-- hidden --> seen\n\n<!-- hidden\nhidden --> seen', ['seen', 'seen']],
  [
    'no styles, scripts and templates',
    '<style>\np {}\n\nq {}\n</style>\n\nseen\n\n<div>seen <script>no()</script></div>\n\n<template>\nno\n</template>',
    ['seen', '<div>seen', '</div>'],
  ],
  [
    'elements that are shown',
    '<details>\n<summary>seen</summary>\n</details>',
    ['<details>\n<summary>seen</summary>\n</details>'],
  ],
  [
    'comments in code, which are seen',
    '```\n<!-- seen -->\n%% seen %%\n```',
    ['```\n<!-- seen -->\n%% seen %%\n```'],
  ],
  ['math', 'so $$e = mc^2$$ it is', ['so $$e = mc^2$$ it is']],
  ['nothing of nothing', ' \n\n', []],
])('shows %s', (_, body, shown) => {
  expect(pieces(body)).toEqual(shown);
});

it('cuts a long paragraph behind a line, a sentence, or a word', () => {
  const lengths = (body: string) => pieces(body).map((piece) => piece.length);
  expect(pieces(`${'x'.repeat(400)}\n${'y'.repeat(400)}`).map((piece) => piece.trim())).toEqual([
    'x'.repeat(400),
    'y'.repeat(400),
  ]);
  expect(pieces('A sentence of some words. '.repeat(40))[0]).toMatch(/words\.$/);
  expect(Math.max(...lengths('word '.repeat(500)))).toBeLessThanOrEqual(600);
  expect(Math.max(...lengths('𝔘'.repeat(900)))).toBeLessThanOrEqual(600);
  expect(pieces('𝔘'.repeat(900)).join('')).toBe('𝔘'.repeat(900));
});

it('gives pieces in order, apart, and never longer than it may', () => {
  fc.assert(
    fc.property(fc.oneof(hostileMarkdown, fc.string({ maxLength: 2_000 })), (body) => {
      let end = 0;
      for (const { from, to } of ranges(body)) {
        expect(from).toBeGreaterThanOrEqual(end);
        expect(to - from).toBeGreaterThan(0);
        expect(to - from).toBeLessThanOrEqual(600);
        end = to;
      }
      expect(end).toBeLessThanOrEqual(body.length);
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ['one paragraph', 'word '.repeat(100_000), 100],
  ['paragraphs of two pieces', `${'word '.repeat(160)}\n\n`.repeat(640), 100],
  ['comments', '%%a%% b\n'.repeat(20_000), 200],
  ['blank lines', 'a\n\n'.repeat(20_000), 250],
])('finds the pieces of %s a little at a time', (_, body, most) => {
  const steps = (make: Iterator<unknown>) => {
    let count = 1;
    while (make.next().done !== true) count += 1;
    return count;
  };
  expect(steps(pieceSteps(body)) - steps(markdownSteps(body))).toBeGreaterThan(most);
});
