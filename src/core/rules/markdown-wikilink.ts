/** What stands between the brackets of a wikilink, and where it ends. */
export interface WikiText {
  readonly target: string;
  /** What parts the target from the words; in a table it is escaped. */
  readonly bar: string;
  readonly alias: string;
  /** Offset after the closing brackets. */
  readonly end: number;
  /** True when brackets stand in it, or a backslash before its end: what pairs with its own brackets is then in doubt. */
  readonly isMixed: boolean;
}

/** What in the inside of a wikilink could be read as a part of another link, or as no end of this one. */
export const MIXED = /[[\]]|\\$/;
const STOP = /\\[^\]\n]|\[\[|\]\]|\n/g;
const INSIDE = /^([^|\\]*(?:\\(?:[^|]|$)[^|\\]*)*)(?:(\\?\|)([^]*))?$/;

/**
 * Where the text behind the `[[` at an offset stops: at `]]`, which makes it a wikilink, or where it cannot be one any more, at
 * another `[[`, the end of the line or of the text.
 */
export function wikiStop(text: string, from: number): number {
  // The second bracket may be the first one of another opening.
  STOP.lastIndex = from + 1;
  let found = STOP.exec(text);
  while (found?.[0].startsWith('\\')) found = STOP.exec(text);
  return found?.index ?? text.length;
}

/** The wikilink that opens at `from`, or null. Single brackets may stand in it. */
export function readWiki(text: string, from: number, stop: number): WikiText | null {
  if (!text.startsWith(']]', stop)) return null;
  const start = from + 2;
  // `[[a|[b]]]`: the first of three brackets closes the one inside.
  const close = text[stop + 2] === ']' && endsOpen(text.slice(start, stop)) ? stop + 1 : stop;
  const inside = text.slice(start, close);
  const [, target = '', bar = '', alias = ''] = INSIDE.exec(inside) ?? [];
  return { target, bar, alias, end: close + 2, isMixed: MIXED.test(inside) };
}

/** True when a bracket opens in the text and none closes it. */
function endsOpen(text: string): boolean {
  let depth = 0;
  for (const bracket of text.match(/[[\]]/g) ?? []) {
    depth = bracket === '[' ? depth + 1 : Math.max(0, depth - 1);
  }
  return depth > 0;
}
