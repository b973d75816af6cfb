import * as fc from 'fast-check';
import { mailTextToMarkdown } from '../../../src/adapters/document-program/mail-text';
import { readText } from '../../../src/adapters/document-program/plain';
import { readTable } from '../../../src/adapters/document-program/table';
import { gate } from '../../../src/core/gate/gate';
import { markdownFacts } from '../../../src/core/markdown/facts';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { linkTargets } from '../../support/link-targets';

/** What the search finds and an excerpt shows of Markdown that a door has taken. */
function shown(markdown: string): string {
  const { body } = gate({
    body: markdown,
    from: { path: vaultPath('raw/a.md'), wing: null, hall: null },
    targets: linkTargets([]),
    mode: 'full',
    activeContent: true,
  });
  return markdownFacts(body).searchText;
}

/** Text that Markdown or Obsidian would change, hide or run. */
const TEXTS = [
  'if [[ -f /etc/x ]]; then x[["key"]] y[[0]]',
  'ssh <username>@<server>',
  '<!-- x -->',
  '%% x %%',
  'rm *.txt *.log',
  '__init__.py',
  '# this line',
  'Total\n====',
  'Total\n---',
  '--- a\n+++ b',
  'a ~~b~~ ==c== `d` 2*3*4 _e_',
  'x = a==b && c==d',
  'pay $5 or $6, $$x$$',
  'AT&amp;T &lt;b> &#65;',
  '*     C:\\temp\\_x',
  'https://e.org&#65; https://e.org?a&amp;',
  'C:\\temp\\_x \\\\server\\share \\*',
  'see [1] [^1] [a](b) ![[c]] ![d](https://e.org/f.png)',
  '[x]: https://e.org "title"',
  'a ^block-id',
  'x ^[note]',
  '#include <stdio.h> #tag C#',
  '```js\nalert(1)\n```',
  '~~~\nx\n~~~',
  '| a | b |\n| --- | --- |\n| 1 | 2 |',
  'a | b\n:-- | --:\n1 | 2',
  'https://e.org/a_b_c/__init__.py?x=$y&amp=1, www.e.org/_a_',
  '<script>alert(1)</script> <img src=x> </b> <?php ?> <% x %>',
  '    def f(x):\n        return x["[[a]]"] * 2',
  '> quoted\n>>> print(1)',
  '- [ ] open\n- [x] done\n[x] alone\n1. one\n2) two',
  '---\na: b\n---\nText',
  '> [!note] a callout',
  '{{x}} <%* x %> `= this.x`',
  '* * *\n_ _ _\n***',
  '\\begin{x} \\(y\\) \\[z\\]',
  ':smile: @a a@b.c <a@b.c>',
];

/** The words of a text, without the marks of lists. */
function wordsOf(text: string): string[] {
  return text
    .replace(/^\s*(?:[-*+]|\d+[.)])(?=\s|$)/gm, ' ')
    .replace(/^\s*\[[ xX]\](?=\s)/gm, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The words that are not shown as they are written. */
function lost(words: readonly string[], markdown: string): string[] {
  const text = shown(markdown);
  return words.filter((word) => !text.includes(word));
}

const TOKENS = TEXTS.flatMap((text) => text.split(/(\s)/)).concat([
  '\n',
  '\n\n',
  ' ',
  '  ',
  '    ',
  '\t',
  'é',
  'x',
  '"',
  '',
]);
const composed = fc.array(fc.constantFrom(...TOKENS), { maxLength: 24 }).map((all) => all.join(''));

describe('plain text', () => {
  it.each(TEXTS)('%j is shown as it is written', (text) =>
    expect(lost(wordsOf(text), readText(text).markdown)).toEqual([]),
  );
  it('of any kind is', () => {
    fc.assert(
      fc.property(composed, (text) => expect(lost(wordsOf(text), readText(text).markdown)).toEqual([])),
      { numRuns: 2000 },
    );
  });
});

describe('the value of a table', () => {
  const csv = (text: string) => `name,value\n"a","${text.replace(/"/g, '""')}"\n`;
  it.each(TEXTS)('%j is shown as it is written', (text) =>
    expect(lost(text.split(/\s+/).filter(Boolean), readTable(csv(text), 'a.csv').markdown)).toEqual([]),
  );
});

describe('the text of a mail', () => {
  const fixed = { flowed: false, delSp: false };
  /** The words that a mail shows: marks of quotations fold what is behind them. */
  const written = (text: string) => wordsOf(text.replace(/^(?:>(?!From ) ?)+/gm, ''));
  it.each(TEXTS)('%j is shown as it is written', (text) =>
    expect(lost(written(text), mailTextToMarkdown(text, fixed))).toEqual([]),
  );
  it('of any kind is, also quoted and with wrapped paragraphs', () => {
    fc.assert(
      fc.property(composed, fc.boolean(), fc.nat(3), (text, flowed, depth) => {
        const quoted = text.replace(/^/gm, '>'.repeat(depth) + (depth > 0 ? ' ' : ''));
        const markdown = mailTextToMarkdown(quoted, { flowed, delSp: false });
        expect(lost(written(flowed ? quoted.replace(/^(>*) /gm, '$1') : quoted), markdown)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
