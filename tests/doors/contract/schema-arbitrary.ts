import * as fc from 'fast-check';

/** A JSON Schema as the API description holds it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Stands for something of the vault as it is when the request is sent: a pool, then which entry of it. */
const PLACEHOLDER = /^\ue000(path|hash|job):(\d+)$/;

/** The value with every placeholder replaced by what the vault has. */
export function resolvePlaceholders(
  value: unknown,
  pools: Readonly<Record<string, readonly string[]>>,
): unknown {
  if (typeof value === 'string') {
    const [, pool = '', index = '0'] = PLACEHOLDER.exec(value) ?? [];
    const known = pools[pool];
    return known === undefined || known.length === 0 ? value : known[Number(index) % known.length];
  }
  if (Array.isArray(value)) return value.map((element) => resolvePlaceholders(element, pools));
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => [key, resolvePlaceholders(element, pools)]),
  );
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const placeholder = (pool: 'path' | 'hash' | 'job') => fc.nat(99).map((n): string => `\ue000${pool}:${n}`);

const words = fc.constantFrom(
  'backup',
  'restic',
  'MTU',
  'wireguard',
  'schön',
  '東京',
  'Ω',
  '[[mtu]]',
  '#tag',
  '1',
  'true',
);
const sentence = fc.array(words, { maxLength: 12 }).map((all) => all.join(' '));

/** Text that looks like a note, and text that only claims to. */
const markdown = fc.oneof(
  sentence,
  sentence.map((text) => `# ${text}\n\n${text}\n`),
  sentence.map((text) => `---\ncustom: "${text.replaceAll('"', '')}"\n---\n${text}\n`),
  fc.constantFrom(
    '---\n',
    '---\na: [\n---\n',
    '---js\n1\n---\n',
    '\ufeff---\nwing: x\n---\n',
    '```dataview\n',
    '<script>',
  ),
);

const hostile = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\0',
  '..',
  '../../etc/passwd',
  '/etc/passwd',
  'C:\\x',
  '.obsidian/app.json',
  '.brain/version',
  'wiki/net/facts/../../../x.md',
  'con',
  '_index',
  'a'.repeat(300),
  '\u202egnp.exe',
  '%2e%2e%2f',
  '👩‍👩‍👧‍👦',
  'é'.normalize('NFD'),
  '__proto__',
  '${jndi:ldap://x}',
  "'; drop table brain_embeddings; --",
);

const text = fc.oneof(
  { weight: 3, arbitrary: sentence },
  { weight: 2, arbitrary: markdown },
  { weight: 1, arbitrary: hostile },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** What a field of this name usually holds, so that requests get past its first check. */
const BY_NAME: Readonly<Record<string, fc.Arbitrary<string>>> = {
  path: placeholder('path'),
  source: fc.oneof(placeholder('path'), fc.constantFrom('https://example.com/a', 'a book')),
  expected_hash: placeholder('hash'),
  hash: placeholder('hash'),
  id: placeholder('job'),
  wing: fc.constantFrom('net', 'new-wing', 'Home Lab'),
  slug: fc.constantFrom('mtu', 'fresh', 'Ünïcode'),
  filename: fc.constantFrom('mtu', 'fresh.md', 'two words'),
  window: fc.constantFrom('7d', '1h', '0d', '1w', '-1d'),
  since: fc.constantFrom('2026-11-01T00:00:00Z', '7d', 'yesterday'),
  title: fc.constantFrom('MTU', '', 'A title'),
};

/** Values that the schema accepts; a `name` helps to make them plausible. */
export function valuesOf(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum.map((value: unknown) => value));
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.anyOf))
    return fc.oneof(...schema.anyOf.filter(isSchema).map((one) => valuesOf(one, name)));
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type: unknown) => valuesOf({ ...schema, type }, name)));
  }
  switch (schema.type) {
    case 'string':
      return stringsOf(schema, name);
    case 'integer':
      return fc.integer({
        min: numberOf(schema.minimum, -9),
        max: Math.min(numberOf(schema.maximum, 500), 2000),
      });
    case 'number':
      return fc.double({
        min: numberOf(schema.minimum, -9),
        max: numberOf(schema.maximum, 1e6),
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf(isSchema(schema.items) ? schema.items : {}, name), {
        minLength: numberOf(schema.minItems, 0),
        maxLength: Math.min(numberOf(schema.maxItems, 4), 4),
      });
    case 'object':
      return objectsOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function stringsOf(schema: Schema, name: string): fc.Arbitrary<string> {
  const [min, max] = [numberOf(schema.minLength, 0), numberOf(schema.maxLength, 4000)];
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : null;
  const fits = (value: string) =>
    value.length >= min && value.length <= max && (pattern === null || pattern.test(value));
  const usual = BY_NAME[name];
  if (schema.pattern === '^[0-9a-f]{64}$') {
    return fc.oneof(
      placeholder('hash'),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
    );
  }
  // No other text is a nonce, and a filter would look for one for ever.
  if (name === 'nonce') return fc.stringMatching(/^[A-Za-z0-9_-]{43}$/);
  const free = fc.oneof(text, fc.constant('x'.repeat(max > 5000 ? 5000 : max))).filter(fits);
  return usual === undefined
    ? free
    : fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: free });
}

function objectsOf(schema: Schema): fc.Arbitrary<unknown> {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const entries = Object.entries(properties).filter((entry): entry is [string, Schema] => isSchema(entry[1]));
  const known = fc.record(Object.fromEntries(entries.map(([name, field]) => [name, valuesOf(field, name)])), {
    requiredKeys: required,
    noNullPrototype: true,
  });
  const extra = schema.additionalProperties;
  if (!isSchema(extra)) return known;
  const keys = valuesOf({ ...(isSchema(schema.propertyNames) ? schema.propertyNames : {}), type: 'string' });
  const others = fc.dictionary(keys.map(String), valuesOf(extra), { maxKeys: 3, noNullPrototype: true });
  return fc.tuple(others, known).map(([more, own]) => ({ ...more, ...own }));
}

/** Values that the schema refuses, most of them by one fault. */
export function brokenValuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const properties = isSchema(schema.properties) ? Object.keys(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom<unknown>(null, '', 0, -1, -0, 2 ** 53, [], {}, [[]], 'x'.repeat(5000), {
      toString: 1,
    }),
  );
  const valid = valuesOf(schema).map((value) => (isSchema(value) ? value : {}));
  const withField = (name: fc.Arbitrary<string>) =>
    fc.tuple(valid, name, junk).map(([value, key, other]) => ({ ...value, [key]: other }));
  const faults: fc.Arbitrary<unknown>[] = [
    withField(
      fc.oneof(
        fc.constantFrom('wings', 'domain', 'toString', '__proto__', 'Path'),
        fc.string({ maxLength: 12 }),
      ),
    ),
    junk,
  ];
  if (properties.length > 0)
    faults.push(withField(fc.constantFrom(...properties)), withField(fc.constantFrom(...properties)));
  if (required.length > 0) {
    faults.push(
      fc.tuple(valid, fc.constantFrom(...required)).map(([value, missing]) => {
        const { [missing]: _, ...rest } = value;
        return rest;
      }),
    );
  }
  return fc.oneof(...faults);
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
