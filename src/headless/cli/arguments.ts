import { InvalidArgumentError } from 'commander';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { formatOf } from '../../core/documents/formats';
import { isScope, type Scope, SCOPES } from '../../core/access/tokens';
import { type Io, unreadable, UsageError } from '../terminal/io';

/** Parses a whole number. @throws InvalidArgumentError, which ends the program as wrong usage. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** The most words of a text with a separator that counts as a path. */
const PATH_WORDS = 4;

/**
 * Returns true for text that is more likely a path than something to be kept: one line that begins or ends like a path, that
 * has a separator and few words, that ends in the extension of a document, or one word with any extension.
 */
export function isPathLike(text: string): boolean {
  if (text.includes('\n')) return false;
  if (/^(?:~?|\.{1,2}|[A-Za-z]:)[\\/]|[\\/]$/.test(text) || formatOf(text) !== null) return true;
  if (!/\s/.test(text)) return /[\\/]|[^.]\.[A-Za-z]\w{0,9}$/.test(text);
  const isSentence = /[.!?:;,]$/.test(text);
  return /[^\s\\/][\\/][^\s\\/]/.test(text) && !isSentence && text.trim().split(/\s+/).length <= PATH_WORDS;
}

/** Parses scopes, separated by commas. @throws InvalidArgumentError when one is unknown. */
export function scopeList(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const scopes = names.filter(isScope);
  if (scopes.length < names.length) throw new InvalidArgumentError(`Scopes are ${SCOPES.join(', ')}.`);
  return [...new Set(scopes)];
}

/** Splits names that are separated by commas. */
export function nameList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Reads the text of a command, from `--file` or standard input.
 * @throws CommandError when the file cannot be read, UsageError when the bytes are not UTF-8.
 */
export async function noteInput(io: Io, file: string | undefined): Promise<string> {
  const bytes = file === undefined || file === '-' ? await readAll(io) : await readGiven(file);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file ?? 'Standard input'} is not UTF-8 text.`);
  }
}

async function readGiven(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function readAll({ stdin, stderr }: Io): Promise<Uint8Array> {
  if (stdin.isTTY) stderr.write('Type the note; end with Ctrl-D on a line of its own.\n');
  return buffer(stdin);
}
