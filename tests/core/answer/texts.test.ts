import fc from 'fast-check';
import { answerNotes } from '../../../src/core/answer/operation';
import { QueryCoverage } from '../../../src/core/answer/query-coverage';
import { retrieve } from '../../../src/core/search/retrieve';
import { openTestBrain } from '../../support/test-brain';
import { cleanMarks, keepTrueMarks } from '../../../src/core/answer/marks';
import { pieceSteps } from '../../../src/core/search/note-text';
import { finish, Pace } from '../../../src/core/base/steps';
import { markdownSteps } from '../../../src/core/markdown/parse';
import { hostileMarkdown } from '../../support/hostile-markdown';
import { cpuMs } from '../../support/cpu';

/** Passages 2 and 5 bear something out. */
const clean = (answer: string) => cleanMarks(answer, (n) => n === 2 || n === 5);

it.each([
  ['a valid mark', 'It is 1380 [2].', 'It is 1380 [2].'],
  ['a mark without a space', 'It is 1380[5].', 'It is 1380[5].'],
  ['several', 'It is [2][5], or [2, 5], or [5;9].', 'It is [2][5], or [2][5], or [5].'],
  ['the same twice', 'It is [2, 2].', 'It is [2].'],
  ['a range', 'A [2-3] B [1–5] C [4 - 6].', 'A [2] B [2][5] C [5].'],
  ['a range among others', 'A [1, 4-6] B [2; 2–3] C [2, 7-99].', 'A [5] B [2] C [2].'],
  ['a range that nothing bears out', 'A [3-4] B, scale [7–9].', 'A [3-4] B, scale [7–9].'],
  [
    'a range that is none of citations',
    '[0-9] and [5-2] and [2-99], [2026-11-20].',
    '[0-9] and [5-2] and [2-99], [2026-11-20].',
  ],
  ['a range in code', '`x[2-9]` [2-9]', '`x[2-9]` [2][5]'],
  ['brackets of other fashions', 'It is [[2]], [[2, 4-6]] and 【5†source】.', 'It is [2], [2][5] and [5].'],
  ['a mark that nothing bears out', 'It is 1380 [9].', 'It is 1380.'],
  ['several of them', 'It is 1380 [9][0] or so [1, 3].', 'It is 1380 or so.'],
  ['one in brackets', 'It is [[9]].', 'It is.'],
  ['one with an address', 'It is [2](http://evil.example/x).', 'It is [2].'],
  ['one with two addresses', 'It is [2](a)(http://evil.example).', 'It is [2].'],
  ['one with marks in its address', 'It is [2](a [9] [5] b) so.', 'It is [2] so.'],
  ['one with an address over two lines', 'It is [2](\nhttp://evil.example\n).', 'It is [2].'],
  ['one with an address that never ends', 'It is [2](http://evil', 'It is [2](http://evil'],
  [
    'one that a definition makes a link',
    'It is [2].\n\n[1]: http://evil.example\n[2]: <http://evil.example>',
    'It is [2].',
  ],
  ['one with a label', 'It is [2][x].\n\n[x]: http://evil.example', 'It is [2][x].'],
  [
    'an index in code',
    'Use `a[9]` or `b[2]` [2].\n\n```\nc[9] = d[2];\n```',
    'Use `a[9]` or `b[2]` [2].\n\n```\nc[9] = d[2];\n```',
  ],
  ['one that is left when another goes', 'It is [[9]1] and [1[9]].', 'It is and.'],
  ['an address that is left so', 'It is [2][[9]9](http://evil.example).', 'It is [2].'],
  ['a definition that is left so', '[9][2]: http://evil.example', ''],
  ['one that is escaped', 'It is \\[2\\].', 'It is \\[2\\].'],
  [
    'a wide mark with lines, and one around another',
    'A 【2†L1-L5】, b【9†L1-L5】 c 【1-[9]】.',
    'A [2], b c.',
  ],
  ['what is no number', 'A [link] and [x1] and [ 2 ].', 'A [link] and [x1] and [ 2 ].'],
])('brings into form: %s', (_, answer, expected) => {
  expect(clean(answer)).toBe(expected);
});

it('leaves no mark that is not borne out', () => {
  const piece = fc.constantFrom(...'[]12(),- :\n【】a\\'.split(''), '[1]', '[2]', '[[', ']]', '[9]', '(x)');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = cleanMarks(pieces.join(''), (n) => n === 2);
      for (const [, n = ''] of text.matchAll(/\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/g)) expect(n).toBe('2');
      for (const [, from, to] of text.matchAll(/\[(\d{1,4})\s*-\s*(\d{1,4})\]/g)) {
        // A range none of which is cited may be a figure of the text.
        if (Number(from) > 2 || Number(to) < 2) continue;
        expect(Number(from) < 1 || Number(to) < Number(from) || Number(to) - Number(from) >= 50).toBe(true);
      }
    }),
    { numRuns: 3_000 },
  );
});

it('leaves a text as it stands while all of its marks are borne out', () => {
  const keep = (text: string) => keepTrueMarks(text, (n) => n === 2 || n === 5);
  for (const text of ['It [2, 5], 【2024】 [0-9] `a[9]`. \n', 'It [2][5](x).']) expect(keep(text)).toBe(text);
  expect(keep('Two [2] \u2026 [5-7] [9]')).toBe('Two [2] \u2026 [5]');
});

it('makes of deeper nests no mark', () => {
  expect(clean(`${'['.repeat(40)}9]${'1]'.repeat(39)}`)).not.toMatch(/\[\d+\]/);
});

it('takes linear time on hostile text', () => {
  const timeOf = (length: number): number => {
    const started = cpuMs();
    for (const piece of ['[2](', '[2]', '[[', '【2', '[1,', '`[2]', '[[9]', '[1-', '[1 '])
      clean(piece.repeat(Math.floor(length / piece.length)));
    return cpuMs() - started;
  };
  timeOf(16_000);
  const large = Math.min(timeOf(64_000), timeOf(64_000));
  // Quadratic time would make it sixteen times as long.
  expect(large).toBeLessThan(10 * timeOf(16_000) + 200);
});

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

it.each(['homelab', 'homelabs'])(
  'takes any form of both halves of a word that it takes apart: %s',
  async (query) => {
    const files: Record<string, string> = {
      'a.md': 'My home lab runs in a rack.\n',
      'b.md': 'Several labs and homes are listed.\n',
    };
    for (let at = 0; at < 60; at += 1) files[`filler-${at}.md`] = `The garden has tree number ${at}.\n`;
    const { brain } = await openTestBrain(files);
    const { hits } = await retrieve(brain, { query: `${query} `, limit: 8 });
    const worth = finish(QueryCoverage.of(brain.catalog, query, hits));
    for (const text of Object.values(files).slice(0, 2)) expect(worth.share(worth.in(text))).toBeCloseTo(1);
    expect(worth.share(worth.in('My home is warm.'))).toBeLessThan(0.6);
  },
);

it('weighs the words of a question one by one', async () => {
  const { brain, run } = await openTestBrain({ 'a.md': 'My home lab runs in a rack.\n' });
  const { words } = brain.catalog;
  let [most, inStep] = [0, 0];
  // Each caller has a pace of its own.
  const { run: runs } = Pace.prototype;
  jest.spyOn(Pace.prototype, 'run').mockImplementation(function (this: Pace, work) {
    return runs.call(this, () => ((inStep = 0), work()));
  });
  const weigh = words.weigh.bind(words);
  jest.spyOn(words, 'weigh').mockImplementation((term) => {
    inStep += 1;
    most = Math.max(most, inStep);
    return weigh(term);
  });
  const query = Array.from(
    { length: 40 },
    (_, at) => `home rack homelab w${'abcdefghij'[at % 10]}ord${at}`,
  ).join(' ');
  await run(answerNotes, { query });
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(3);
});
