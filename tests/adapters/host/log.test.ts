import * as fc from 'fast-check';
import { LOG_LEVELS, logOn, type LogLevel, redact } from '../../../src/adapters/host/log';
import { fixedClock } from '../../support/fixed-clock';
import { cpuMs } from '../../support/cpu';

function lineOf(
  event: string,
  fields?: Record<string, string | number | boolean | null | undefined>,
): string {
  const lines: string[] = [];
  logOn({ write: (line: string) => lines.push(line) }, fixedClock()).warn(event, fields);
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

it('writes one JSON object a line', () => {
  expect(lineOf('stop.asked', { signal: 'SIGTERM', after: 3, clean: true, absent: undefined })).toBe(
    '{"level":"warn","ts":"2026-11-20T10:32:00.000Z","event":"stop.asked","signal":"SIGTERM","after":3,"clean":true}\n',
  );
});

it.each([
  ['a token', 'sent Bearer abc.DEF-123_= twice', 'sent Bearer [redacted] twice'],
  ['a token in quotes', '"bearer abc"', '"bearer [redacted]"'],
  ['a user and a password', 'Basic dXNlcjpwYXNz', 'Basic [redacted]'],
  ['a key in a query string', 'GET /x?a=1&api_key=abc&b=2', 'GET /x?a=1&api_key=[redacted]&b=2'],
  ['a password of a DSN', 'host=db password=s3cret dbname=x', 'host=db password=[redacted] dbname=x'],
  ['a user in an address', 'postgres://ada:s3cret@db:5432/x', 'postgres://[redacted]@db:5432/x'],
  ['a password with an @ in it', 'postgres://ada:s3@cret@db/x', 'postgres://[redacted]@db/x'],
  ['nothing in a plain address', 'http://127.0.0.1:27246/mcp', 'http://127.0.0.1:27246/mcp'],
])('redacts %s', (_, text, expected) => {
  expect(redact(text)).toBe(expected);
  expect(JSON.parse(lineOf('x', { text }))).toMatchObject({ text: expected });
});

it('keeps whatever a name brings along on one line, readable as JSON, without control or direction characters', () => {
  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom('\n', '\r', '\u001b', '\u0085', '\u2028', '\u202e', '\u200b', '"', '\\', '\0'),
      fc.string(),
    ),
  });
  fc.assert(
    fc.property(hostile, (text) => {
      const line = lineOf('x', { text });
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      expect(JSON.parse(line)).toMatchObject({ text: redact(text) });
    }),
    { numRuns: 1000 },
  );
});

it('writes for a person on a terminal, on one line whatever a name brings along', () => {
  const lines: string[] = [];
  const terminal = { isTTY: true, write: (line: string) => lines.push(line) };
  const log = logOn(terminal, fixedClock());
  log.warn('watch.limit', { message: 'No watch is left.', folder: 'a\u001b[31m\nb\u202e', files: 3 });
  log.info('stop.asked', { signal: 'SIGTERM', token: 'Bearer abc' });
  log.error('store.down');
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
    'warn watch.limit: No watch is left. (folder a [31m b, files 3)\n',
    'info stop.asked (signal SIGTERM, token Bearer [redacted])\n',
    'error store.down\n',
  ]);
});

it('takes time in proportion to the text', () => {
  const started = cpuMs();
  redact('://'.repeat(300_000) + 'Bearer '.repeat(100_000) + ' '.repeat(300_000));
  expect(cpuMs() - started).toBeLessThan(5_000);
});

it('leaves out what is less than its level', () => {
  const levels = (level: LogLevel) => {
    const lines: string[] = [];
    const log = logOn({ write: (line: string) => lines.push(line) }, fixedClock(), { level });
    for (const which of LOG_LEVELS) log[which]('x');
    return lines.map((line): unknown => JSON.parse(line).level);
  };
  expect(LOG_LEVELS.map(levels)).toEqual([
    ['debug', 'info', 'warn', 'error'],
    ['info', 'warn', 'error'],
    ['warn', 'error'],
    ['error'],
  ]);
});

it('never writes a secret of the run, whatever stands around it', () => {
  const secret = fc.string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 40 });
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      const lines: string[] = [];
      const log = logOn({ write: (line: string) => lines.push(line) }, fixedClock(), { secrets: [value] });
      log.error('x', { message: `${before}${value}${after}`, other: value });
      // Of what is left, the words of the log itself may happen to be the secret.
      const { message, other }: Record<string, string> = JSON.parse(lines[0] ?? '');
      expect(other).toBe('[redacted]');
      expect(message?.split('[redacted]').join('')).toBe(
        `${before}${value}${after}`.split(value).join('').split('[redacted]').join(''),
      );
    }),
    { numRuns: 500 },
  );
});
