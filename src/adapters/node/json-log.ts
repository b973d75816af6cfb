import type { Clock, Log, LogFields } from '../../core/ports';

/** Everything that could move a terminal's cursor, break a line or turn text around, beyond what JSON escapes itself. */
const UNPRINTABLE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Credentials that slip into messages of libraries and drivers: tokens, passwords, and users in addresses. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bBearer\s+[^\s"']+/gi, 'Bearer [redacted]'],
  [/\bpassword=[^\s&;,"']+/gi, 'password=[redacted]'],
  [/:\/\/[^\s/]*@/g, '://[redacted]@'],
];

/** The text without what looks like a credential. */
export function redact(text: string): string {
  return SECRETS.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}

/**
 * A log of one JSON object a line: `ts`, `level`, `event`, then the fields. Lines hold no control characters and
 * no credentials, whatever a file name or an error message brings along.
 */
export function jsonLog(write: (line: string) => void, clock: Clock): Log {
  const at = (level: string) => (event: string, fields?: LogFields) => {
    const line = { ts: clock.now().toISOString(), level, event, ...fields };
    const json = JSON.stringify(line, (_key, value: unknown) =>
      typeof value === 'string' ? redact(value) : value,
    );
    write(`${json.replace(UNPRINTABLE, escaped)}\n`);
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
