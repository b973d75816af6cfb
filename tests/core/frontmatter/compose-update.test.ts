import { BrainError } from '../../../src/core/base/errors';
import {
  type Composed,
  composeUpdate,
  openContent,
  type UpdateValues,
} from '../../../src/core/frontmatter/compose';
import { parseNote } from '../../../src/core/frontmatter/parse';

const HASH = 'c0ffee'.padEnd(64, '0');
const VALUES: UpdateValues = {
  set: {
    updated_at: '2026-11-21T00:00:00Z',
    supersedes: HASH,
    supersede_reason: 'measured: again',
    origin: 'http',
    written_by: 'desk',
  },
  envelope: {},
};
const KEPT = 'wing: homelab\nhall: facts\ncreated_at: 2026-11-20T10:32:00Z\n';
const CURRENT = `---\n# top\n${KEPT}origin: mcp\nwritten_by: laptop\ntags:\n- a # one\naliases: ["x"]\n---\nold body\n`;
const SET = `updated_at: 2026-11-21T00:00:00Z\nsupersedes: ${HASH}\nsupersede_reason: "measured: again"\n`;

function update(current: string, content: string, values: Partial<UpdateValues> = {}): Composed {
  const opened = openContent(content);
  return composeUpdate(current, opened, opened.body, { ...VALUES, ...values });
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof BrainError) return error.code;
    throw error;
  }
  throw new Error('was written');
}

describe('composeUpdate', () => {
  it('replaces the body and the service’s keys, and keeps all other bytes', () => {
    expect(update(CURRENT, 'new body')).toEqual({
      text: `---\n# top\n${KEPT}origin: http\nwritten_by: desk\n${SET}tags:\n- a # one\naliases: ["x"]\n---\nnew body`,
      warnings: [],
    });
  });

  it('lets the caller replace and add keys', () => {
    const { text, warnings } = update(CURRENT, '---\naliases:\n  - y\n# on b\nb: 1\ntype: note\n---\nnew', {
      frontmatter: { tags: ['z'], b: 2, c: 3 },
    });
    expect(text).toBe(
      `---\n# top\n${KEPT}type: note\norigin: http\nwritten_by: desk\n${SET}tags: ["z"]\naliases:\n  - y\n# on b\nb: 1\nc: 3\n---\nnew`,
    );
    expect(warnings).toEqual(['"b" of the call was dropped: the content sets it.']);
  });

  it('drops what only the service sets; what was read from the note and comes back is no attempt', () => {
    const { text, warnings } = update(CURRENT, `---\n${KEPT}written_by: someone\nsupersedes: abc\n---\nnew`, {
      frontmatter: { hall: 'sources' },
    });
    expect(parseNote(text).frontmatter).toMatchObject({
      wing: 'homelab',
      hall: 'facts',
      written_by: 'desk',
      supersedes: HASH,
    });
    expect(warnings).toEqual([
      '"written_by" was dropped: only the service sets it.',
      '"supersedes" was dropped: only the service sets it.',
      '"hall" was dropped: only the service sets it.',
    ]);
  });

  it('gives the same text when its own result is updated alike', () => {
    const content = '---\naliases:\n  - y\n\nb: |+\n  1\n\n# on c\nc: 1\n---\nnew';
    const once = update(CURRENT, content).text;
    expect(update(once, content).text).toBe(once);
  });

  it.each<[name: string, current: string, text: string]>([
    ['no block', 'old', `---\norigin: http\nwritten_by: desk\n${SET}---\nnew`],
    ['a BOM', '\uFEFF---\na: 1\n---\nold', `---\norigin: http\nwritten_by: desk\n${SET}a: 1\n---\nnew`],
    [
      'no line feed at the end',
      '---\na: 1\n---',
      `---\norigin: http\nwritten_by: desk\n${SET}a: 1\n---\nnew`,
    ],
    ['a language', '---js\nx\n---\n', `---\norigin: http\nwritten_by: desk\n${SET}---\nnew`],
    [
      'a block that is no YAML',
      '---\ntitle: a: b\n---\nold',
      `---\norigin: http\nwritten_by: desk\n${SET}title: a: b\n---\nnew`,
    ],
    [
      'CRLF',
      '---\r\na: 1\r\n---\r\nold',
      `${`---\norigin: http\nwritten_by: desk\n${SET}a: 1\n---\n`.replaceAll('\n', '\r\n')}new`,
    ],
  ])('takes a note with %s', (_name, current, text) => {
    expect(update(current, 'new').text).toBe(text);
  });

  it('checks the envelope on the merged note, so that one of its fields can change alone', () => {
    const current = '---\nhalf_life: durable\nclaim_provenance: asserted\n---\n';
    expect(update(current, 'x', { envelope: { half_life: 'volatile' } }).text).toContain(
      'half_life: volatile\n',
    );
    expect(update(current, '---\napplies: local\n---\n').text).toContain(
      'half_life: durable\napplies: local\n',
    );
    expect(codeOf(() => update(current, 'x', { envelope: { half_life: 'eternal' } }))).toBe(
      'invalid_envelope',
    );
    expect(codeOf(() => update('---\na: 1\n---\n', 'x', { envelope: { half_life: 'durable' } }))).toBe(
      'invalid_envelope',
    );
    expect(codeOf(() => update('---\nhalf_life: durable\n---\n', 'x'))).toBe('invalid_envelope');
    expect(codeOf(() => update(current, '---\nhalf_life:\n---\n'))).toBe('invalid_envelope');
  });

  it('takes empty values', () => {
    expect(update(CURRENT, '---\naliases:\nb:\ntype:\n---\n').text).toContain('aliases:\nb:\n---\n');
  });

  it('lets the call give the type that the content leaves empty', () => {
    const { text, warnings } = update(CURRENT, '---\ntype:\n---\n', { frontmatter: { type: 'note' } });
    expect(text).toContain('type: note\n');
    expect(warnings).toEqual([]);
  });

  it('lets the content speak before the call', () => {
    const { text, warnings } = update(CURRENT, '---\nhalf_life: durable\nclaim_provenance: asserted\n---\n', {
      envelope: { half_life: 'volatile' },
    });
    expect(text).toContain('half_life: durable\n');
    expect(warnings).toEqual(['"half_life" of the call was dropped: the content sets it.']);
  });

  it('refuses a source_type outside its values from a caller, and leaves an old one alone', () => {
    expect(codeOf(() => update(CURRENT, '---\nsource_type: x\n---\n'))).toBe('invalid_source_type');
    expect(codeOf(() => update(CURRENT, '', { frontmatter: { source_type: 'x' } }))).toBe(
      'invalid_source_type',
    );
    expect(update('---\nsource_type: x\n---\n', 'new').text).toContain('source_type: x\n');
  });

  it.each(['---\n- a\n---\n', '---\n\ntext\n\n---\n', '---\na: "x\nwing: y"\n---\n', '---\n? a\n: b\n---\n'])(
    'refuses a note whose block cannot be edited: %j',
    (current) => {
      expect(codeOf(() => update(current, 'new'))).toBe('invalid_frontmatter');
    },
  );

  it('refuses keys that would break what stands there', () => {
    expect(codeOf(() => update('---\na: &x 1\nb: *x\n---\n', '---\na: 2\n---\n'))).toBe(
      'invalid_frontmatter',
    );
    expect(codeOf(() => update('---\na: *x\nb: 1\n---\n', '---\nb: &x 2\nc: [\n1]\n---\n'))).toBe(
      'invalid_frontmatter',
    );
  });
});
