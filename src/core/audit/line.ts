import { utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import type { ErrorCode } from '../base/errors';
import { sha256 } from '../base/hash';
import { asciiJson, isRecord, parsedJson } from '../base/json';
import { hideSecrets, isSecretField } from '../base/redact';

/** A digest in place of a value: its length in UTF-16 code units and the SHA-256 of its UTF-8 text. */
const digestSchema = z.object({ chars: z.number().int(), sha256: z.string() });
const loggedValueSchema = z.union([z.string(), z.number(), z.boolean(), z.null(), digestSchema]);
type LoggedValue = z.output<typeof loggedValueSchema>;

/** The `prev` of the first line of a device. */
export const NO_LINE = '0'.repeat(64);

/** One line of the audit log: one `tools/call`, successful or not. */
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
  redacted: z
    .string()
    .optional()
    .describe('SHA-256 of the line as it was before a note that it named was forgotten'),
  prev: z.string().describe('SHA-256 of the line before, without its line feed'),
});
export type AuditLine = z.output<typeof auditLineSchema>;

/** The fields that a door knows of a call; the log adds version, number and chain. */
export interface AuditEntry extends Omit<
  AuditLine,
  'v' | 'seq' | 'prev' | 'redacted' | 'error' | 'client' | 'content_hash'
> {
  readonly error?: AuditError | undefined;
  readonly client?: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly content_hash?: string | undefined;
}

/** The errors of a call: those of the operation, and those that prevent it. */
export type AuditError = ErrorCode | 'unknown_tool' | 'invalid_params' | 'invalid_request' | 'cancelled';

/** Returns the line of an entry, with its keys in the documented order and without a line feed. */
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

/** Parses a line; null when it is torn, edited or foreign. */
export function parseAuditLine(line: string): AuditLine | null {
  return auditLineSchema.safeParse(parsedJson(line)).data ?? null;
}

/** Returns the hash by which the chain has a line. Of a redacted one that is the hash that it had before. */
export function chainHash(text: string): string {
  return parseAuditLine(text)?.redacted ?? sha256(text);
}

/** The tool under which the log names its redacted lines: their numbers, and the hashes of what stands there now. */
export const REDACTION = 'forget';

/**
 * Returns the line of a call without what names a note: texts that were sent become digests, and the names of the note go. Null for
 * a line that does not name it.
 */
export function redactedLine(text: string, names: (value: unknown) => boolean): string | null {
  // Most lines do not name it, and their shape is not looked at.
  const value = parsedJson(text);
  if (!isRecord(value) || !names([value.args, value.paths, value.content_hash])) return null;
  const line = parseAuditLine(text);
  if (line === null) return null;
  const args: Record<string, LoggedValue> = {};
  for (const [key, value] of Object.entries(line.args))
    args[key] = typeof value === 'string' ? { chars: value.length, sha256: sha256(value) } : value;
  const { content_hash: hash, prev, ...kept } = line;
  return asciiJson({
    ...kept,
    args,
    paths: line.paths.filter((path) => !names(path)),
    ...(hash !== undefined && !names(hash) && { content_hash: hash }),
    redacted: chainHash(text),
    prev,
  });
}

/** The longest string that is logged verbatim: enough for a path or a query, too short for a note. */
const MAX_LOGGED_CHARS = 80;
/** The number of logged arguments; a caller may send any number of unknown fields. */
const MAX_LOGGED_ARGS = 32;
/** Fields with note text, which are never logged verbatim. */
const NOTE_TEXT = new Set(['content', 'text']);

/**
 * Returns the arguments of a call for the log: short scalars of the known `fields` verbatim, anything else as length and hash.
 * So no note text enters the log, not even in a misnamed field, and a reader can still compare two calls. Credentials are never
 * logged verbatim.
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
