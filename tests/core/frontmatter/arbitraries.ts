import * as fc from 'fast-check';
import { parse } from 'yaml';
import { BrainError } from '../../../src/core/base/errors';
import { SERVICE_KEYS } from '../../../src/core/frontmatter/block';
import { composeWrite, openContent, type WriteValues } from '../../../src/core/frontmatter/compose';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { splitNote } from '../../../src/core/frontmatter/split';

export const RUNS = { numRuns: 1000 };

/** Values as people write them, each a whole number of lines below its key. */
const VALUES_AS_WRITTEN = [
  ' plain',
  ' "quoted: x"',
  " 'it''s'",
  ' 0123',
  ' no',
  ' 2024-01-02',
  ' [a, "b, c"]',
  ' {x: 1, y: [2]}',
  '',
  ' # only a comment',
  ' text # comment',
  ' |\n  one: 1\n\n  # two',
  ' |+\n  kept\n\n',
  ' >-\n  folded\n  text',
  '\n  nested:\n    - 1\n    - x: y',
  '\n- a\n- b: c\n  d: e',
  '\n  - a\n# inside\n  - b',
  ' [\n  a,\n  b\n]',
  ' "over\n  lines"',
  ' plain\n  over lines',
  ' "[[wiki/a|b]]"',
  ' &anchor x',
  ' !!str 12',
  '\t tab',
  ' https://example.org/a:b#c',
  ' "\\u00e9\\n"',
  ' 12:30',
  ' ~',
  ' 😀',
];

interface Foreign {
  readonly key: string;
  readonly bytes: string;
}

const foreign: fc.Arbitrary<Foreign[]> = fc.uniqueArray(
  fc
    .record({
      key: fc.constantFrom(
        'a',
        'b c',
        'tags',
        'aliases',
        'Wing',
        '东京',
        '1',
        'yes',
        '__proto__',
        'constructor',
        '-x',
        'a:b',
        'tunnels',
        'sources',
        'cssclasses',
      ),
      quote: fc.constantFrom('', '', '', '"', "'"),
      value: fc.constantFrom(...VALUES_AS_WRITTEN),
      above: fc.constantFrom('', '', '', '# on it\n', '# one\n\n# two\n'),
      below: fc.constantFrom('', '', '', '\n', '\n\n'),
    })
    .map(({ key, quote, value, above, below }) => ({
      key,
      bytes: `${above}${quote}${key}${quote}:${value}\n${below}`,
    })),
  { selector: ({ key }) => key, maxLength: 7 },
);

/** Keys of the service as content may bring them. */
const brought = fc.uniqueArray(
  fc.constantFrom(
    'wing: x\n',
    'hall: |\n  y\n',
    '"type": note\n',
    'type: "note"  # why\n',
    'source_type: external\n',
    'domain:\n',
    'origin: forged\n',
    'updated_at: 2020-01-01\n',
    'created_at: 2020-01-01\n',
    'supersedes: [x]\n',
    'rejected_by: me\n',
    'hall : z\n',
    '# loose\n',
  ),
  { maxLength: 5 },
);

export const bodies = fc.oneof(
  fc.constantFrom(
    '',
    'text',
    '\n\ntext\n',
    '---\n',
    '---\nnot closed',
    '---\ntext: x\n---\n',
    '---js\nx\n---\n',
    '\uFEFFx',
    '\r\nx\r\n',
    'a\rb',
    '\0',
    '...\n',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

interface Shuffled {
  readonly entries: readonly Foreign[];
  readonly content: string;
}

export const contents: fc.Arbitrary<Shuffled> = fc
  .record({
    entries: foreign,
    brought,
    places: fc.array(fc.nat(10), { minLength: 5, maxLength: 5 }),
    head: fc.constantFrom('', '', '# head\n', '\n# head\n\n'),
    end: fc.constantFrom('', '', '...\n', '# tail\n'),
    eol: fc.constantFrom('\n', '\n', '\r\n'),
    frame: fc.constantFrom<[open: string, close: string]>(
      ['---\n', '---\n'],
      ['---\n', '---'],
      ['\uFEFF---\n', '---\n'],
      ['\n--- \n', '---\t\n'],
    ),
    body: bodies,
  })
  .map(({ entries, brought: keys, places, head, end, eol, frame: [open = '', close = ''], body }) => {
    const lines = entries.map(({ bytes }) => bytes);
    keys.forEach((line, index) => lines.splice(places[index] ?? 0, 0, line));
    const withEol = (text: string) => text.replaceAll('\n', eol);
    const fenced = withEol(open + head + lines.join('') + end + close);
    return {
      entries: entries.map(({ key, bytes }) => ({ key, bytes: withEol(bytes) })),
      content: fenced + (close.endsWith('\n') ? body : ''),
    };
  });

export const text = fc.string({ unit: 'binary', maxLength: 30 });
export const values: fc.Arbitrary<WriteValues> = fc.record({
  address: fc.option(
    fc.record({
      wing: fc.oneof(fc.constantFrom('homelab', 'yes', '0123', '2024-01-02', 'a: b'), text),
      hall: fc.constantFrom('facts' as const, 'sources' as const),
    }),
  ),
  created_at: fc.constantFrom('2026-11-20T10:32:00Z', '2026-01-01T00:00:00Z'),
  origin: fc.constantFrom('mcp', 'http'),
  written_by: fc.oneof(fc.constantFrom('human:me', 'laptop (claude-code 2.1.300)'), text),
  options: fc.record({
    type: fc.option(text, { nil: undefined }),
    domain: fc.option(text, { nil: undefined }),
  }),
  frontmatter: fc.option(
    fc.dictionary(
      fc.constantFrom('a', 'tags', 'extra', 'null', 'x: y', 'wing'),
      fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.integer(), fc.boolean()),
      { maxKeys: 3 },
    ),
    { nil: undefined },
  ),
});

/** Opens and writes; content that is refused tells nothing about writing. */
export function write(content: string, given: WriteValues): { text: string; body: string } | null {
  try {
    const opened = openContent(content);
    return { text: composeWrite(opened, opened.body, given).text, body: opened.body };
  } catch (error) {
    if (error instanceof BrainError) return null;
    throw error;
  }
}

/** What other programs read in the block, with and without merge keys; null when they take it for no YAML. */
export function otherReaders(note: string, uniqueKeys = true): (Record<string, unknown> | null)[] {
  const block = splitNote(note)?.block ?? '';
  return [{}, { merge: true }].map((options) => {
    try {
      const read: unknown = parse(block, { ...options, schema: 'failsafe', uniqueKeys });
      return typeof read === 'object' && read !== null ? Object.fromEntries(Object.entries(read)) : {};
    } catch {
      return null;
    }
  });
}

/** True when front matter of the service stands right below the first block, where a reader could take it for more. */
export function isStacked(note: string): boolean {
  const below = splitNote(splitNote(note)?.body ?? '');
  if (below === null) return false;
  const { frontmatter, problem } = parseNote(below.open + below.block + below.close);
  return problem === null && SERVICE_KEYS.some((key) => Object.hasOwn(frontmatter, key));
}
