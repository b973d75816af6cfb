import { pino } from 'pino';
import type { Clock, Log, LogFields } from '../../core/base/host';
import { isRecord } from '../../core/base/json';
import { hideSecrets } from '../../core/base/redact';

/** The levels, from all lines to errors alone. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

interface LogOptions {
  /** The lowest level that is logged; `info` when absent. */
  readonly level?: LogLevel;
  /** The credentials of this run, which are removed from every line. */
  readonly secrets?: readonly string[];
}

/** Characters that could move a terminal's cursor, break a line or reverse text, and that JSON does not escape. */
const UNPRINTABLE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The value of an Authorization header. A log holds no sentences about authentication, so every match is one. */
const AUTHORIZATION = /\b(Bearer|Basic)\s+[^\s"']+/gi;

/** The shortest credential that is removed: a shorter text would be found in every word. */
const MIN_SECRET = 6;

/** Returns the text without known credentials and without anything that looks like one. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text);
  return hideSecrets(known.replace(AUTHORIZATION, '$1 [redacted]'));
}

/**
 * Returns a log of one JSON object a line: `level`, `ts`, `event`, then the fields. Lines hold no control characters and no
 * credentials, whatever a file name or an error message holds.
 */
function jsonLog(write: (line: string) => void, clock: Clock, options: LogOptions = {}): Log {
  const { level = 'info', secrets = [] } = options;
  const hidden = secrets.filter((secret) => secret.length >= MIN_SECRET);
  const clean = (value: unknown) => (typeof value === 'string' ? redact(value, hidden) : value);
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"ts":"${clock.now().toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) =>
          Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, clean(value)])),
      },
    },
    { write: (line: string) => write(line.replace(UNPRINTABLE, escaped)) },
  );
  const at = (which: LogLevel) => (event: string, fields?: LogFields) => logger[which]({ event, ...fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A stream that is logged to; `isTTY` is true when a person reads it. */
interface LogStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Returns a log on a stream: lines for a person on a terminal, JSON everywhere else, as `jsonLog` writes it. */
export function logOn(stream: LogStream, clock: Clock, options: LogOptions = {}): Log {
  const forPerson = stream.isTTY === true;
  return jsonLog((line) => stream.write(forPerson ? personLine(line) : line), clock, options);
}

/** Returns a line of `jsonLog` for a person: time of the day, level, event, what it says, and its other fields. */
function personLine(line: string): string {
  const parsed: unknown = JSON.parse(line);
  if (!isRecord(parsed)) return line;
  const { level, ts, event, message, ...fields } = parsed;
  const time = new Date(String(ts)).toTimeString().slice(0, 8);
  const said = [event, message].flatMap((part) => (part === undefined ? [] : [onOneLine(part)])).join(': ');
  const others = Object.entries(fields).map(([name, value]) => `${name} ${onOneLine(value)}`);
  return `${time} ${String(level)} ${said}${others.length === 0 ? '' : ` (${others.join(', ')})`}\n`;
}

/** Returns a field without anything that could break its line or move the cursor. */
function onOneLine(value: unknown): string {
  return String(value)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(UNPRINTABLE, '')
    .trim();
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
