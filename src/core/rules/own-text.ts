/**
 * The same text in memory of its own. An engine keeps what is cut out of a text as a view of it, so whoever keeps a title
 * keeps the whole note with it; nothing but memory depends on this.
 */
export function ownText<T extends string>(text: T): T {
  // V8 copies so short a cut by itself, and no view is made of less.
  if (text.length < SHORTEST_VIEW) return text;
  return ` ${text}`.slice(1) as T; // The very same text, which the compiler cannot see.
}

const SHORTEST_VIEW = 13;

/** Texts, lists and maps of them, all in memory of their own; maps have no prototype. Anything else is taken as it is. */
export function ownValue(value: unknown): unknown {
  if (typeof value === 'string') return ownText(value);
  if (Array.isArray(value)) return value.map(ownValue);
  if (typeof value === 'object' && value !== null) return ownMap(value);
  return value;
}

/** A map of values in memory of their own, without a prototype. */
export function ownMap(map: object): Record<string, unknown> {
  const own: Record<string, unknown> = { __proto__: null };
  for (const [key, value] of Object.entries(map)) own[key] = ownValue(value);
  return own;
}
