import matter from 'gray-matter';
import { FAILSAFE_SCHEMA, load, Schema, Type } from 'js-yaml-3';
import { MAX_BLOCK, MAX_DEPTH } from './danger';
import { plainReason } from './yaml-words';

// gray-matter runs `---js` blocks as code. Nothing here lets a text choose its engine; taking the engine away as well
// means that no later call, in no other module, can bring it back.
const engines: unknown = Reflect.get(matter, 'engines');
if (typeof engines === 'object' && engines !== null) Reflect.deleteProperty(engines, 'javascript');

const deny = {
  parse(): never {
    throw new Error('only YAML is read');
  },
};

/** A null as it stands in the text, until it is known whether it is a value or a key: as a key it is that word. */
class Null {
  readonly [Symbol.toStringTag] = 'Null';

  constructor(private readonly word: string) {}

  toString(): string {
    return this.word;
  }
}

/** YAML 1.1 and 1.2 agree on these, where they stand without quotes. */
const NULLS: ReadonlySet<unknown> = new Set(['~', 'null', 'Null', 'NULL']);

/** Scalars are text as it was written, but for null: only the parser knows whether a word stood in quotes. */
const SCHEMA = new Schema({
  include: [FAILSAFE_SCHEMA],
  implicit: [
    new Type('tag:yaml.org,2002:null', {
      kind: 'scalar',
      resolve: (data: unknown) => data === null || NULLS.has(data),
      construct: (data: unknown) => (typeof data === 'string' ? new Null(data) : null),
    }),
  ],
});

/** Reads scalars as text only; a repeated key inside a value is no error. */
function readDocument(text: string): { document: unknown } {
  const document: unknown = load(text, { schema: SCHEMA, json: true });
  return { document };
}

const OPTIONS = {
  language: 'yaml',
  engines: {
    yaml: { parse: readDocument },
    json: deny,
    javascript: deny,
    coffee: deny,
  },
};

/** Top-level keys and what they say; always without a prototype. */
export type Values = Readonly<Record<string, unknown>>;

/** What a YAML reader makes of a block. `fatal` marks what is no mistake in writing but an attack on the reader. */
export type Reading = { readonly values: Values } | { readonly reason: string; readonly fatal: boolean };

/** Characters that a block may mean once its aliases are followed; without aliases it can never mean more than it holds. */
const MAX_MEANING = 4 * MAX_BLOCK;

/**
 * Reads a block of YAML as text: every scalar is a string as it was written (`0123`, `no`, dates), an empty value and a
 * plain `null` or `~` are null, maps have no prototype. Never throws, never runs anything. The block must have passed `dangerIn`.
 */
export function readYaml(block: string): Reading {
  let document: unknown;
  try {
    // The options are never left out: without them the library caches results for ever and shares them.
    const { data } = matter(`---\n${block}\n---\n`, OPTIONS);
    document = 'document' in data ? data.document : null;
  } catch (error) {
    return { reason: reasonOf(error), fatal: error instanceof RangeError };
  }
  if (document === null || document === undefined || document instanceof Null) return { values: emptyMap() };
  if (typeof document !== 'object' || Array.isArray(document)) {
    return { reason: 'it is not a list of keys with values', fatal: true };
  }
  try {
    return { values: copyMap(document, { left: MAX_MEANING }, 1) };
  } catch (error) {
    if (error instanceof TooMuch) return { reason: error.message, fatal: true };
    throw error;
  }
}

/** A map without a prototype: a key such as `__proto__` or `toString` is a key like any other in it. */
export function emptyMap(): Record<string, unknown> {
  return { __proto__: null };
}

class TooMuch extends Error {}

interface Budget {
  left: number;
}

function copyMap(map: object, budget: Budget, depth: number): Values {
  const copy = emptyMap();
  for (const [key, value] of Object.entries(map)) {
    spend(budget, key.length);
    copy[key] = copyValue(value, budget, depth);
  }
  return copy;
}

/** A copy that shares nothing: an alias that stands for a large or endless structure shows its true size here. */
function copyValue(value: unknown, budget: Budget, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new TooMuch('lists or maps are nested too deep');
  if (value instanceof Null) return null;
  if (Array.isArray(value)) {
    spend(budget, 1);
    return value.map((item: unknown) => copyValue(item, budget, depth + 1));
  }
  if (typeof value === 'object' && value !== null) {
    // A placeholder such as {{date}} is a map with a map for its key, which no property means: it is no value yet.
    if (Object.keys(value).some((key) => key.includes('[object Object]'))) return null;
    return copyMap(value, budget, depth + 1);
  }
  spend(budget, typeof value === 'string' ? value.length + 1 : 1);
  return value;
}

function spend(budget: Budget, amount: number): void {
  budget.left -= amount;
  if (budget.left < 0) throw new TooMuch('its aliases stand for too much text');
}

/** What the parser found, in plain words. */
function reasonOf(error: unknown): string {
  const reason: unknown = error instanceof Error ? Reflect.get(error, 'reason') : undefined;
  return plainReason(typeof reason === 'string' ? reason : '');
}
