import { asciiOf, parsedJson } from '../base/json';
import type { StateStore } from '../ports/ports';

/** The byte that ends a line. */
export const LINE_FEED = 10;

/** The byte with which the rest of a line is filled that is rewritten in its place. */
export const SPACE = 32;

/** The most of the lines that is encoded and appended in one step, so that all of them are there or none (UTF-16 units). */
export const PIECE = 1 << 15;

/**
 * Appends values to a log, a line of JSON each; durable when `sync` is true. Resolves with the number of characters that it added.
 * The lines are ASCII: wherever a cut ends them, the file is UTF-8, and all lines before can be read. Long ones are appended in
 * pieces, so an append that rejects may leave a part of them.
 */
export async function appendLines(
  state: Pick<StateStore, 'append'>,
  file: string,
  values: readonly object[],
  sync: boolean,
): Promise<number> {
  // The leading line feed ends a line that a cut or a full disk left incomplete.
  const text = `\n${values.map((value) => `${JSON.stringify(value)}\n`).join('')}`;
  let added = 0;
  for (let at = 0; at < text.length; at += PIECE) {
    const piece = asciiOf(text.slice(at, at + PIECE));
    await state.append(file, piece, sync && at + PIECE >= text.length);
    added += piece.length;
  }
  return added;
}

/**
 * Returns what the lines of a log hold, oldest first, without those that are torn.
 * @param read returns what a parsed line holds, null when it is none of the log's
 */
export function valuesOf<T>(text: string | null, read: (value: unknown) => T | null): T[] {
  return (text?.split('\n') ?? []).map((line) => read(parseLine(line))).filter((value) => value !== null);
}

/** Parses a line; undefined for a torn or an empty one. A file that a person opened may begin with a BOM. */
export function parseLine(line: string): unknown {
  return parsedJson(line.trim());
}
