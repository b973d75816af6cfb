import * as fc from 'fast-check';
import { parseNote } from '../../../src/core/frontmatter/parse';

/** The end of the sentence about a value that is no YAML. */
const TAKEN =
  /^The front matter has a mistake in line \d+ of the note: .+\. Correct it; until then the value is taken/;

describe('parseNote', () => {
  it.each<[name: string, text: string, frontmatter: Record<string, unknown>, body: string]>([
    ['no block', 'hello\n', {}, 'hello\n'],
    ['a BOM and no block', '\uFEFFhello', {}, 'hello'],
    ['a block', '---\ntitle: A\nn: 01\n---\nbody', { title: 'A', n: '01' }, 'body'],
    ['a BOM, CRLF and blank lines', '\uFEFF\r\n---\r\na: 1\r\n---\r\nbody', { a: '1' }, 'body'],
    ['an empty block', '---\n---\nbody', {}, 'body'],
    ['an open block', '---\na: 1\nbody', {}, '---\na: 1\nbody'],
    ['an end mark', '---\na: 1\n...\n---\nbody', { a: '1' }, 'body'],
    [
      'a placeholder',
      '---\na: {{date}}\nb: [{{x}}, c]\nd:\n- {{y}}\n---\nb',
      { a: null, b: [null, 'c'], d: [null] },
      'b',
    ],
    ['nested values', '---\na:\n  b: [1, {c: d}]\n---\n', { a: { b: ['1', { c: 'd' }] } }, ''],
    ['an empty value', '---\na:\nb: ""\n---\n', { a: null, b: '' }, ''],
    ['a second block', '---\na: 1\n---\n---\nwing: x\n---\n', { a: '1' }, '---\nwing: x\n---\n'],
    ['a language', '---js\nx\n---\n', {}, '---js\nx\n---\n'],
  ])('reads %s', (_name, text, frontmatter, body) => {
    const note = parseNote(text);
    expect(note).toEqual({ frontmatter, body, problem: null });
    expect(Object.getPrototypeOf(note.frontmatter)).toBeNull();
  });

  it.each<[name: string, text: string, frontmatter: Record<string, unknown>]>([
    ['two colons', '---\nwing: w\ntitle: Tips: part 2\n---\nb', { wing: 'w', title: 'Tips: part 2' }],
    ['a template', '---\ntitle: {{title}}: x\nwing: w\n---\nb', { wing: 'w', title: '{{title}}: x' }],
    ['an unknown tag', '---\ntitle: !secret x\nwing: w\n---\nb', { wing: 'w', title: '!secret x' }],
    ['a mention', '---\nauthor: @me\nwing: w\n---\nb', { wing: 'w', author: '@me' }],
    ['emphasis', '---\ntitle: *very* good\nwing: w\n---\nb', { wing: 'w', title: '*very* good' }],
    [
      'text after a quote',
      '---\ntitle: "Foo" and bar\nwing: w\n---\nb',
      { wing: 'w', title: '"Foo" and bar' },
    ],
    ['a line too many', '---\ntitle: a\n  b: c\nwing: w\n---\nb', { wing: 'w', title: 'a b: c' }],
  ])('reads what it can of a block with %s', (_name, text, frontmatter) => {
    expect(parseNote(text)).toEqual({ frontmatter, body: 'b', problem: expect.stringMatching(TAKEN) });
  });

  it.each([
    ['a list', '---\nx:\n\t- a\n---\nb', 3],
    ['a tab behind blanks', '---\ntitle: T\nx:\n  \t- a\n---\nb', 4],
  ])('tells of a tab that indents: %s', (_, text, line) => {
    expect(parseNote(text).problem).toMatch(`line ${line} of the note: a tab indents it`);
  });

  it('says nothing of a tab that indents nothing', () => {
    expect(parseNote('---\ntitle: a\tb\nx: |\n  a\n  b\tc\n\t\ny: 1\t# t\n---\nb').problem).toBeNull();
  });

  it('reads a block of comments as one without properties, and gives the comments', () => {
    expect(parseNote('---\n\n# Heading\n\n---\n\nmore')).toEqual({
      frontmatter: {},
      body: '\nmore',
      problem: null,
      comments: '\n# Heading\n\n',
    });
    expect(parseNote('---\n# on a\na: 1\n---\nmore')).not.toHaveProperty('comments');
  });

  it('tells of a repeated key, of which the first counts', () => {
    expect(parseNote('---\na: 1\nhall: facts\na: 2\nhall: x\n---\n')).toEqual({
      frontmatter: { a: '1', hall: 'facts' },
      body: '',
      problem:
        'The front matter has a mistake in line 4 of the note: its key stands above already. Correct it; until then the first value counts.',
    });
  });

  it.each<[text: string, problem: RegExp]>([
    ['---\n\nHello\n\n---\nb', /in line 3 of the note: /],
    ['\n---\na: 1\n- x\nb\n---\nb', /in line 5 of the note: /],
    ['---\na: "x\nb: y"\n---\nb', /in line 3 of the note: /],
    ['---\na: [x\nb: y\n---\nb', /in line 2 of the note: /],
    [`---\n${'\n'.repeat(300)}---\nb`, /in line 202 of the note: .*blank/],
    ['---\n{wing: x}\n---\nb', /in line 2 of the note: /],
    ['---\n"wi\\x6eg": x\n---\nb', /in line 2 of the note: /],
    ['---\na: &x [*x]\n---\nb', /in line 2 of the note: .*deep/],
  ])('says where %j cannot be read', (text, problem) => {
    expect(parseNote(text)).toEqual({ frontmatter: {}, body: text, problem: expect.stringMatching(problem) });
    expect(parseNote(text).problem).toMatch(
      /^The front matter .*\. Correct it; until then the block is read as text/,
    );
  });

  it.each([
    ['title: Tips: part 2', 'a value that holds a colon needs quotation marks around it'],
    ['title: "Foo" and bar', 'text follows a closing quotation mark or bracket, or a line lacks its "key: "'],
    [
      'title: @home',
      'a value that starts with a sign such as * & ! @ % [ ] { } or - needs quotation marks around it',
    ],
    [
      'title: *b',
      'a value that starts with * stands for another value, which is not there; put quotation marks around it',
    ],
    ['title: "b\\q"', 'a backslash between double quotation marks begins an escape that does not exist'],
    ['title: > x', 'the text of "|" or ">" begins on the next line'],
    ['title: b\n  c: d', 'the line is indented differently from those around it'],
    ['title: [a b: c: d]', 'a list in brackets lacks a comma or its closing bracket'],
  ])('says in plain words what is wrong with %j, and where', (line, reason) => {
    expect(parseNote(`---\nwing: w\n${line}\n---\nb`).problem).toBe(
      `The front matter has a mistake in line 3 of the note: ${reason}. Correct it; until then the value is taken as the text that stands there.`,
    );
  });

  it.each<[line: number, block: string]>([
    [3, 'tags:\n\t- a\n\t- b'],
    [4, 'tags:\n  - a\n\t- b'],
    [4, 'tags:\n    - a\n\t- b'],
    [3, 'tags:\n \t- a\n \t- b'],
    [4, 'title: x\naliases:\n\t- "Foo"'],
    [3, 'text: |\n\tline'],
    [4, 'text: >\n  one\n\ttwo'],
    [3, 'sources:\n\t- [a, b]'],
    [2, '\ttitle: x'],
    [2, '\t- x'],
    [5, 'a: 1\ntags:\n  - "b"\n\t- "c"'],
    [504, `${Array.from({ length: 501 }, (_, n) => `k${n}: 1\n`).join('')}tags:\n\t- a`],
  ])('names the tab in line %i of the note as what is wrong', (line, block) => {
    expect(parseNote(`---\n${block}\n---\nb`).problem).toMatch(
      new RegExp(
        `^The front matter has a mistake in line ${line} of the note: a tab indents it, where YAML allows blanks only\\.`,
      ),
    );
  });

  it.each([
    ['title: "x"\n\tmore', /text follows a closing quotation mark/],
    ['title: "x\n\ty', /a quotation mark is opened/],
    ['title: Tips: part 2\ntags:\n\t- a', /a value that holds a colon/],
  ])('keeps to what is wrong with %j where a tab is not the cause', (block, problem) => {
    expect(parseNote(`---\n${block}\n---\nb`).problem).toMatch(problem);
  });

  it.each(['title: "b', 'title: [b, c', 'title: {b'])('says what %j leaves open', (line) => {
    expect(parseNote(`---\nwing: w\n${line}\n---\nb`).problem).toMatch(
      /^The front matter has a mistake in line 3 of the note: (?:a quotation mark is opened|a list in brackets lacks).*\. Correct it; until then the block/,
    );
  });

  it('speaks in sentences of whatever mistake, and never in the words of a parser', () => {
    const sign = fc.constantFrom(...`ab: '"[]{},|>*&!%@\`#-?\\\n\t~=`.split(''));
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 30 }), (signs) => {
        const { problem } = parseNote(`---\nwing: w\ntitle: ${signs.join('')}\n---\nb`);
        if (problem === null) return;
        expect(problem).toMatch(
          /^The front matter has a mistake in line \d+ of the note: .+\. Correct it; until then .+\.$/,
        );
        expect(problem).not.toMatch(/scalar|mapping|stream|flow|token|implicit|explicit|separator|node/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never throws and gives a body that ends the text, and all of it that says something where no property is known', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '---',
        '--- ',
        '---js',
        '...',
        'a: 1',
        'b:',
        '- x',
        '  c: d',
        '# e',
        '',
        'f: [',
        'g: "',
        '? h',
        '<<: *a',
        '&a i: j',
        '\t',
        '\0',
        '\uFEFF',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((rest) => `---\n${rest}\n---\n`),
        ),
        (note) => {
          const { body, frontmatter } = parseNote(note);
          expect(note.endsWith(body)).toBe(true);
          expect(Object.getPrototypeOf(frontmatter)).toBeNull();
          const left = note.slice(0, note.length - body.length);
          if (Object.keys(frontmatter).length === 0)
            expect(left).toMatch(/^[\s\uFEFF.-]*(?:#[^\n]*\n[\s.-]*)*$/);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
