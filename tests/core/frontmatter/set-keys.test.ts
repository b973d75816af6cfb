import { BrainError } from '../../../src/core/base/errors';
import { type OwnedValue, replaceBody, setKeys } from '../../../src/core/frontmatter/compose';
import { parseNote } from '../../../src/core/frontmatter/parse';

describe('setKeys', () => {
  it.each<[name: string, text: string, set: Record<string, OwnedValue>, remove: string[], result: string]>([
    [
      'adds to a note without a block',
      'hello',
      { wing: 'w', rejected_at: 'x' },
      [],
      '---\nwing: w\nrejected_at: x\n---\nhello',
    ],
    ['adds to CRLF text', 'a\r\nb', { wing: 'w' }, [], '---\r\nwing: w\r\n---\r\na\r\nb'],
    [
      'adds the service’s keys on top and others below',
      '---\n# c\na: 1\n---\nb',
      { x: '1', hall: 'facts', wing: 'w' },
      [],
      '---\n# c\nwing: w\nhall: facts\na: 1\nx: "1"\n---\nb',
    ],
    [
      'replaces in place',
      '---\na: 1\ntunnels:\n- x\n\n# c\nb: 2\n---\n',
      { tunnels: ['[[a|b]]', '[[c]]'] },
      [],
      '---\na: 1\ntunnels: ["[[a|b]]", "[[c]]"]\n\n# c\nb: 2\n---\n',
    ],
    ['writes an empty list', 'x', { tunnels: [] }, [], '---\ntunnels: []\n---\nx'],
    [
      'removes',
      '---\na: 1\nrejected_at: x\n# c\nreject_reason: |\n  y\nb: 2\n---\nz',
      {},
      ['rejected_at', 'reject_reason', 'rejected_by'],
      '---\na: 1\n# c\nb: 2\n---\nz',
    ],
    ['removes every entry of a key', '---\nx: 1\na: 1\nx: 2\n---\n', {}, ['x'], '---\na: 1\n---\n'],
    [
      'removes the block when nothing is left',
      '---\nrejected_at: x\n---\nhello',
      {},
      ['rejected_at'],
      'hello',
    ],
    [
      'keeps an empty block that guards the body',
      '---\nx: 1\n---\n---\na: 1\n---\nb',
      {},
      ['x'],
      '---\n---\n---\na: 1\n---\nb',
    ],
    [
      'leaves a comment above the key',
      '---\n# c\nx: 1\ny: 2\n---\nhello',
      {},
      ['x'],
      '---\n# c\ny: 2\n---\nhello',
    ],
    ['sets what it also removes', '---\nx: 1\n---\n', { x: 'b' }, ['x'], '---\nx: b\n---\n'],
    [
      'drops a BOM and blank lines above the block',
      '\uFEFF\n---\na: 1\n---\nb',
      { x: 'z' },
      [],
      '---\na: 1\nx: z\n---\nb',
    ],
    [
      'changes nothing when there is nothing to change',
      '---\nhall: x\nwing: y\n---\nb',
      {},
      ['z'],
      '---\nhall: x\nwing: y\n---\nb',
    ],
    [
      'edits a block that is no YAML',
      '---\ntitle: a: b\nx: @y\n---\nb',
      { wing: 'w' },
      ['x'],
      '---\nwing: w\ntitle: a: b\n---\nb',
    ],
    [
      'keeps merge keys',
      '---\nb: &b {x: 1}\n<<: *b\n---\n',
      { wing: 'w' },
      [],
      '---\nwing: w\nb: &b {x: 1}\n<<: *b\n---\n',
    ],
    [
      'leaves a language block below',
      '---js\nx\n---\n',
      { wing: 'w' },
      [],
      '---\nwing: w\n---\n---js\nx\n---\n',
    ],
    [
      'cleans values',
      'x',
      { reject_reason: ' no:\nwing: evil\u0000 ' },
      [],
      '---\nreject_reason: "no: wing: evil"\n---\nx',
    ],
    ['keeps a missing line feed', '---\na: 1\n---', { wing: 'w' }, [], '---\nwing: w\na: 1\n---'],
  ])('%s', (_name, text, set, remove, result) => {
    expect(setKeys(text, set, remove).text).toBe(result);
    expect(parseNote(result).body).toBe(parseNote(text).body);
  });

  it('warns of an envelope that breaks its rules and of repeated keys', () => {
    expect(setKeys('---\nhalf_life: durable\nhall: a\nhall: b\n---\n', { wing: 'w' })).toEqual({
      text: '---\nwing: w\nhall: a\nhalf_life: durable\n---\n',
      warnings: [
        '"hall" stood more than once in the front matter: the first one counts.',
        '"half_life" without "claim_provenance": add claim_provenance (asserted or inferred), or leave half_life out.',
      ],
    });
  });

  it.each<[text: string, line: number]>([
    ['---\n- a\n---\n', 2],
    ['---\na: 1\n\nHello\n\n---\n', 4],
    ['---\na: "x\nwing: y"\n---\n', 3],
    ['---\n"wi\\x6eg": x\n---\n', 2],
    [`---\na: ${'['.repeat(65)}\n---\n`, 2],
  ])('refuses a block that cannot be edited safely: %#', (text, line) => {
    const act = () => setKeys(text, { wing: 'w' });
    expect(act).toThrow(BrainError);
    expect(act).toThrow(expect.objectContaining({ code: 'invalid_frontmatter', details: { line } }));
  });
});

describe('replaceBody', () => {
  it.each<[name: string, text: string, body: string, result: string]>([
    ['a note with a block', '---\na:   1\r\n--- \nold', 'new', '---\na:   1\r\n--- \nnew'],
    ['a note whose block nobody can read, as it is text', '---\n- x: [\n---\nold', 'new', 'new'],
    ['a body that is text between two rules', 'old', '---\n- x: [\n---\n', '---\n- x: [\n---\n'],
    ['a note that ends with its block', '---\na: 1\n---', 'new', '---\na: 1\n---\nnew'],
    ['a note without a block', 'old', 'new', 'new'],
    ['a note that stays without a body', '---\na: 1\n---', '', '---\na: 1\n---'],
    ['a body that begins like front matter', 'old', '---\nwing: x\n---\n', '---\n---\n---\nwing: x\n---\n'],
    ['a body with a BOM', 'old', '\uFEFFnew', '---\n---\n\uFEFFnew'],
  ])('%s', (_name, text, body, result) => {
    expect(replaceBody(text, body)).toBe(result);
    expect(parseNote(result).body).toBe(body);
  });
});
