import { gate } from '../../src/core/gate/gate';
import { markdownFacts } from '../../src/core/markdown/facts';
import { vaultPath } from '../../src/core/vocabulary/paths';
import { linkTargets } from './link-targets';

/** What the search finds and an excerpt shows of Markdown that a door has taken. */
export function shownText(markdown: string): string {
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
export const ODD_TEXTS: readonly string[] = [
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
  'R&#1. &#65 &amp, &\\#65;',
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

/** The pieces of those texts, with what may stand between them; composed texts are made of them. */
export const ODD_TOKENS: readonly string[] = ODD_TEXTS.flatMap((text) => text.split(/(\s)/)).concat([
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

/** Returns the words of a text, without the marks of lists. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/^\s*(?:[-*+]|\d+[.)])(?=\s|$)/gm, ' ')
    .replace(/^\s*\[[ xX]\](?=\s)/gm, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Returns the words that Markdown does not show as they are written. */
export function lost(words: readonly string[], markdown: string): string[] {
  const text = shownText(markdown);
  return words.filter((word) => !text.includes(word));
}
