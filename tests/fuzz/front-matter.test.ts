import * as fc from 'fast-check';
import matter from 'gray-matter';
import { FAILSAFE_SCHEMA, load } from 'js-yaml-3';
import { parse } from 'yaml';
import { BrainError } from '../../src/core/base/errors';
import { composeUpdate, composeWrite, openContent, setKeys } from '../../src/core/frontmatter/compose';
import { parseNote } from '../../src/core/frontmatter/parse';
import { readYaml } from '../../src/core/frontmatter/yaml';
import { dangerIn, splitNote, withoutBom } from '../../src/core/frontmatter/split';
import { SERVICE_KEYS } from '../../src/core/frontmatter/block';
import { PROTECTED_KEYS } from '../../src/core/vocabulary/envelope';
import { contents } from '../core/frontmatter/arbitraries';
import { cpuMs } from '../support/cpu';
import { fuzz } from './fuzz';
import { mutated, repeated } from './mutations';
import { FRONT_MATTER } from './regressions';

const PIECES = [
  ...[
    '---',
    '---\n',
    '\n---\n',
    '--- \n',
    '---js\n',
    '...\n',
    '\n...\n',
    '----\n',
    '\uFEFF',
    '\r\n',
    '\r',
    '\n',
    '\t',
    ' ',
    '  ',
  ],
  ...[
    'wing: evil',
    'hall: facts',
    'origin: human',
    'written_by: human:me',
    'supersedes: x',
    'promoted_by: me',
    'half_life: durable',
  ],
  ...[
    'created_at: 1999-01-01',
    '"wing": x',
    "'wing': x",
    'wing : x',
    ' wing: x',
    '\twing: x',
    'w\u200bing: x',
    'Wing: x',
    'wing:x',
    'wing:\n',
    'wing',
    '"w\\x69ng": x',
  ],
  ...[
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    ': ',
    ' #',
    '#',
    '|',
    '|+',
    '>-',
    '&a',
    '*a',
    '<<: *a',
    '? ',
    '- ',
    '!',
    '!!str ',
    '%YAML 1.1',
    '@',
    '`',
  ],
  ...[
    '\u2028',
    '\u2029',
    '\u0085',
    '\0',
    '\u00a0',
    '\ud800',
    '__proto__',
    'constructor: x',
    '\\',
    "''",
    '""',
    '~',
    'null',
    '{ "a": 1 }',
    '{\n"b": 2\n}',
    '"wing": 1,',
    ', "hall": "x"',
    '0x1f',
    '1e3',
    '12:30',
  ],
];
const BLOCKS = [
  '---\ntitle: A note\ntags: [a, b]\n---\nBody\n',
  '---\nwing: homelab\nhall: facts\ncreated_at: 2026-01-01T00:00:00Z\norigin: mcp\nwritten_by: laptop\n---\n# Title\n',
  '---\ntitle: "quoted: x"\nlist:\n  - one\n  - two: three\nmap: {a: 1, b: [2, 3]}\ntext: |\n  line one\n\n  line two\nend: yes\n---\n',
  '---\r\ntitle: x\r\naliases:\r\n- a\r\n- b\r\n---\r\nBody',
  '---\n# comment\nkey: &anchor value\nother: *anchor\n\n# tail\n---\n',
  '---\n{ "title": "x", "tags": ["a", "b"], "wing": "x" }\n---\nBody\n',
  '---\n{\n  "a": {\n    "b": [1.0, null]\n  },\n  "hall": "y"\n}\n---\n---\nwing: second\n---\nbody',
  '---\n# comment\n---\n# Title\n',
  "---\na: 'it''s'\nb: >-\n  folded\n  text\nc:\nd: ~\n---\n---\nwing: second\n---\nbody",
];
const soup = fc
  .array(fc.constantFrom(...PIECES, 'a: b\n', 'b:\n  c: d\n'), { maxLength: 24 })
  .map((parts) => parts.join(''));
const notes = fc.oneof(
  mutated(fc.constantFrom(...BLOCKS), PIECES),
  mutated(
    contents.map(({ content }) => content),
    PIECES,
    3,
  ),
  soup,
  soup.map((text) => `---\n${text}\n---\nbody`),
);

const STAMPS = {
  address: { wing: 'homelab', hall: 'sources' as const },
  created_at: '2026-11-20T10:32:00Z',
  origin: 'mcp',
  written_by: 'laptop (claude-code 2.1.300)',
  options: {},
};
const SET = {
  updated_at: '2026-11-21T00:00:00Z',
  supersedes: 'e1',
  supersede_reason: 'x: "y"',
  origin: 'http',
  written_by: 'other',
};

/** What a rule gives, or null when it refuses in the way that it may. */
function unlessRefused<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof BrainError && error.code !== 'internal') return null;
    throw error;
  }
}

const written = (content: string) =>
  unlessRefused(() => {
    const opened = openContent(content);
    return { opened, text: composeWrite(opened, opened.body, STAMPS).text };
  });

/** Readers that share no code with the service's own, each over the whole note. Null: it takes the front matter for none. */
const READERS: Readonly<Record<string, (note: string) => Record<string, unknown> | null>> = {
  yaml: (note) => yamlReading(note, {}),
  'yaml with merge keys': (note) => yamlReading(note, { merge: true }),
  'YAML 1.1': (note) => yamlReading(note, { version: '1.1' }),
  'gray-matter': (note) => {
    // Its own idea of where a block begins and ends, too.
    const read = (text: string) => ({ read: load(text, { schema: FAILSAFE_SCHEMA, json: true }) });
    try {
      const { data } = matter(note, { language: 'yaml', engines: { yaml: { parse: read } } });
      return asRecord('read' in data ? data.read : null);
    } catch {
      return null;
    }
  },
  'a reader of lines': (note) => {
    // What shell scripts do: the first line that begins with the key counts.
    const found: Record<string, string> = {};
    const block = splitNote(note)?.block ?? '';
    // It knows no JSON.
    if (block.trimStart().startsWith('{')) return null;
    for (const line of block.split(/\r?\n/)) {
      const [, key, value] = /^([a-z_]+):[ \t]*(.*)$/.exec(line) ?? [];
      if (key !== undefined && value !== undefined) found[key] ??= value.replace(/^"(.*)"$/, '$1');
    }
    return found;
  },
};

function yamlReading(note: string, options: object): Record<string, unknown> | null {
  try {
    const read: unknown = parse(splitNote(note)?.block ?? '', {
      ...options,
      schema: 'failsafe',
      uniqueKeys: false,
      logLevel: 'error',
    });
    return asRecord(read);
  } catch {
    return null;
  }
}

function asRecord(read: unknown): Record<string, unknown> | null {
  return typeof read === 'object' && read !== null && !Array.isArray(read)
    ? Object.fromEntries(Object.entries(read))
    : null;
}

const cases = FRONT_MATTER.map((text): [string] => [text]);

fuzz(
  'no reader finds a key of the service that the service did not set',
  1500,
  fc.property(notes, (content) => {
    const result = written(content);
    if (result === null) return;
    const stamped: Record<string, string> = {
      ...STAMPS.address,
      created_at: STAMPS.created_at,
      origin: STAMPS.origin,
      written_by: STAMPS.written_by,
    };
    for (const [name, read] of Object.entries(READERS)) {
      const values = read(result.text);
      if (values === null) continue;
      const owned = Object.fromEntries(
        PROTECTED_KEYS.filter((key) => Object.hasOwn(values, key)).map((key) => [key, values[key]]),
      );
      expect({ name, owned }).toEqual({ name, owned: stamped });
    }
  }),
  cases,
);

fuzz(
  'what belongs to others reads the same before and after',
  1500,
  fc.property(notes, (content) => {
    const result = written(content);
    // Of two blocks that became one this tells nothing.
    if (result === null || result.opened.body !== parseNote(content).body) return;
    // What nobody sees is taken out, of keys too.
    if (result.opened.warnings.some((warning) => warning.startsWith('Invisible'))) return;
    // Such a line ends the block for some readers, and for others it does not.
    if (splitNote(content) === null || /^---[^ \t\r\n]/m.test(content)) return;
    // A byte order mark is passed over at the beginning of what is read, and part of a key anywhere else.
    if (/^---[ \t]*\r?\n\uFEFF/m.test(content)) return;
    for (const name of ['yaml', 'gray-matter'] as const) {
      const [before, after] = [READERS[name]?.(content) ?? null, READERS[name]?.(result.text) ?? null];
      if (before === null || after === null) continue;
      expect({ name, values: foreignOf(after) }).toEqual({ name, values: foreignOf(before) });
    }
    expect(parseNote(result.text).body).toBe(result.opened.body);
  }),
  cases,
);

function foreignOf(values: Record<string, unknown>): Record<string, unknown> {
  const own: ReadonlySet<string> = new Set([...SERVICE_KEYS, ...PROTECTED_KEYS]);
  // The last value of a block loses its line ends in one of the readers.
  const trimmed = (value: unknown) => (typeof value === 'string' ? value.trimEnd() : value);
  return Object.fromEntries(
    Object.entries(values)
      .filter(([key]) => !own.has(key))
      .map(([key, value]) => [key, trimmed(value)]),
  );
}

fuzz(
  'the own reader agrees with another reader of YAML',
  1500,
  fc.property(notes, (note) => {
    const block = splitNote(note)?.block;
    if (block === undefined || dangerIn(block) !== null) return;
    const reading = readYaml(block);
    const other = yamlReading(note, { merge: false });
    if (!('values' in reading) || other === null) return;
    // A value that is left out is empty to one and null to the other, which knows no word for null either.
    const none: ReadonlySet<unknown> = new Set([null, '~', 'null', 'Null', 'NULL']);
    const plain = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (_, part: unknown) => (none.has(part) ? '' : part)));
    // A line that begins with a fence is refused before this reading counts.
    if (/[\u0085\u2028\u2029\u00a0\uFEFF\t&*!%]|^\s*[?<]|^---|[\]}]\s*:/mu.test(block)) return;
    expect(plain({ ...reading.values })).toEqual(plain(other));
  }),
  cases,
);

fuzz(
  'an update keeps the block that stands, and only the service sets its keys',
  1000,
  fc.property(notes, notes, (current, content) => {
    const result = unlessRefused(() => {
      const opened = openContent(content);
      return { opened, text: composeUpdate(current, opened, opened.body, { set: SET, envelope: {} }).text };
    });
    if (result === null) return;
    const was = parseNote(current).frontmatter;
    for (const [name, read] of Object.entries(READERS)) {
      const values = read(result.text);
      if (values === null) continue;
      expect({ name, ...values }).toMatchObject({ name, ...SET, supersede_reason: values.supersede_reason });
      if (name === 'a reader of lines') continue; // Keys that stand may be written in ways that it does not know.
      for (const key of ['wing', 'hall', 'created_at', 'promoted_by', 'rejected_by']) {
        expect([name, key, Object.hasOwn(values, key)]).toEqual([name, key, Object.hasOwn(was, key)]);
      }
    }
    expect(parseNote(result.text).body).toBe(result.opened.body);
  }),
  cases.map(([text]): [string, string] => ['---\ntitle: x\n---\nold', text]),
);

fuzz(
  'keys are set and taken away again with every byte in its place',
  1000,
  fc.property(notes, (note) => {
    const set = unlessRefused(
      () => setKeys(note, { promoted_at: '2026-11-20T10:32:00Z', tunnels: ['[[a|b]]'] }).text,
    );
    if (set === null) return;
    expect(parseNote(set).frontmatter).toMatchObject({
      promoted_at: '2026-11-20T10:32:00Z',
      tunnels: ['[[a|b]]'],
    });
    expect(parseNote(set).body).toBe(parseNote(note).body);
    const back = unlessRefused(() => setKeys(set, {}, ['promoted_at', 'tunnels']).text);
    if (back === null || /^["']?(?:promoted_at|tunnels)\b/m.test(note)) return;
    // Of a key of the service that stands twice the first one stays.
    const { warnings } = setKeys(note, { promoted_at: 'x' });
    if (warnings.some((warning) => warning.includes('more than once'))) return;
    // An empty block goes with the keys, and text below it may begin like another one.
    if (splitNote(back)?.body !== splitNote(note)?.body) return;
    const lines = (text: string) =>
      (splitNote(text)?.block ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
    expect(lines(back).sort()).toEqual(lines(note).sort());
  }),
  cases,
);

fuzz(
  'any text is read without an exception, and split so that no byte is lost',
  1500,
  fc.property(notes, (note) => {
    const { frontmatter, body } = parseNote(note);
    expect(Object.getPrototypeOf(frontmatter)).toBeNull();
    const split = splitNote(note);
    if (split === null) return;
    expect(note.endsWith(split.open + split.block + split.close + split.body)).toBe(true);
    if (body === split.body) return;
    // All of it is text where the block says nothing that can be read.
    expect(Object.keys(frontmatter)).toEqual([]);
    expect(body).toBe(withoutBom(note));
  }),
  cases,
);

fuzz(
  'no text of some kilobytes takes longer than a blink',
  40,
  fc.property(repeated(PIECES, 60_000), fc.boolean(), (text, isBlock) => {
    const note = isBlock ? `---\n${text}\n---\nbody` : text;
    const start = cpuMs();
    parseNote(note);
    written(note);
    unlessRefused(() => setKeys(note, { promoted_at: 'x' }));
    expect(cpuMs() - start).toBeLessThan(3000);
  }),
);
