import * as fc from 'fast-check';
import { readLog, readText } from '../../../src/adapters/document-program/plain';
import { readAs } from '../../support/read-document';

const code = (text: string) => `\`\`\`text\n${text}\n\`\`\`\n`;

describe('escapes in JSON that a text holds', () => {
  it.each<[string, string, string]>([
    ['a line', '{"t":"Z\\u00fcrich"}', '{"t":"Zürich"}'],
    [
      'the end of a line',
      '12:00 INFO x={"t":"Z\\u00fcrich","n":12345678901234567890.10}',
      '12:00 INFO x={"t":"Zürich","n":12345678901234567890.10}',
    ],
    ['the middle of a line', 'a {b} {"t":"\\u00e4"} in 5 ms', 'a {b} {"t":"ä"} in 5 ms'],
    ['several lines', '{\n  "t": ["\\u00e4",\n {"x": "\\u00f6"}]\n}', '{\n  "t": ["ä",\n {"x": "ö"}]\n}'],
    [
      'what follows a line that breaks off',
      '{"a":1,"b":\n{"t":"\\u00e4"}\n{"t":"\\u00f6"}',
      '{"a":1,"b":\n{"t":"ä"}\n{"t":"ö"}',
    ],
    ['what is within an object that breaks off', '{"a":{"t":"\\u00e4"}, oops', '{"a":{"t":"ä"}, oops'],
    ['line ends', '{"t":"a\\nb\\r\\nc\\u000ad\\te"}', '{"t":"a\nb\nc\nd\te"}'],
    ['quotes as .NET writes them', '{"t":"\\u0022a\\u0022 \\u003cb\\u003e"}', '{"t":"\\"a\\" <b>"}'],
    ['terminal colours', '{"t":"\\u001b[31mred\\u001b[0m"}', '{"t":"red"}'],
    ['half a character', '{"t":"\\ud83d \\ud83d\\ude00 \\u00e4"}', '{"t":"\\ud83d 😀 ä"}'],
    ['a path', '{"p":"C:\\\\new\\\\u00fc"}', '{"p":"C:\\\\new\\\\u00fc"}'],
  ])('of %s are text', async (_, log, shown) => {
    expect(readLog(log).markdown).toBe(code(shown));
    // The second backslash is that of Markdown.
    expect(
      readText(log)
        .markdown.replace(/\\(?=[!-/:-@[-`{-~])/g, '')
        .replace(/\n+$/, ''),
    ).toBe(shown.replace(/\\(?=[!-/:-@[-`{-~])/g, ''));
    expect((await readAs('json', `${log} x`)).markdown).toBe(code(`${shown} x`));
  });

  it.each([
    'C:\\new\\u00fcber',
    '{ C:\\new\\u00fcber }',
    '{"t": C:\\new}',
    "{'t': 'Z\\u00fcrich'}",
    '{"t":"Z\\u00fcrich',
    '{"t":"\\x"} \\u00fc',
    '{"t":01,"u":"\\u00fc"}',
    'printf("%s\\n", "{");',
    '{"t":"a\nb \\u00fc"}',
    '["C:\\new"]',
  ])('%j is no JSON and stays', (log) => {
    expect(readLog(log).markdown).toBe(code(log));
  });

  it('of a line among lines of JSON too', async () => {
    expect((await readAs('jsonl', '{"t":"\\u00e4"}\nINFO {"t":"\\u00f6"}\nC:\\new')).markdown).toBe(
      '```jsonl\n{"t":"ä"}\nINFO {"t":"ö"}\nC:\\new\n```\n',
    );
  });

  it('mean what JSON says, and no other text changes', () => {
    const text = fc.constantFrom('x', '{', '}', '"', '\\', ' ', 'C:\\n', '[1]', '{a', '\n', ':', ',');
    const between = fc.array(text, { maxLength: 5 }).map((all) => all.join(''));
    const value = fc.dictionary(fc.constantFrom('a', 'é'), fc.constantFrom('ä', 'a b', 'ö😀', '1'), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(between, value, (before, object) => {
        const plain = JSON.stringify(object);
        const escaped = plain.replace(
          /[^ -~]/g,
          (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
        // A text before it that opens an object may take it in.
        fc.pre(!/["{]/.test(before));
        expect(readLog(`-${before}${escaped}`).markdown).toBe(readLog(`-${before}${plain}`).markdown);
        expect(readLog(`-${before}${plain}`).markdown).toBe(code(`-${before}${plain}`));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('terminal control codes', () => {
  it.each([
    ['a\u001b]0;title\u0007b\u001b(B\u001b[m', 'ab'],
    ['a\u001b]0;title\nb\nc', 'a]0;title\nb\nc'],
  ])('of %j hide no text', (log, shown) => expect(readLog(log).markdown).toBe(code(shown)));
});
