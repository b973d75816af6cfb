import * as fc from 'fast-check';
import { bytesOf, readBlock } from '../../../src/core/frontmatter/block';
import { type BlockLines, dangerIn, parseEntries } from '../../../src/core/frontmatter/split';

function linesOf(block: string): BlockLines {
  const lines = parseEntries(block);
  if ('reason' in lines) throw new Error(`line ${lines.line}: ${lines.reason}`);
  return lines;
}

describe('parseEntries', () => {
  it.each<[name: string, block: string, entries: Record<string, string>]>([
    ['plain keys', 'a: 1\nb: 2\n', { a: 'a: 1\n', b: 'b: 2\n' }],
    ['CRLF', 'a: 1\r\nb: 2\r\n', { a: 'a: 1\r\n', b: 'b: 2\r\n' }],
    ['a list at column 0', 'a:\n- 1\n- 2\nb: 2\n', { a: 'a:\n- 1\n- 2\n', b: 'b: 2\n' }],
    ['a bare dash', 'a:\n-\n  x\nb: 2\n', { a: 'a:\n-\n  x\n', b: 'b: 2\n' }],
    ['an indented list', 'a:\n  - 1\nb: 2\n', { a: 'a:\n  - 1\n', b: 'b: 2\n' }],
    ['nested maps', 'a:\n  b:\n    c: 1\nd: 2\n', { a: 'a:\n  b:\n    c: 1\n', d: 'd: 2\n' }],
    [
      'a literal scalar',
      'a: |\n  x: 1\n\n  # no comment\nb: 2\n',
      { a: 'a: |\n  x: 1\n\n  # no comment\n', b: 'b: 2\n' },
    ],
    ['a folded scalar', 'a: >-\n  x\n  y\nb: 2\n', { a: 'a: >-\n  x\n  y\n', b: 'b: 2\n' }],
    ['blank lines that a scalar keeps', 'a: |+\n  x\n\n\nb: 2\n', { a: 'a: |+\n  x\n\n\n', b: 'b: 2\n' }],
    ['a scalar of blank lines only', 'a: |2+ # c\n\n\nb: 2\n', { a: 'a: |2+ # c\n\n\n', b: 'b: 2\n' }],
    ['a flow list over lines', 'a: [\n  1,\n  2\n]\nb: 2\n', { a: 'a: [\n  1,\n  2\n]\n', b: 'b: 2\n' }],
    ['a flow map over lines', 'a: {\n  x: 1\n}\nb: 2\n', { a: 'a: {\n  x: 1\n}\n', b: 'b: 2\n' }],
    [
      'a comment at column 0 inside a value',
      'a:\n  - 1\n# c\n  - 2\nb: 2\n',
      { a: 'a:\n  - 1\n# c\n  - 2\n', b: 'b: 2\n' },
    ],
    ['a plain scalar over lines', 'a: one\n  two\nb: 2\n', { a: 'a: one\n  two\n', b: 'b: 2\n' }],
    ['a tab in a continuation', 'a: one\n\ttwo\nb: 2\n', { a: 'a: one\n\ttwo\n', b: 'b: 2\n' }],
    ['a quoted scalar over lines', 'a: "one\n  two"\nb: 2\n', { a: 'a: "one\n  two"\n', b: 'b: 2\n' }],
    ['double quotes around a key', '"a b": 1\n', { 'a b': '"a b": 1\n' }],
    ['single quotes around a key', "'it''s': 1\n", { "it's": "'it''s': 1\n" }],
    ['a colon in a quoted key', '"a: b": 1\n', { 'a: b': '"a: b": 1\n' }],
    ['spaces before the colon', 'a  : 1\n"b" : 2\n', { a: 'a  : 1\n', b: '"b" : 2\n' }],
    ['spaces in a key', 'my key: 1\n', { 'my key': 'my key: 1\n' }],
    ['a tab after the colon', 'a:\t1\n', { a: 'a:\t1\n' }],
    ['quotes inside a key', `it's: 1\nsay "x": 2\n`, { "it's": "it's: 1\n", 'say "x"': 'say "x": 2\n' }],
    [
      'Unicode keys',
      '东京: 1\nключ: 2\nclé: 3\n😀: 4\n',
      { 东京: '东京: 1\n', ключ: 'ключ: 2\n', clé: 'clé: 3\n', '😀': '😀: 4\n' },
    ],
    ['colons inside a key', 'a:b: 1\n', { 'a:b': 'a:b: 1\n' }],
    [
      'keys that begin like a list or a question',
      '-a: 1\n?b: 2\n:c: 3\n',
      { '-a': '-a: 1\n', '?b': '?b: 2\n', ':c': ':c: 3\n' },
    ],
    [
      'keys that look like numbers, words and dates',
      '1: a\nyes: b\nnull: c\n2024-01-02: d\n~: e\n',
      { 1: '1: a\n', yes: 'yes: b\n', null: 'null: c\n', '2024-01-02': '2024-01-02: d\n', '~': '~: e\n' },
    ],
    ['no value', 'a:\nb: \n', { a: 'a:\n', b: 'b: \n' }],
    ['anchors and aliases in values', 'a: &x 1\nb: *x\n', { a: 'a: &x 1\n', b: 'b: *x\n' }],
    ['brackets inside a key', 'a[0]{x}: 1\n', { 'a[0]{x}': 'a[0]{x}: 1\n' }],
    ['a hash inside a key', 'a#b: 1\n', { 'a#b': 'a#b: 1\n' }],
    ['no line feed at the end', 'a: 1', { a: 'a: 1' }],
  ])('keeps %s', (_name, block, entries) => {
    const lines = linesOf(block);
    expect(Object.fromEntries(lines.entries.map(({ key, text }) => [key, text]))).toEqual(entries);
    expect(lines.head + lines.entries.map(bytesOf).join('') + lines.tail).toBe(block);
  });

  it('lets comments travel with the key below, blank lines with the key above, and leaves the first ones first', () => {
    const { head, entries, tail } = linesOf('# first\n\na: 1\n\n# on b\nb: 2\n# last\n\n');
    expect(head).toBe('# first\n\n');
    expect(entries).toMatchObject([
      { key: 'a', before: '', text: 'a: 1\n', after: '\n', line: 3 },
      { key: 'b', before: '# on b\n', text: 'b: 2\n', after: '', line: 6 },
    ]);
    expect(tail).toBe('# last\n\n');
  });

  it.each([
    ['', '', ''],
    ['# only\n\n', '# only\n\n', ''],
    ['  # indented\n', '  # indented\n', ''],
    ['...\n', '', '...\n'],
    ['# c\n...\n# d\n\n', '# c\n', '...\n# d\n\n'],
  ])('takes a block without keys: %j', (block, head, tail) => {
    expect(linesOf(block)).toEqual({ head, entries: [], tail });
  });

  it('keeps an end mark last', () => {
    expect(linesOf('a: 1\n\n# c\n...\n\n').tail).toBe('# c\n...\n\n');
  });

  it.each<[name: string, block: string, line: number]>([
    ['text', 'a: 1\nhello\n', 2],
    ['a colon without a space', 'a:1\n', 1],
    ['a complex key', '? a\n: b\n', 1],
    ['a lone question mark', '?\n', 1],
    ['an empty key', ': b\n', 1],
    ['an anchored key', '&x a: 1\n', 1],
    ['an alias as key', 'a: &x y\n*x : 1\n', 2],
    ['a tagged key', '!!str a: 1\n', 1],
    ['an escape in a key', '"w\\u0069ng": x\n', 1],
    ['a quoted key over lines', '"wi\n  ng": x\n', 1],
    ['a flow map as the block', '{wing: x}\n', 1],
    ['a flow list as the block', '[a, b]\n', 1],
    ['a list as the block', '- a\n', 1],
    ['an indented block', '  a: 1\n', 1],
    ['a directive', '%YAML 1.2\n', 1],
    ['a reserved sign', '@a: 1\n', 1],
    ['a comment inside a key', 'a #b: 1\n', 1],
    ['a document marker', 'a: 1\n--- b: 2\n', 2],
    ['a key after the end mark', 'a: 1\n...\nb: 2\n', 3],
    ['an item after the end mark', 'a:\n...\n- b\n', 3],
    ['a key indented with a tab', 'a:\n\twing: x\n', 2],
    ['no break space before a key', '\u00A0a\n', 1],
    ['a block scalar as the block', '|\n  a: 1\n', 1],
  ])('refuses %s', (_name, block, line) => {
    expect(parseEntries(block)).toMatchObject({ line, reason: expect.any(String) });
  });

  it('loses no byte of any block that it takes', () => {
    const piece = fc.constantFrom(
      'a: 1',
      'b:',
      'c: |+',
      '- x',
      '  - y',
      '  z: 1',
      '# c',
      '  # d',
      '',
      ' ',
      ']',
      '}',
      '...',
      "'q': 1",
      'a: [',
    );
    const block = fc
      .array(fc.tuple(piece, fc.constantFrom('\n', '\r\n')), { maxLength: 14 })
      .map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(block, (text) => {
        const lines = parseEntries(text);
        if ('reason' in lines) return;
        expect(lines.head + lines.entries.map(bytesOf).join('') + lines.tail).toBe(text);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('dangerIn', () => {
  it.each<[name: string, block: string, line: number]>([
    ['a block over 64 KiB', `a: ${'x'.repeat(65536)}\n`, 1],
    ['NUL', 'a: 1\nb: \0\n', 2],
    ['a bare carriage return', 'a: 1\rb: 2\n', 1],
    ['201 blank lines', `a: 1\n${'\n'.repeat(201)}b: 2\n`, 202],
    ['201 blank lines in CRLF', `a: 1\r\n${'\r\n'.repeat(201)}b: 2\r\n`, 202],
    ['201 line separators', `a: ${'\u2028'.repeat(203)}\n`, 1],
    ['few blank lines that are very long', `a: 1\n${`${' '.repeat(300)}\n`.repeat(190)}b: 2\n`, 59],
    ['65 brackets', `a: ${'['.repeat(65)}${']'.repeat(65)}\n`, 1],
    ['65 brackets over lines', `a: [\n${'  {x: [\n'.repeat(40)}`, 33],
    ['65 dashes', `a:\n  ${'- '.repeat(65)}x\n`, 2],
  ])('finds %s', (_name, block, line) => {
    expect(dangerIn(block)).toEqual({ line, reason: expect.any(String) });
    expect(readBlock(block)).toEqual({ line, reason: expect.any(String) });
  });

  it.each([
    ['200 blank lines', `a: 1\n${'\n'.repeat(200)}b: 2\n`],
    ['64 brackets', `a: ${'['.repeat(64)}${']'.repeat(64)}\n`],
    ['many brackets side by side', `a: [${'[x], '.repeat(200)}]\n`],
    ['brackets that stay open in many plain lines', 'a: :[\n'.repeat(100)],
    ['a long block', `a: ${'x'.repeat(65000)}\n`],
  ])('lets %s pass', (_name, block) => {
    expect(dangerIn(block)).toBeNull();
  });
});
