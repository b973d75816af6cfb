import { styleText } from 'node:util';
import type { Environment } from '../../adapters/host/config-folder';
import type { Progress } from '../../core/base/steps';
import type { Reply } from './client';
import type { Io, Output } from './io';

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

type Style = 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red';

/** A part of a line with a style, which only a terminal shows. */
export interface Styled {
  readonly style: Style;
  readonly text: string;
}

/** A line of text for a person, whole or in parts. */
export type Line = string | readonly (string | Styled)[];

/** Returns text with a style. */
export function styled(style: Style, text: string): Styled {
  return { style, text };
}

/**
 * Returns true when output gets colours: `FORCE_COLOR` says so (`0` and `false` mean no), else where `NO_COLOR` is unset or
 * empty and the output is a terminal that is not dumb.
 */
export function hasColours({ FORCE_COLOR, NO_COLOR, TERM }: Environment, out: Output): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return (NO_COLOR ?? '') === '' && out.isTTY === true && TERM !== 'dumb';
}

/** Returns a line as text without control characters of its own, with the codes of its styles where `colours` is true. */
export function rendered(line: Line, colours: boolean): string {
  if (typeof line === 'string') return printable(line);
  const parts = line.map((part) => {
    if (typeof part === 'string') return printable(part);
    const text = printable(part.text);
    // Without `validateStream` the terminal of standard output alone would decide.
    return colours && text !== '' ? styleText(part.style, text, { validateStream: false }) : text;
  });
  return parts.join('');
}

/** Prints lines for a person on standard output. */
export function print({ stdout, env }: Pick<Io, 'stdout' | 'env'>, lines: readonly Line[]): void {
  const colours = hasColours(env, stdout);
  stdout.write(`${lines.map((line) => rendered(line, colours)).join('\n')}\n`);
}

/** Prints an answer: the service's JSON with `json`, else a description for a person. */
export function show<T>(
  io: Pick<Io, 'stdout' | 'env'>,
  json: boolean,
  reply: Reply<T>,
  describe: (value: T) => readonly Line[],
): void {
  if (json) io.stdout.write(`${reply.text.trimEnd()}\n`);
  else print(io, describe(reply.value));
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

/** Returns a warning as a line. */
function warningLine(warning: string, indent = ''): Line {
  return [indent, styled('yellow', 'warning:'), ` ${oneLine(warning)}`];
}

/** Returns the service's changes to the text and its warnings, one line each. */
export function remarks(
  result: { unlinked?: readonly string[]; warnings: readonly string[] },
  indent = '  ',
): Line[] {
  const unlinked = (result.unlinked ?? []).map(
    (target) => `${indent}unlinked: ${oneLine(target)} (no such note)`,
  );
  return [...unlinked, ...result.warnings.map((warning) => warningLine(warning, indent))];
}

/** Returns a sentence on the notes that an answer could not look at yet, while the vault is read for the first time. */
export function readingLines(reading: Progress | undefined): Line[] {
  if (reading === undefined) return [];
  return [
    [
      styled('yellow', 'still reading:'),
      ` ${reading.done} of ${counted(reading.total, 'note')} so far; others may be found later.`,
    ],
  ];
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

/** Returns the lines that tell what the review queue holds for a question, and which of its words stand nowhere. */
export function untoldLines(found: {
  readonly waiting?: number | undefined;
  readonly missing_words?: readonly string[] | undefined;
}): string[] {
  const { waiting = 0, missing_words: missing = [] } = found;
  const notes =
    waiting === 1 ? '1 note that waits for review matches' : `${waiting} notes that wait for review match`;
  return [
    ...(waiting > 0 ? [`${notes} (brain pending).`] : []),
    ...(missing.length > 0
      ? [`No note holds ${missing.map((word) => `"${oneLine(word)}"`).join(', ')}.`]
      : []),
  ];
}
