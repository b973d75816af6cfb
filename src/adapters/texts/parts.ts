import { isRecord } from '../../core/base/json';

/** The items that one part has at most: a thread copies a part in one go, and holds up everything else meanwhile. */
const ITEMS = 1024;

/** Some items of a long list or map in a value; `path` has the names of the properties that lead there. */
interface More {
  readonly path: readonly string[];
  readonly items: readonly unknown[];
}

/** A long list or map, which is read while its parts are taken. */
interface Long {
  readonly path: readonly string[];
  readonly all: Iterable<unknown>;
}

/** A part of a value of plain data: the value with its long lists and maps empty, or some of their items. */
export type Part = { readonly value: unknown } | More;

/** Returns a value in parts, the first of them the value itself. */
export function* partsOf(value: unknown): Generator<Part, void> {
  const long: Long[] = [];
  yield { value: shortened(value, [], long) };
  for (const { path, all } of long) {
    let items: unknown[] = [];
    for (const item of all) {
      if (items.length === ITEMS) {
        yield { path, items };
        items = [];
      }
      items.push(item);
    }
    yield { path, items };
  }
}

function shortened(value: unknown, path: readonly string[], long: Long[]): unknown {
  if (Array.isArray(value) || value instanceof Map) {
    const size = Array.isArray(value) ? value.length : value.size;
    if (size <= ITEMS) return value;
    long.push({ path, all: value });
    return Array.isArray(value) ? [] : new Map();
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, each]) => [name, shortened(each, [...path, name], long)]));
}

/** A value that comes in parts. */
export class JoinedParts {
  #value: unknown;

  /** The value as far as it has come. */
  get value(): unknown {
    return this.#value;
  }

  add(part: Part): void {
    if ('value' in part) {
      this.#value = part.value;
      return;
    }
    let at = this.#value;
    for (const name of part.path) at = isRecord(at) ? at[name] : undefined;
    if (Array.isArray(at)) at.push(...part.items);
    else if (at instanceof Map)
      for (const item of part.items) if (Array.isArray(item)) at.set(item[0], item[1]);
  }
}
