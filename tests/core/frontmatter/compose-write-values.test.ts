import { BrainError } from '../../../src/core/base/errors';
import {
  type Composed,
  composeWrite,
  openContent,
  type WriteValues,
} from '../../../src/core/frontmatter/compose';
import { parseNote } from '../../../src/core/frontmatter/parse';

const VALUES: WriteValues = {
  address: { wing: 'homelab', hall: 'decisions' },
  created_at: '2026-11-20T10:32:00Z',
  origin: 'mcp',
  written_by: 'laptop',
  options: {},
};
const STAMP = 'wing: homelab\nhall: decisions\ncreated_at: 2026-11-20T10:32:00Z\n';
const WRITER = 'origin: mcp\nwritten_by: laptop\n';

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

describe('composeWrite with values beside the content', () => {
  describe('options', () => {
    it('stand in for what the content lacks, in the order of the keys', () => {
      const options = {
        claim_provenance: 'inferred',
        applies: 'local',
        half_life: 'durable',
        source_type: 'external',
        domain: 'net',
        type: 'note',
      };
      expect(write('hello', { options }).text).toBe(
        `---\n${STAMP}type: note\ndomain: net\nsource_type: external\nhalf_life: durable\napplies: local\nclaim_provenance: inferred\n${WRITER}---\nhello`,
      );
    });

    it('give way to the content', () => {
      const { text, warnings } = write('---\ntype: a\ndomain: d\nsource_type: external\n---\n', {
        options: { type: 'b', domain: 'd', source_type: 'internal' },
      });
      expect(text).toBe(`---\n${STAMP}type: a\ndomain: d\nsource_type: external\n${WRITER}---\n`);
      expect(warnings).toEqual([
        '"type" of the call was dropped: the content sets it.',
        '"source_type" of the call was dropped: the content sets it.',
      ]);
    });

    it('replace an empty type, domain or source_type', () => {
      const options = { type: 'b', domain: 'd', source_type: 'internal' };
      const { text, warnings } = write('---\ntype:\ndomain: ""\nsource_type: # none\n---\n', { options });
      expect(text).toBe(`---\n${STAMP}type: b\ndomain: d\nsource_type: internal\n${WRITER}---\n`);
      expect(warnings).toEqual([]);
    });

    it('are quoted where YAML would misread them, and made one line of at most 500 characters', () => {
      const { text, warnings } = write('', {
        options: { type: 'yes', domain: `a\nwing: evil\u0000${'x'.repeat(600)}` },
      });
      expect(text).toContain(`type: "yes"\ndomain: "a wing: evil${'x'.repeat(488)}"\n`);
      expect(warnings).toEqual([
        '"domain" was put on one line: its line breaks and tabs are not kept.',
        'Characters that front matter cannot hold were removed from "domain".',
        '"domain" was cut to 500 characters.',
      ]);
    });
  });

  describe('frontmatter', () => {
    it('adds keys that neither content nor options set', () => {
      const { text, warnings } = write('---\na: 1\n---\n', {
        options: { type: 'note' },
        frontmatter: {
          a: 2,
          type: 'other',
          domain: 'net',
          tags: ['x', 'a: b', 3],
          size: 1.5,
          yes: true,
          wing: 'x',
          locked: false,
        },
      });
      expect(text).toBe(
        `---\n${STAMP}type: note\ndomain: net\n${WRITER}a: 1\ntags: ["x", "a: b", 3]\nsize: 1.5\n"yes": true\n---\n`,
      );
      expect(warnings).toEqual([
        '"a" of the call was dropped: the content sets it.',
        '"type" of "frontmatter" was dropped: the call gives it as a field.',
        '"wing" was dropped: only the service sets it.',
        '"locked" was dropped: only a person sets it.',
      ]);
    });

    it('may bring the envelope and source_type, under the same rules', () => {
      expect(
        write('', {
          frontmatter: { half_life: 'durable', claim_provenance: 'asserted', source_type: 'external' },
        }).text,
      ).toContain('source_type: external\nhalf_life: durable\nclaim_provenance: asserted\n');
      expect(codeOf(() => write('', { frontmatter: { half_life: 'durable' } })).code).toBe(
        'invalid_envelope',
      );
      expect(codeOf(() => write('', { frontmatter: { source_type: ['internal'] } })).code).toBe(
        'invalid_source_type',
      );
    });

    it.each(['', ' a', 'a\nb', '<<', 'a"b', 'a\\b', 'a\0', 'x'.repeat(101)])('refuses the key %j', (key) => {
      expect(codeOf(() => write('', { frontmatter: { [key]: 'x' } })).code).toBe('invalid_field');
    });

    it.each([
      'a: b',
      '- a',
      '#a',
      '123',
      'null',
      "it's",
      '*x',
      '[a]',
      '{a',
      '?',
      'é',
      '东京',
      'a:',
      '@x',
      '---',
      '...',
    ])('writes the key %j so that it reads back', (key) => {
      expect(parseNote(write('hello', { frontmatter: { [key]: 'x' } }).text)).toMatchObject({
        frontmatter: { [key]: 'x' },
        body: 'hello',
        problem: null,
      });
    });

    it('takes __proto__ for a key', () => {
      const frontmatter: WriteValues['frontmatter'] = JSON.parse('{"__proto__": "x"}');
      expect(write('', { frontmatter }).text).toContain(
        '\n__proto__: x\n'.replace('__proto__', '"__proto__"'),
      );
    });
  });

  describe('source_type', () => {
    const facts = { address: { wing: 'homelab', hall: 'facts' as const } };
    it.each<[name: string, content: string, values: Partial<WriteValues>, line: string | undefined]>([
      ['internal for facts', '', facts, 'internal'],
      ['nothing for other halls', '', {}, undefined],
      ['what the content says', '---\nsource_type: external\n---\n', facts, 'external'],
      ['what the call says', '', { ...facts, options: { source_type: 'external' } }, 'external'],
      ['what frontmatter says', '', { ...facts, frontmatter: { source_type: 'external' } }, 'external'],
      ['internal for facts when the content leaves it empty', '---\nsource_type:\n---\n', facts, 'internal'],
      ['internal for facts without an address', '---\nhall: facts\n---\n', { address: null }, 'internal'],
    ])('is %s', (_name, content, values, value) => {
      expect(parseNote(write(content, values).text).frontmatter.source_type).toBe(value);
    });

    it.each<[content: string, options: WriteValues['options']]>([
      ['---\nsource_type: outside\n---\n', {}],
      ['---\nsource_type: Internal\n---\n', {}],
      ['---\nsource_type: [internal]\n---\n', {}],
      ['---\nsource_type: @x\n---\n', {}],
      ['', { source_type: 'outside' }],
      ['', { source_type: '' }],
    ])('is refused outside its values: %j %j', (content, options) => {
      expect(codeOf(() => write(content, { options }))).toEqual({
        code: 'invalid_source_type',
        details: { field: 'source_type', allowed: ['internal', 'external'] },
      });
    });
  });

  describe('the envelope', () => {
    it.each<[content: string, options: WriteValues['options']]>([
      ['---\nhalf_life: durable\n---\n', {}],
      ['---\nhalf_life:\nclaim_provenance: asserted\n---\n', {}],
      ['---\nhalf_life: ""\n---\n', {}],
      ['---\nclaim_provenance: asserted\n---\n', {}],
      ['---\nhalf_life: [durable]\nclaim_provenance: asserted\n---\n', {}],
      ['---\nhalf_life: @x\nclaim_provenance: asserted\n---\n', {}],
      ['---\n"half_life" : eternal\n---\n', { claim_provenance: 'asserted' }],
      ['', { half_life: 'durable' }],
      ['', { half_life: '', claim_provenance: 'asserted' }],
      ['', { claim_provenance: 'asserted' }],
      ['---\nhalf_life: eternal\n---\n', { half_life: 'durable', claim_provenance: 'asserted' }],
    ])('is checked on the merged note: %j %j', (content, options) => {
      expect(codeOf(() => write(content, { options })).code).toBe('invalid_envelope');
    });

    it('may come half from the content and half from the call', () => {
      const { text } = write('---\nhalf_life: durable\n---\n', { options: { claim_provenance: 'asserted' } });
      expect(text).toContain('half_life: durable\nclaim_provenance: asserted\n');
    });
  });
});
