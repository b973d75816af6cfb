import { pino } from 'pino';
import type { Clock, Log, LogFields } from '../../core/base/host';
import { hideSecrets } from '../../core/base/redact';

/** From everything to failures alone. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

interface LogOptions {
  /** What is less than this is left out; `info` when not given. */
  readonly level?: LogLevel;
  /** Credentials of this run, which no line may hold wherever they come from. */
  readonly secrets?: readonly string[];
}

/** Everything that could move a terminal's cursor, break a line or turn text around, beyond what JSON escapes itself. */
const UNPRINTABLE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** In a log there are no sentences about authentication: whatever stands here is one. */
const AUTHORIZATION = /\b(Bearer|Basic)\s+[^\s"']+/gi;

/** Shorter ones are no credentials, and would be found in every word. */
const MIN_SECRET = 6;

/** The text without what looks like a credential, and without the ones that are known. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text);
  return hideSecrets(known.replace(AUTHORIZATION, '$1 [redacted]'));
}

/**
 * A log of one JSON object a line: `level`, `ts`, `event`, then the fields. Lines hold no control characters and no
 * credentials, whatever a file name or an error message brings along.
 */
export function jsonLog(write: (line: string) => void, clock: Clock, options: LogOptions = {}): Log {
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

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
