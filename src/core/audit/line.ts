import { utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import type { ErrorCode } from '../base/errors';
import { sha256 } from '../base/hash';
import { asciiJson } from '../base/json';
import { hideSecrets, isSecretField } from '../base/redact';

/** A value that is not written out: its length in UTF-16 code units and the SHA-256 of its UTF-8 text. */
const digestSchema = z.object({ chars: z.number().int(), sha256: z.string() });
const loggedValueSchema = z.union([z.string(), z.number(), z.boolean(), z.null(), digestSchema]);
type LoggedValue = z.output<typeof loggedValueSchema>;

/** The hash that the very first line of a device carries as `prev`. */
export const NO_LINE = '0'.repeat(64);

/** One line of the audit log: one `tools/call`, whatever became of it. */
export const auditLineSchema = z.object({
  v: z.literal(1),
  ts: z.string().describe('When the call arrived, RFC 3339, UTC, seconds'),
  seq: z.number().int().describe("Number of the line in the device's chain, from 1"),
  id: z.string().describe('Request id of the HTTP answer; calls of a batch are numbered behind it'),
  tool: z.string().describe('Name as the caller gave it, known or not'),
  actor: z.string().describe('Verified token name, or human:<name>'),
  auth: z.string().describe('Scopes of the credential'),
  client: z
    .object({ name: z.string(), version: z.string().optional() })
    .optional()
    .describe('What the client says it is; a claim'),
  ok: z.boolean(),
  error: z.string().optional().describe('Error code of a call that failed'),
  args: z.record(z.string(), loggedValueSchema),
  paths: z.array(z.string()).describe('Notes that the answer names, at most 50'),
  content_hash: z.string().optional(),
  unlinked: z.number().int().describe('Number of references that the gate turned into text'),
  duration_ms: z.number().int(),
  prev: z.string().describe('SHA-256 of the line before, without its line feed'),
});
export type AuditLine = z.output<typeof auditLineSchema>;

/** What a door knows of a call; the log itself adds version, number and chain. */
export interface AuditEntry extends Omit<
  AuditLine,
  'v' | 'seq' | 'prev' | 'error' | 'client' | 'content_hash'
> {
  readonly error?: AuditError | undefined;
  readonly client?: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly content_hash?: string | undefined;
}

/** Failures of a call: those of the operation, and those that never reach one. */
export type AuditError = ErrorCode | 'unknown_tool' | 'invalid_params' | 'invalid_request' | 'cancelled';

/** The line of an entry, in the documented order of its keys and without its line feed. */
export function auditLine(entry: AuditEntry, seq: number, prev: string): string {
  const { ts, id, tool, actor, auth, client, ok, error, args, paths, content_hash, unlinked, duration_ms } =
    entry;
  const fields = {
    id,
    tool,
    actor,
    auth,
    client,
    ok,
    error,
    args,
    paths,
    content_hash,
    unlinked,
    duration_ms,
  };
  return asciiJson({ v: 1, ts, seq, ...fields, prev });
}

/** Reads a line back; null when it is torn, edited beyond reading, or not ours. */
export function parseAuditLine(line: string): AuditLine | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null; // a torn line is an expected thing here, and verify reports it
  }
  const parsed = auditLineSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** Strings up to this length are logged as they are: enough for a path or a query, too short for a note. */
const MAX_LOGGED_CHARS = 80;
/** A caller may send any number of unknown fields; the log keeps the first ones. */
const MAX_LOGGED_ARGS = 32;
/** Fields that hold note text are never written out, however short. */
const NOTE_TEXT = new Set(['content', 'text']);

/**
 * The arguments of a call as the log keeps them: short scalars of the known `fields` as they are, anything else as length and
 * hash, so that no note text enters the log, not even in a field of a wrong name, and a reader can still tell whether two calls
 * said the same. Credentials are never written out.
 */
export function loggedArgs(
  args: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Record<string, LoggedValue> {
  const kept = Object.entries(args).slice(0, MAX_LOGGED_ARGS);
  return Object.fromEntries(
    kept.map(([key, value]) => [
      hideSecrets(key.slice(0, 10 * MAX_LOGGED_CHARS)).slice(0, MAX_LOGGED_CHARS),
      logged(value, NOTE_TEXT.has(key) || isSecretField(key), fields.includes(key)),
    ]),
  );
}

function logged(value: unknown, isHidden: boolean, isKnown: boolean): LoggedValue {
  if (value === null || typeof value === 'boolean' || (typeof value === 'number' && !isHidden)) return value;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const isShown = isKnown && !isHidden && text.length <= MAX_LOGGED_CHARS;
  if (typeof value === 'string' && isShown) return hideSecrets(text);
  return { chars: text.length, sha256: sha256(utf8ToBytes(text)) };
}
