/** A text that makes readers of Markdown work or remember much, and the note to which its links lead. */
export interface Entangled {
  readonly text: string;
  /** The text of the note `t` in the wiki, absent when nothing leads there. */
  readonly target?: string;
}

/** Fills a text of about `length` characters with numbered parts. */
function filled(length: number, part: (n: number) => string): string {
  const parts: string[] = [];
  for (let n = 0, size = 0; size < length; n += 1) {
    const text = part(n);
    parts.push(text);
    size += text.length;
  }
  return parts.join('');
}

const x = (length: number): string => 'x'.repeat(length);
const halves = (length: number, target: (n: number) => string, text: (n: number) => string): Entangled => ({
  text: filled(length, text),
  target: filled(length, target),
});

/**
 * Texts of about the given length (UTF-16 units), each of many things of two kinds where a reader could look at all of one kind for
 * each of the other, or keep a copy of one for each of the other.
 */
export const ENTANGLED: Readonly<Record<string, (length: number) => Entangled>> = {
  'definitions that are uses': (length) => ({ text: '[a]:'.repeat(length / 4) }),
  'one long definition, many uses': (length) => ({
    text: `[a]: ${x(length / 2)}\n\n${'[a] '.repeat(length / 8)}`,
  }),
  'one long label, many uses': (length) => ({
    text: `[${x(900)}]: b\n\n${filled(length, () => `[${x(900)}] `)}`,
  }),
  'eight long definitions of one label': (length) => ({
    text: `${filled(length / 2, (n) => `[a]: ${n}${x(length / 16)}\n\n`)}${'[a]'.repeat(length / 6)}`,
  }),
  'many definitions, many uses': (length) => ({
    text: filled(length / 2, (n) => `[a${n}]: b${n}\n`) + filled(length / 2, (n) => `[b][a${n}] `),
  }),
  'long definitions, loose and unsafe': (length) => ({
    text: `[a]: javascript:${x(length / 2)}\n\n${'![a][a] '.repeat(length / 16)}`,
  }),
  'long web definition': (length) => ({
    text: `[a]: http://e.x/${x(length / 2)}\n\n${'![a] '.repeat(length / 10)}`,
  }),
  'block ids, links': (length) =>
    halves(
      length,
      (n) => `a ^b${n}\n\n`,
      (n) => `[[t#^b${n}]] `,
    ),
  'headings, links': (length) =>
    halves(
      length,
      (n) => `# h ${n}\n`,
      (n) => `[[t#h ${n}]] `,
    ),
  'equal headings, links': (length) =>
    halves(
      length,
      (n) => (n < 4900 ? `${'#'.repeat(1 + (n % 6))} h${n % 2}\n` : 'a\n'),
      (n) => `[[t#h${n % 2}#h${n % 3}#h1#${n}]] `,
    ),
  'links to one note': (length) =>
    halves(
      length,
      () => 'a ',
      (n) => `[[t|${n}]] [t](t.md) `,
    ),
  'links to nothing': (length) => ({ text: filled(length, (n) => `[[nope ${n}]] [n](no/${n}.md) `) }),
  'long link targets': (length) => ({
    text: filled(length, (n) => `[[${n}${x(900)}]] [a](${n}/${x(900)}) `),
  }),
  'tags, one section': (length) => ({ text: `$= ${'<code>'.repeat(length / 6)}` }),
  'tags, sections': (length) => ({ text: filled(length, () => `$= ${'<code>'.repeat(665)}\n\n`) }),
  'tags with events': (length) => ({ text: '<b onclick=x>'.repeat(length / 13) }),
  'unclosed tags': (length) => ({ text: '<a '.repeat(length / 3) }),
  'unclosed scripts': (length) => ({ text: '<script>'.repeat(length / 8) }),
  'inline scripts': (length) => ({ text: '`$= '.repeat(length / 4) }),
  'fences in one section': (length) => ({ text: `<div>\n${'```dataviewjs\n'.repeat(length / 14)}` }),
  'fences of scripts': (length) => ({ text: '```\n$= x\n```\n'.repeat(length / 13) }),
  'template marks': (length) => ({ text: '<% '.repeat(length / 3) }),
  comments: (length) => ({ text: '<!-- a --> %% b %% '.repeat(length / 19) }),
  'invisible characters': (length) => ({ text: 'a\u200b '.repeat(length / 3) }),
  footnotes: (length) => ({
    text: filled(length / 2, (n) => `a[^${n}] `) + filled(length / 2, (n) => `\n\n[^${n}]: note`),
  }),
  'nested quotes': (length) => ({ text: filled(length, (n) => `${'> '.repeat(1 + (n % 60))}a\n`) }),
  'nested lists': (length) => ({ text: filled(length, (n) => `${'  '.repeat(n % 30)}- a\n`) }),
  table: (length) => ({ text: `| a | b |\n|---|---|\n${'| [[t\\|a]] | <b> |\n'.repeat(length / 18)}` }),
  'wide table': (length) => ({
    text: `${'|a'.repeat(length / 6)}|\n${'|-'.repeat(length / 6)}|\n${'|b'.repeat(length / 6)}|\n`,
  }),
  'raw table': (length) => ({
    text: `<table>\n${'<tr><td>a</td><td>b</td></tr>\n'.repeat(length / 30)}</table>\n`,
  }),
  'a long line': (length) => ({ text: 'word '.repeat(length / 5) }),
  'a long word': (length) => ({ text: x(length) }),
  'open brackets': (length) => ({ text: '['.repeat(length) }),
  'open links': (length) => ({ text: '[a]('.repeat(length / 4) }),
  'links in links': (length) => ({ text: '[a['.repeat(length / 6) + '](b)]'.repeat(length / 10) }),
  'wikilinks unclosed': (length) => ({ text: '[[a|'.repeat(length / 4) }),
  'hidden addresses': (length) => ({ text: 'obsidian://a '.repeat(length / 13) }),
  autolinks: (length) => ({ text: '<file:a> '.repeat(length / 9) }),
  'code spans': (length) => ({ text: '`a` '.repeat(length / 4) }),
  math: (length) => ({ text: '$a$ $$ '.repeat(length / 7) }),
  headings: (length) => ({ text: filled(length, (n) => `# heading ${n}\n`) }),
  'inline tags': (length) => ({ text: filled(length, (n) => `#tag${n} `) }),
  emphasis: (length) => ({ text: '*a_b '.repeat(length / 5) }),
  'character references': (length) => ({ text: '&#97;'.repeat(length / 5) }),
  accents: (length) => ({ text: `a${'\u0301'.repeat(length - 1)}` }),
};
