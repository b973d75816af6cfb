import { markdownFacts } from '../../../src/core/markdown/facts';
import { gated } from '../../support/gate-world';
import { stillActive } from '../../support/still-active';

const SIZE = 100_000;
const filled = (part: string) => part.repeat(Math.ceil(SIZE / part.length));

/** Each of these makes some Markdown parser quadratic, or overflows its stack. */
const HOSTILE: readonly (readonly [name: string, body: string])[] = [
  ...[
    '[',
    ']',
    '![',
    '[[',
    ']]',
    '(',
    '[a](b',
    '[a](<b',
    '[a](b "',
    '[a](b (',
    '[a][',
    '[a]: b\n',
    '\n[a',
  ].map(filled),
  ...['>', '> ', '- ', '1. ', '#', '# a\n', 'a\n=\n', 'a|b\n', '|', '\n', ' ', '\t', '\r', 'a\n'].map(filled),
  ...['*', '*a ', '_a', '*]', '~~', '`', '` `` ``` ', '```\n', '~~~\n', '\\', '\\['].map(filled),
  ...[
    '<',
    '<a ',
    '<a b="',
    '<a b=\'<a b="',
    '<a<',
    '<a:',
    '<!--',
    '<?',
    '<!A',
    '<![CDATA[',
    '<div\n',
    '<script>',
    '<code>$= ',
  ].map(filled),
  ...[
    '$',
    '$a ',
    '$$',
    '%%',
    '%% [[x]] ',
    '<%',
    '<% x %>',
    '&#',
    '\u200b',
    'a\u200b',
    '`$= x`',
    'obsidian://',
    '[[a`]]',
    '[[a [b',
    '[[a [b]',
    '[[a ]b ',
    '[[a|[b]]] ',
    '[[a [b]](c) ',
    '[[a\\]]',
    '![[a]][r]',
  ].map(filled),
  ...[
    '[a](b) ',
    '![](http://x) ',
    '[[a|b]] ',
    'http://a.b ',
    '[![a](http://x)](http://y) ',
    '<svg onload=x>',
  ].map(filled),
  `${'[a](b'.repeat(20_000)}${' '.repeat(100_000)}`,
  `${'['.repeat(50_000)}x${'](javascript:1)'.repeat(10_000)}`,
  `[[${'a]b[c'.repeat(20_000)}`,
  `[[${'\\[[a'.repeat(25_000)}[[ ]]`,
  `<div>\n${'\\[[a'.repeat(25_000)}[[ ]]`,
  `<div>\n${'\\[[a'.repeat(25_000)}]]`,
  `[[a#${'\\'.repeat(50_000)}b${' '.repeat(50_000)}[c]]]`,
  `${'[[a '.repeat(25_000)}${']]'.repeat(25_000)}`,
  `| [[${'a]b[c'.repeat(20_000)} |\n|---|`,
  `x\na|b\n${' '.repeat(SIZE)}x`,
  `> a|b\n> -|-\n${'> c|d\n'.repeat(30_000)}`,
  `a|b\n-|-\n${'c|d\n'.repeat(50_000)}`,
  `${'- '.repeat(50_000)}${'\n'.repeat(100_000)}`,
  Array.from({ length: 300 }, (_, depth) => `${' '.repeat(2 * depth)}- a\n`).join('') + '\n'.repeat(100_000),
  `<a ${'b=c '.repeat(50_000)}>`,
  `[a]: b "\n${'x\n'.repeat(50_000)}`,
  `[a]: http://x\n\n${'[a]'.repeat(50_000)}`,
  `<!--${'\n'.repeat(SIZE)}x \`\`\``,
  `<div>\n\`\`\`${'\n>'.repeat(SIZE / 2)}x\`\`\`${'\n1.'.repeat(SIZE / 3)}x`,
  `<a style="url(${' '.repeat(SIZE)}#">`,
  `[a](&#${'0'.repeat(SIZE)}1;) [a](${'%25'.repeat(50_000)})`,
  Array.from({ length: 600 }, (_, length) => `${'`'.repeat(length)} `).join(''),
].map((body) => [JSON.stringify(body.slice(0, 24)), body] as const);

describe('input made to be slow or deep', () => {
  it.each(HOSTILE)('%s is read to its end', (_name, body) => {
    const facts = markdownFacts(body);
    expect(facts.plain.length).toBeLessThanOrEqual(2 * body.length);
    expect(gated(body, { current: body }).refs.length).toBeLessThanOrEqual(200);
  });

  it('turns everything into plain text where constructs hide in constructs without end', () => {
    let body = 'ipt>';
    for (let depth = 0; depth < 40; depth += 1) body = `<scr[](javascript:${depth})${body}`;
    const deep = `${'<scr[](javascript:1)'.repeat(1)}${'<scr'.repeat(40)}${'[](javascript:1)ipt>'.repeat(40)}`;
    for (const text of [body, deep]) {
      const result = gated(text);
      expect(stillActive(result.body)).toEqual([]);
      expect(gated(result.body).body).toBe(result.body);
    }
  });
});
