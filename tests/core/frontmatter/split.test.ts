import * as fc from 'fast-check';
import { bodyOf } from '../../../src/core/frontmatter/block';
import { languageFence, lineOfBlock, splitNote } from '../../../src/core/frontmatter/split';
import { cpuMs } from '../../support/cpu';

const BOM = '\uFEFF';

describe('splitNote', () => {
  it.each<[name: string, text: string, block: string, body: string]>([
    ['a plain block', '---\na: 1\n---\nbody\n', 'a: 1\n', 'body\n'],
    ['an empty block', '---\n---\nbody', '', 'body'],
    ['an empty block and nothing else', '---\n---', '', ''],
    ['a block with only comments', '---\n# one\n# two\n---\n', '# one\n# two\n', ''],
    ['no line feed after the closing fence', '---\na: 1\n---', 'a: 1\n', ''],
    ['CRLF', '---\r\na: 1\r\n---\r\nbody', 'a: 1\r\n', 'body'],
    ['a BOM', `${BOM}---\na: 1\n---\nbody`, 'a: 1\n', 'body'],
    ['two BOMs', `${BOM}${BOM}---\na: 1\n---\nbody`, 'a: 1\n', 'body'],
    ['leading blank lines', '\n \t\n\r\n---\na: 1\n---\nbody', 'a: 1\n', 'body'],
    ['spaces after the fences', '---  \na: 1\n--- \t\nbody', 'a: 1\n', 'body'],
    ['a longer rule inside', '---\na: 1\n----\n---\nbody', 'a: 1\n----\n', 'body'],
    ['a fence with a word inside', '---\na: 1\n---x\n---\nbody', 'a: 1\n---x\n', 'body'],
    ['an indented fence inside', '---\na: |\n  ---\n---\nbody', 'a: |\n  ---\n', 'body'],
    ['the first closing fence counts', '---\na: 1\n---\nb\n---\nc', 'a: 1\n', 'b\n---\nc'],
    ['an end mark does not close', '---\na: 1\n...\n---\nbody', 'a: 1\n...\n', 'body'],
    ['blank lines below belong to the body', '---\na: 1\n---\n\n\nbody', 'a: 1\n', '\n\nbody'],
    ['a block without an end of its last line before the fence', '---\n\n---\n', '\n', ''],
  ])('cuts %s', (_name, text, block, body) => {
    expect(splitNote(text)).toMatchObject({ block, body });
  });

  it.each<[name: string, text: string]>([
    ['nothing', ''],
    ['plain text', 'hello\n'],
    ['a block that is never closed', '---\na: 1\nb: 2\n'],
    ['a lone fence', '---'],
    ['a lone fence line', '---\n'],
    ['a closing end mark only', '---\na: 1\n...\nbody'],
    ['a longer rule', '----\na: 1\n----\n'],
    ['a language', '---js\nx\n---\n'],
    ['text before', 'x\n---\na: 1\n---\n'],
    ['an indented fence', ' ---\na: 1\n---\n'],
    ['a fence that ends in a bare carriage return', '---\ra: 1\r---\r'],
    ['a closing fence with a word', '---\na: 1\n--- x\n'],
  ])('finds no block in %s', (_name, text) => {
    expect(splitNote(text)).toBeNull();
    expect(bodyOf(text)).toBe(text);
  });

  it('loses nothing but BOM and leading blank lines', () => {
    const line = fc.constantFrom('---', '--- ', '----', '---js', 'a: 1', '', ' ', '...', '# c', '\uFEFF');
    const text = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 12 })
      .map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(text, (note) => {
        const split = splitNote(note);
        if (split === null) return;
        const { open, block, close, body } = split;
        const whole = open + block + close + body;
        expect(note.endsWith(whole)).toBe(true);
        expect(note.slice(0, note.length - whole.length)).toMatch(/^\uFEFF*[ \t\r\n]*$/);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['---\na: 1\n---\nbody', 2],
    ['\uFEFF---\r\na: 1\r\n---\r\n', 2],
    ['\n\n ---\n', undefined],
    ['\n \n---\na: 1\n---', 4],
    ['---\n---', 2],
  ])('knows the first line of the block in %j', (text, line) => {
    const split = splitNote(text);
    expect(split ? lineOfBlock(text, split) : undefined).toBe(line);
  });

  it.each([
    ['blank lines', '\n'.repeat(1 << 20)],
    ['spaces', ' '.repeat(1 << 20)],
    ['unclosed fences with spaces', `---\n${'---   x\n'.repeat(1 << 17)}`],
    ['an open fence and one long line', `---\n${'x'.repeat(1 << 20)}`],
    ['dashes', '-'.repeat(1 << 20)],
  ])('takes linear time for a mebibyte of %s', (_name, text) => {
    const start = cpuMs();
    expect(splitNote(text)).toBeNull();
    expect(cpuMs() - start).toBeLessThan(5_000);
  });
});

describe('languageFence', () => {
  it.each([
    ['---js\nx\n---', '---js', 1],
    ['--- js\nx\n---', '--- js', 1],
    ['---JavaScript', '---JavaScript', 1],
    [`${BOM}---coffee\r\nx`, '---coffee', 1],
    ['\n\n---json\n{}\n---', '---json', 3],
    ['---toString\n---\n', '---toString', 1],
    ['--- # note\na: 1\n---', '--- # note', 1],
  ])('finds the language in %j', (text, fence, line) => {
    expect(languageFence(text)).toEqual({ fence, line });
  });

  it.each(['---\na: 1\n---', '---- \n', '-----', '---', '--- \n', 'text', '', '--', 'x\n---js'])(
    'finds none in %j',
    (text) => {
      expect(languageFence(text)).toBeNull();
    },
  );
});
