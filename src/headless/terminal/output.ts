import type { Progress } from '../../core/base/steps';
import type { Reply } from './client';
import type { Output } from './io';

/**
 * Control characters, which must not reach a terminal from a note: they can retitle it, recolour it or hide what follows.
 */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Removes control and direction characters from text for a terminal; line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
}

/** Returns text for a terminal on one line. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** Prints an answer: the service's JSON with `json`, else a description for a person. */
export function show<T>(
  out: Output,
  json: boolean,
  reply: Reply<T>,
  describe: (value: T) => readonly string[],
): void {
  const text = json ? reply.text.trimEnd() : describe(reply.value).map(printable).join('\n');
  out.write(`${text}\n`);
}

/** Returns `1 note` or `2 notes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Aligns rows in columns, two spaces apart; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns the service's changes to the text and its warnings, one line each. */
export function remarks(result: { unlinked?: readonly string[]; warnings: readonly string[] }): string[] {
  const unlinked = (result.unlinked ?? []).map((target) => `  unlinked: ${oneLine(target)} (no such note)`);
  return [...unlinked, ...result.warnings.map((warning) => `  warning: ${oneLine(warning)}`)];
}

/**
 * Returns who wrote a note and through which door, as far as known; a writer with the name of its door ("watcher") is named
 * once.
 */
export function stamp({
  written_by,
  origin,
}: {
  written_by?: string | undefined;
  origin?: string | undefined;
}): string {
  if (written_by === undefined) return origin === undefined ? '' : `via ${origin}`;
  const isNamed = origin === undefined || written_by.split(' ')[0] === origin;
  return `by ${written_by}${isNamed ? '' : ` via ${origin}`}`;
}

const WIDTH = 30;

/** Returns a progress bar of constant length: `embedding [#####     ] 12/40`. */
export function progressBar(what: string, { done, total }: Progress): string {
  const filled = total === 0 ? 0 : Math.round((WIDTH * done) / total);
  return `${what} [${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done}/${total}`;
}
