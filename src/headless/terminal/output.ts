import type { Progress } from '../../core/base/steps';
import type { Reply } from './client';
import type { Output } from './io';

/** Control characters of a note must not reach a terminal: they can retitle it, recolour it or hide what follows. */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Text for a terminal: line breaks and tabs stay, all other control and direction characters go. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
}

/** The same on one line. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** Prints an answer: the service's own JSON when asked for it, else what a person wants to know. */
export function show<T>(
  out: Output,
  json: boolean,
  reply: Reply<T>,
  describe: (value: T) => readonly string[],
): void {
  const text = json ? reply.text.trimEnd() : describe(reply.value).map(printable).join('\n');
  out.write(`${text}\n`);
}

/** `1 note`, `2 notes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Rows as aligned columns, two spaces apart; the last column is not padded. */
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

/** What the service did to the text and what it warns of, one line each. */
export function remarks(result: { unlinked?: readonly string[]; warnings: readonly string[] }): string[] {
  const unlinked = (result.unlinked ?? []).map((target) => `  unlinked: ${oneLine(target)} (no such note)`);
  return [...unlinked, ...result.warnings.map((warning) => `  warning: ${oneLine(warning)}`)];
}

/** Who wrote a note through which door, as far as it says; once, where the writer is called like its door ("watcher"). */
export function stamp({
  written_by,
  origin,
}: {
  written_by?: string | undefined;
  origin?: string | undefined;
}): string {
  if (written_by === undefined) return origin === undefined ? '' : `via ${origin}`;
  const isTold = origin === undefined || written_by.split(' ')[0] === origin;
  return `by ${written_by}${isTold ? '' : ` via ${origin}`}`;
}

const WIDTH = 30;

/** One line of the same length, however far the work is: `embedding [#####     ] 12/40`. */
export function progressBar(what: string, { done, total }: Progress): string {
  const filled = total === 0 ? 0 : Math.round((WIDTH * done) / total);
  return `${what} [${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done}/${total}`;
}
