import fc from 'fast-check';
import matter from 'gray-matter';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { readYaml } from '../../../src/core/frontmatter/yaml';

/** Set by front matter that somebody has run. */
const TRAP = 'brainTrap';

function valuesOf(block: string): unknown {
  const reading = readYaml(block);
  return 'values' in reading ? reading.values : reading.reason;
}

describe('readYaml', () => {
  it.each<[yaml: string, value: unknown]>([
    ['0123', '0123'],
    ['no', 'no'],
    ['2024-01-02', '2024-01-02'],
    ['2024-13-45', '2024-13-45'],
    ['1e3', '1e3'],
    ['1:30', '1:30'],
    ['12345678901234567890', '12345678901234567890'],
    ['~', null],
    ['null', null],
    ['"null"', 'null'],
    ['!!str null', 'null'],
    [`[NULL, Null, nullx, '~']`, [null, null, 'nullx', '~']],
    ['', null],
    ['""', ''],
    ["'it''s'", "it's"],
    ['"a\\u0062c"', 'abc'],
    ['x # comment', 'x'],
    ['x#y', 'x#y'],
    ['[a, "b, c", [d]]', ['a', 'b, c', ['d']]],
    ['{x: 1}', { x: '1' }],
    ['|\n  one\n  two\n', 'one\ntwo\n'],
    ['|+\n  one\n\n', 'one\n\n\n'],
    ['>-\n  one\n  two\n', 'one two'],
    ['\n- a\n- b\n', ['a', 'b']],
    ['&x y', 'y'],
    ['!!str 12', '12'],
  ])('reads a: %j as it was written, and null as nothing', (yaml, value) => {
    expect(valuesOf(`a: ${yaml}\n`)).toEqual({ a: value });
  });

  it.each(['', '\n', '# only a comment\n', '...\n'])('reads %j as no keys', (block) => {
    expect(valuesOf(block)).toEqual({});
  });

  it('takes __proto__ and its kin for keys like any other', () => {
    const reading = readYaml(
      '__proto__: {claim_provenance: asserted}\nconstructor: c\ntoString: t\nhasOwnProperty: h\n',
    );
    if (!('values' in reading)) throw new Error(reading.reason);
    const { values } = reading;
    expect(Object.getPrototypeOf(values)).toBeNull();
    expect(Object.keys(values)).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty']);
    expect(values.claim_provenance).toBeUndefined();
    expect(Object.getPrototypeOf(values['__proto__'])).toBeNull();
    expect({}).not.toHaveProperty('claim_provenance');
  });

  it('does not merge', () => {
    expect(valuesOf('<<: {half_life: eternal}\n')).toEqual({ '<<': { half_life: 'eternal' } });
  });

  it.each<[name: string, block: string]>([
    ['a list', '- a\n'],
    ['a text', 'hello\n'],
    ['an endless alias', 'a: &x [*x]\n'],
    [
      'aliases that stand for gigabytes',
      `a: &a [${'x'.repeat(100)}]\n${'bcdefghij'
        .split('')
        .map(
          (name, index) =>
            `${name}: &${name} [${Array(10)
              .fill(`*${'abcdefghi'[index] ?? ''}`)
              .join(', ')}]\n`,
        )
        .join('')}`,
    ],
    [
      'a long text referred to often',
      `a: &a ${'x'.repeat(30000)}\nb: [${Array(5000).fill('*a').join(', ')}]\n`,
    ],
    ['65 levels in brackets', `a: ${'['.repeat(65)}${']'.repeat(65)}\n`],
    [
      '65 levels of indentation',
      Array.from({ length: 66 }, (_, depth) => `${' '.repeat(depth)}k:\n`).join(''),
    ],
  ])('refuses %s for good', (_name, block) => {
    expect(readYaml(block)).toEqual({ reason: expect.any(String), fatal: true });
  });

  it('survives more levels than fit its stack', () => {
    expect(readYaml(`a: ${'['.repeat(30000)}${']'.repeat(30000)}\n`)).toHaveProperty('reason');
  });

  it.each<[name: string, block: string]>([
    ['two colons', 'a: b: c\n'],
    ['an unknown tag', 'a: !x y\n'],
    ['an unknown alias', 'a: *x\n'],
    ['an open quote', 'a: "x\n'],
    ['an open bracket', 'a: [x\n'],
    ['characters that are not printable', 'a: \u0007\n'],
    ['two documents', 'a: 1\n...\nb: 2\n'],
  ])('says why %s cannot be read', (_name, block) => {
    expect(readYaml(block)).toEqual({ reason: expect.any(String), fatal: false });
  });

  it('reads the same text twice to two objects that do not share', () => {
    const [one, two] = [readYaml('a: [x]\n'), readYaml('a: [x]\n')];
    expect(one).toEqual(two);
    expect('values' in one && 'values' in two && one.values.a !== two.values.a).toBe(true);
    expect([valuesOf('a: [\n'), valuesOf('a: [\n')]).toEqual([expect.any(String), expect.any(String)]);
  });
});

describe('front matter that is code', () => {
  const code = `globalThis.${TRAP} = true`;
  it.each([
    'js',
    'javascript',
    'JS',
    'JavaScript',
    'coffee',
    'cson',
    'json',
    'toString',
    'constructor',
    ' js',
    'yaml',
    'toml',
  ])('is not run as ---%s', (language) => {
    for (const text of [
      `---${language}\n{a: (${code})}\n---\nbody`,
      `\uFEFF---${language}\r\n${code}\r\n---\r\n`,
      `---${language}\n${code}`,
      `---\na: 1\n---\n---${language}\n${code}\n---\n`,
    ]) {
      parseNote(text);
    }
    expect(globalThis).not.toHaveProperty(TRAP);
  });

  it('has no engine left, even for a call without options', () => {
    expect(() => matter(`---js\n{a: (${code})}\n---\n`)).toThrow();
    expect(globalThis).not.toHaveProperty(TRAP);
  });
});

describe('a block of flat lines', () => {
  const part = fc.constantFrom(
    ...[
      'a',
      'Ä',
      '漢',
      '0',
      '2026-01-02T03:04:05Z',
      'null',
      'NULL',
      '~',
      'https://a.b/c?d',
      '\u00ad',
      '\u{1F600}',
      '\u2028',
    ],
    ...[
      ' ',
      '  ',
      ':',
      ': ',
      '-',
      '- ',
      '"',
      "'",
      '#',
      ' #',
      '[',
      ']',
      '{',
      ',',
      '|',
      '>',
      '&',
      '*',
      '!',
      '%',
      '@',
      '`',
      '?',
    ],
    ...['\\', '\t', '=', '<<', '...', '---'],
  );
  const value = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
  const key = fc.constantFrom('title', 'a-b', '_x', 'null', '__proto__', 'toString', 'wing', '1', 'é', 'y');
  const line = fc
    .tuple(key, fc.constantFrom(':', ': ', ':   '), value, fc.boolean())
    .map(([name, colon, text, isQuoted]) => `${name}${colon}${isQuoted ? `"${text}"` : text}`);

  it('is read as with a comment, which has the parser read it', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { selector: (each) => each.split(':', 1)[0], minLength: 1, maxLength: 4 }),
        fc.constantFrom('\n', '\r\n'),
        (lines, end) => {
          for (const block of [lines.join(end), lines.join(end) + end])
            expect(valuesOf(block)).toEqual(valuesOf(`# comment${end}${block}`));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
