import { BrainError } from '../../../src/core/base/errors';
import {
  type Composed,
  composeWrite,
  openContent,
  type WriteValues,
} from '../../../src/core/frontmatter/compose';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { cpuMs } from '../../support/cpu';

const VALUES: WriteValues = {
  address: { wing: 'homelab', hall: 'decisions' },
  created_at: '2026-11-20T10:32:00Z',
  origin: 'mcp',
  written_by: 'laptop',
  options: {},
};
const STAMP = 'wing: homelab\nhall: decisions\ncreated_at: 2026-11-20T10:32:00Z\n';
const WRITER = 'origin: mcp\nwritten_by: laptop\n';
/** The block of a note that brings nothing of its own. */
const BARE = `---\n${STAMP}${WRITER}---\n`;

function write(content: string, values: Partial<WriteValues> = {}): Composed {
  const opened = openContent(content);
  return composeWrite(opened, opened.body, { ...VALUES, ...values });
}

function codeOf(act: () => unknown): { code: string; details: unknown } {
  try {
    act();
  } catch (error) {
    if (error instanceof BrainError) return { code: error.code, details: error.details };
    throw error;
  }
  throw new Error('was written');
}

describe('composeWrite', () => {
  it.each<[name: string, content: string, text: string]>([
    ['text', 'hello\n', `${BARE}hello\n`],
    ['nothing', '', BARE],
    ['a BOM', '\uFEFFhello', `${BARE}hello`],
    ['blank lines first', '\n\nhello', `${BARE}\n\nhello`],
    ['an open block', '---\na: 1\n', `${BARE}---\na: 1\n`],
    ['a longer rule', '----\nx', `${BARE}----\nx`],
    ['CRLF text', 'one\r\ntwo\r\n', `${BARE.replaceAll('\n', '\r\n')}one\r\ntwo\r\n`],
    ['an empty block', '---\n---\nhello', `${BARE}hello`],
    ['blank lines above the block', '\n\n---\n---\nhello', `${BARE}hello`],
    ['fences with spaces', '--- \n---  \nhello', `--- \n${STAMP}${WRITER}---  \nhello`],
    ['no line feed at the end', '---\na: 1\n---', `---\n${STAMP}${WRITER}a: 1\n---`],
    ['blank lines below the block', '---\na: 1\n---\n\nhello', `---\n${STAMP}${WRITER}a: 1\n---\n\nhello`],
    [
      'other keys',
      '---\nb: "x"\na:   [1,2]  # c\n---\nhello',
      `---\n${STAMP}${WRITER}b: "x"\na:   [1,2]  # c\n---\nhello`,
    ],
    [
      'CRLF in the block',
      '---\r\na: 1\r\n---\r\nx\n',
      `${`---\n${STAMP}${WRITER}a: 1\n---\n`.replaceAll('\n', '\r\n')}x\n`,
    ],
    [
      'comments',
      '---\n# top\n\na: 1\n# on b\nb: 2\n# end\n---\n',
      `---\n# top\n\n${STAMP}${WRITER}a: 1\n# on b\nb: 2\n# end\n---\n`,
    ],
    ['only comments', '---\n# top\n---\n', `---\n# top\n${STAMP}${WRITER}---\n`],
    [
      'an object of JSON',
      '---\n{\n  "a": 1,\n  "b": [true]\n}\n---\nhello',
      `---\n{\n  "a": 1,\n  "b": [true],\n  "wing": "homelab",\n  "hall": "decisions",\n  "created_at": "2026-11-20T10:32:00Z",\n  "origin": "mcp",\n  "written_by": "laptop"\n}\n---\nhello`,
    ],
    ['an end mark', '---\na: 1\n...\n---\n', `---\n${STAMP}${WRITER}a: 1\n...\n---\n`],
    [
      'column-0 lists',
      '---\ntags:\n- a\n- b\nx: 1\n---\n',
      `---\n${STAMP}${WRITER}tags:\n- a\n- b\nx: 1\n---\n`,
    ],
    [
      'block scalars',
      '---\na: |\n  # x\n  wing: y\nb: >+\n  z\n\n\nc: 1\n---\n',
      `---\n${STAMP}${WRITER}a: |\n  # x\n  wing: y\nb: >+\n  z\n\n\nc: 1\n---\n`,
    ],
    [
      'nested keys of the service',
      '---\na:\n  wing: x\n  hall: y\n---\n',
      `---\n${STAMP}${WRITER}a:\n  wing: x\n  hall: y\n---\n`,
    ],
    ['anchors', '---\na: &x [1]\nb: *x\n---\n', `---\n${STAMP}${WRITER}a: &x [1]\nb: *x\n---\n`],
    ['repeated foreign keys', '---\na: 1\na: 2\n---\n', `---\n${STAMP}${WRITER}a: 1\na: 2\n---\n`],
    [
      'a block that is no YAML',
      '---\ntitle: a: b\nx: @me\n---\n',
      `---\n${STAMP}${WRITER}title: a: b\nx: @me\n---\n`,
    ],
    [
      'keys of Object.prototype',
      '---\n__proto__: {half_life: x}\nconstructor: 1\n---\n',
      `---\n${STAMP}${WRITER}__proto__: {half_life: x}\nconstructor: 1\n---\n`,
    ],
    [
      'keys of other capitals',
      '---\nWing: a\nHALL: b\n---\n',
      `---\n${STAMP}${WRITER}Wing: a\nHALL: b\n---\n`,
    ],
    [
      'keys the service may set later',
      '---\ntunnels: ["[[a]]"]\nsources:\n- x\nsource_hash: y\n---\n',
      `---\n${STAMP}${WRITER}tunnels: ["[[a]]"]\nsources:\n- x\nsource_hash: y\n---\n`,
    ],
    [
      'type and domain, with their bytes',
      `---\nz: 1\n# why\ndomain: 'x'  # c\ntype: |-\n  note\n\ny: 2\n---\n`,
      `---\n${STAMP}type: |-\n  note\n\n# why\ndomain: 'x'  # c\n${WRITER}z: 1\ny: 2\n---\n`,
    ],
    [
      'the envelope',
      '---\nclaim_provenance: "asserted"\nhalf_life: volatile\n---\n',
      `---\n${STAMP}half_life: volatile\nclaim_provenance: "asserted"\n${WRITER}---\n`,
    ],
    [
      'a second block',
      '---\na: 1\n---\n---\ntype: note\n---\nhello',
      `---\n${STAMP}type: note\n${WRITER}a: 1\n---\nhello`,
    ],
    [
      'a rule below the block',
      '---\na: 1\n---\n---\ntext\n---\n',
      `---\n${STAMP}${WRITER}a: 1\n---\n---\ntext\n---\n`,
    ],
  ])('writes %s', (_name, content, text) => {
    const composed = write(content);
    expect(composed.text).toBe(text);
    expect(parseNote(text).body).toBe(openContent(content).body);
  });

  it('drops and replaces what only the service sets, says so, and leaves comments where they were', () => {
    const { text, warnings } = write(
      '---\n# about the wing\nwing: elsewhere\n\n# about a\na: 1\n# about the update\nupdated_at: 2020-01-01\n\nb: 2\ncreated_at: 2020-01-01\norigin: mcp\nsupersedes: abc\nreject_reason: |\n  no\n---\n',
    );
    expect(text).toBe(
      `---\n# about the wing\nwing: homelab\n\nhall: decisions\ncreated_at: 2026-11-20T10:32:00Z\n${WRITER}# about a\na: 1\n# about the update\n\nb: 2\n---\n`,
    );
    expect(warnings).toEqual([
      '"wing" of the content was replaced: the service sets it.',
      '"created_at" of the content was replaced: the service sets it.',
      '"updated_at" was dropped: only the service sets it.',
      '"supersedes" was dropped: only the service sets it.',
      '"reject_reason" was dropped: only the service sets it.',
    ]);
  });

  it('is silent about values that it would set anyway', () => {
    expect(write(`---\n${STAMP}${WRITER}---\n`)).toEqual({ text: BARE, warnings: [] });
  });

  it.each([
    "'wing': x",
    '"wing": x',
    'wing : x',
    "'wing' : x",
    'wing:\tx',
    'wing: [x]',
    'wing: |\n  x',
    'wing: &a x',
    'wing:',
  ])('finds the key in %j', (line) => {
    expect(write(`---\n${line}\na: 1\n---\n`).text).toBe(`---\n${STAMP}${WRITER}a: 1\n---\n`);
  });

  it('keeps the first of a repeated key of the service', () => {
    const { text, warnings } = write('---\ntype: a\nx: 1\n# second\ntype: b\n---\n');
    expect(text).toBe(`---\n${STAMP}type: a\n${WRITER}x: 1\n# second\n---\n`);
    expect(warnings).toEqual(['"type" stood more than once in the front matter: the first one counts.']);
  });

  it('carries wing and hall of the content when there is no address, and nothing else that is protected', () => {
    const content = '---\nhall: old\nwing: mine\npromoted_at: x\n---\nhello';
    const { text, warnings } = write(content, { address: null, frontmatter: { wing: 'forged', a: 1 } });
    expect(text).toBe(
      `---\nwing: mine\nhall: old\ncreated_at: 2026-11-20T10:32:00Z\n${WRITER}a: 1\n---\nhello`,
    );
    expect(warnings).toEqual([
      '"promoted_at" was dropped: only the service sets it.',
      '"wing" was dropped: only the service sets it.',
    ]);
    expect(write('hello', { address: null }).text).toBe(
      `---\ncreated_at: 2026-11-20T10:32:00Z\n${WRITER}---\nhello`,
    );
  });

  it.each<[name: string, content: string]>([
    ['a key of the service that refers to what would stand below it', '---\na: &x note\ntype: *x\n---\n'],
    ['a value that refers to a key that is replaced', '---\nwing: &x note\na: *x\n---\n'],
    ['a block that grows too large', `---\na: ${'x'.repeat(65500)}\n---\n`],
  ])('refuses %s', (_name, content) => {
    expect(codeOf(() => write(content)).code).toBe('invalid_frontmatter');
  });

  it.each(['yes', '0123', '2024-01-02', 'null', 'e1', '1e3'])('writes the wing %j as text', (wing) => {
    const { text } = write('', { address: { wing, hall: 'facts' } });
    expect(text).toContain(`wing: "${wing}"\n`);
    expect(parseNote(text).frontmatter.wing).toBe(wing);
  });

  it('takes time in proportion to the body', () => {
    const opened = openContent('---\ntags: [a]\n---\n');
    const time = (body: string): number => {
      const start = cpuMs();
      for (let n = 0; n < 20; n += 1) composeWrite(opened, body, VALUES);
      return cpuMs() - start;
    };
    time('x');
    expect(time('line of text\n'.repeat(80_000))).toBeLessThan(5_000);
  });
});
