import * as fc from 'fast-check';
import { BrainError } from '../../../src/core/base/errors';
import { openContent } from '../../../src/core/frontmatter/compose';
import { cpuMs } from '../../support/cpu';

function refusal(content: string): { line: unknown; message: string } {
  try {
    openContent(content);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') {
      return { line: error.details?.line, message: error.message };
    }
    throw error;
  }
  throw new Error('was taken');
}

describe('openContent', () => {
  it.each<[name: string, content: string, frontmatter: Record<string, unknown>, body: string]>([
    ['plain text', 'hello', {}, 'hello'],
    ['nothing', '', {}, ''],
    ['a BOM', '\uFEFFhello', {}, 'hello'],
    ['a block', '---\na: 1\n---\nbody', { a: '1' }, 'body'],
    ['a rule further down', 'hello\n\n---\n\nmore: x\n\n---\n', {}, 'hello\n\n---\n\nmore: x\n\n---\n'],
    ['a longer rule', '----\nwing: x\n----\n', {}, '----\nwing: x\n----\n'],
    ['an open block', '---\nwing: x\n', {}, '---\nwing: x\n'],
    ['a carried block', '---\ntitle: a: b\n---\nbody', { title: 'a: b' }, 'body'],
    ['aliases', '---\na: &x [1]\nb: *x\n---\n', { a: ['1'], b: ['1'] }, ''],
  ])('opens %s', (_name, content, frontmatter, body) => {
    expect(openContent(content)).toMatchObject({ frontmatter, body, warnings: [] });
  });

  describe('a second block', () => {
    it.each<[name: string, content: string, frontmatter: Record<string, unknown>, body: string]>([
      [
        'right below',
        '---\na: 1\n---\n---\ntype: note\nb: 2\n---\nbody',
        { a: '1', type: 'note', b: '2' },
        'body',
      ],
      ['below blank lines', '---\na: 1\n---\n\n\n---\nwing: x\n---\nbody', { a: '1', wing: 'x' }, 'body'],
      [
        'whose keys stand in the first',
        '---\na: 1\nhall: facts\n---\n---\nhall: sources\na: 2\n---\n',
        { a: '1', hall: 'facts' },
        '',
      ],
      [
        'and a third',
        '---\na: 1\n---\n---\nwing: x\n---\n---\nhall: y\n---\nbody',
        { a: '1', wing: 'x', hall: 'y' },
        'body',
      ],
      ['below an empty first', '---\n---\n---\nwing: x\n---\nbody', { wing: 'x' }, 'body'],
      ['below an end mark', '---\na: 1\n...\n---\n---\nwing: x\n---\nbody', { a: '1', wing: 'x' }, 'body'],
    ])('%s is joined with the first', (_name, content, frontmatter, body) => {
      const opened = openContent(content);
      expect(opened).toMatchObject({ frontmatter, body });
      expect(opened.warnings[0]).toBe('A second front matter block was joined with the first.');
    });

    it('names the keys that it loses to the first', () => {
      expect(openContent('---\na: 1\n---\n---\nwing: x\na: 2\n---\n').warnings).toEqual([
        'A second front matter block was joined with the first.',
        '"a" of the second front matter block was dropped: the first block sets it.',
      ]);
    });

    it.each([
      ['holds no key of the service', '---\na: 1\n---\n', '---\nb: 2\n---\nbody'],
      ['is text between rules', '---\na: 1\n---\n', '---\n\nSome text\n\n---\nbody'],
      ['is not readable', '---\na: 1\n---\n', '---\nwing: a: b\n---\nbody'],
      ['stands below text', '---\na: 1\n---\n', 'text\n---\nwing: x\n---\nbody'],
      ['is not closed', '---\na: 1\n---\n', '---\nwing: x\nbody'],
      ['names a language', '---\na: 1\n---\n', '---js\nwing: x\n---\nbody'],
    ])('that %s stays in the body', (_name, block, body) => {
      expect(openContent(block + body)).toMatchObject({ frontmatter: { a: '1' }, body, warnings: [] });
    });

    it('is refused when there are more than eight in a row', () => {
      const block = '---\nwing: x\n---\n';
      expect(openContent(block.repeat(8)).body).toBe('');
      expect(refusal(block.repeat(9)).line).toBe(26);
    });

    it('is refused when the two cannot be one', () => {
      expect(refusal('---\nwing: v\n---\n---\nwing: &x w\nb: *x\n---\n').message).toMatch(
        /stands for another value, which is not there/,
      );
    });
  });

  it.each<[name: string, content: string, line: number]>([
    ['---js', '---js\n{}\n---\n', 1],
    ['a language below blank lines', '\n\n--- toml\na = 1\n---\n', 3],
    ['text between two rules', '---\n\nHello world\n\n---\n', 3],
    ['a flow map', '---\n{wing: x}\n---\n', 2],
    ['a list', '---\n- wing\n---\n', 2],
    ['a complex key', '---\na: 1\n? wing\n: x\n---\n', 3],
    ['a tagged key', '---\n!!str wing: x\n---\n', 2],
    ['an anchored key', '---\n&a wing: x\n---\n', 2],
    ['an escaped key', '---\n"\\x77ing": x\n---\n', 2],
    ['a merge key', '---\na: 1\n<<: {wing: x}\n---\n', 3],
    ['a quoted merge key', '---\n"<<": {wing: x}\n---\n', 2],
    ['a merge key in a second block', '---\na: 1\n---\n---\nwing: x\n<<: {hall: y}\n---\n', 6],
    ['a key inside a quote', '---\na: "x\nwing: y"\n---\n', 3],
    ['a key inside a bracket', '---\na: [\nwing: x\n]\n---\n', 3],
    ['a quote that stays open', '---\na: "x\nb: 1\n---\n', 2],
    ['a bracket that stays open', '---\na: [x\nb: 1\n---\n', 2],
    ['a quote that stays open beside a tag', '---\nb: !t 1\na: "x\nwing: y"\n---\n', 3],
    ['a single quote that stays open', "---\nb: !t 1\na: 'x\nwing: y'\n---\n", 3],
    ['a bracket that stays open beside a tag', '---\nb: !t 1\na: {x: "}"\nwing: y}\n---\n', 3],
    ['NUL', '---\na: \0\n---\n', 2],
    ['a bare carriage return', '---\na: 1\rwing: x\n---\n', 2],
    ['too large a block', `---\na: ${'x'.repeat(70000)}\n---\n`, 2],
    ['too many blank lines', `---\na: 1${'\n'.repeat(300)}---\n`, 203],
    ['too deep a list', `---\na: ${'['.repeat(100)}\n---\n`, 2],
    ['an alias bomb', `---\na: &a ${'x'.repeat(30000)}\nb: [${Array(5000).fill('*a').join(',')}]\n---\n`, 2],
    ['a document start', '---\na: 1\n--- b: 2\n---\n', 3],
    [
      '501 keys of a block that is no YAML',
      `---\n${'a: b: c\n'.repeat(1)}${Array.from({ length: 501 }, (_, n) => `k${n}: v\n`).join('')}---\n`,
      2,
    ],
  ])('refuses %s and names the line', (_name, content, line) => {
    const { line: named, message } = refusal(content);
    expect(named).toBe(line);
    expect(message).toMatch(/line \d+ of the content: .+\)\. Correct it, or leave the front matter out\.$/s);
  });

  it('throws nothing but a BrainError, whatever comes', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '---',
        '---',
        '--- ',
        '---js',
        '...',
        'wing: x',
        'b:',
        '- x',
        '  c: d',
        '# e',
        '',
        'f: [',
        ']',
        'g: "',
        'h"',
        '? h',
        '<<: *a',
        '&a i: j',
        'k: &a v',
        'l: *a',
        '{m: n}',
        "'o': p",
        '\t',
        '\0',
        '\r',
        '\uFEFF',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), fc.boolean(), (lines, fenced) => {
        const text = lines.join('\n');
        const content = fenced ? `---\n${text}\n---\nbody` : text;
        try {
          expect(content.endsWith(openContent(content).body)).toBe(true);
        } catch (error) {
          if (!(error instanceof BrainError)) throw error;
          expect(error.code).toBe('invalid_frontmatter');
        }
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['stacked blocks', '---\nwing: x\n---\n'.repeat(60000)],
    ['keys that are no YAML', `---\n${'a: @\n'.repeat(13000)}---\n`],
    ['apostrophes', `---\na: b: ${"' ".repeat(30000)}\n---\n`],
    ['quotes', `---\na: b: ${`"'`.repeat(15000)}"\n---\n`],
    ['spaces in a key', `---\na${' '.repeat(60000)}b\n---\n`],
    ['pipes', `---\na: ${'| '.repeat(30000)}\n---\n`],
    ['white space', `---\na: 1\n${`${' '.repeat(320)}\n`.repeat(200)}\n---\n`],
    ['flow maps', `---\na: [${'{b: {c: d}}, '.repeat(4500)}]\n---\n`],
    ['colons', `---\na: ${':'.repeat(60000)}\n---\n`],
  ])('answers quickly to a hostile block of %s', (_name, content) => {
    const start = cpuMs();
    try {
      openContent(content);
    } catch (error) {
      expect(error).toBeInstanceOf(BrainError);
    }
    expect(cpuMs() - start).toBeLessThan(5_000);
  });
});
