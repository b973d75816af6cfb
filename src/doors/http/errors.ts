import type { ErrorRequestHandler, Request, Response } from 'express';
import { BrainError, type ErrorCode, type ErrorDetails, type Vocabulary } from '../../core/base/errors';
import type { Log } from '../../core/base/host';
import { TOOL_WORDS, WORDS_HEADER, wordsFor } from '../../core/operation/words';

/** The HTTP status of every error code. Typed over the closed set, so a new code fails to compile until it has one. */
export const HTTP_STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid_json: 400,
  invalid_frontmatter: 400,
  unknown_field: 400,
  missing_field: 400,
  invalid_field: 400,
  empty_query: 400,
  invalid_wing: 400,
  invalid_hall: 400,
  invalid_filename: 400,
  invalid_slug: 400,
  wing_and_hall_required_together: 400,
  invalid_envelope: 400,
  invalid_source_type: 400,
  empty_content: 400,
  placeholder_content: 400,
  not_unique: 400,
  not_there: 400,
  source_missing: 400,
  destination_exists: 400,
  not_in_queue: 400,
  in_queue: 400,
  unsupported_type: 400,
  no_text: 400,
  path_not_allowed: 400,
  ambiguous: 400,
  invalid_window: 400,
  unauthorized: 401,
  forbidden_origin: 403,
  forbidden_host: 403,
  forbidden_scope: 403,
  not_ours: 403,
  not_found: 404,
  note_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  note_exists: 409,
  taken: 409,
  hash_mismatch: 409,
  key_reused: 409,
  rejected_before: 409,
  too_large: 413,
  too_entangled: 413,
  unsupported_media_type: 415,
  locked: 423,
  rate_limited: 429,
  internal: 500,
  not_implemented: 501,
  converter_error: 502,
  llm_error: 502,
  embed_error: 502,
  hybrid_not_configured: 503,
  starting: 503,
  busy: 503,
};

/** The error that a caller gets for any internal failure. */
export const INTERNAL = new BrainError(
  'internal',
  'Something went wrong inside the service. Nothing about it is known here; the log has it under this request id.',
);

/**
 * Returns the parts of an unexpected error that may be logged: its kind, the system's code, and the innermost stack frames
 * of this program.
 */
export function traceOf(thrown: unknown): Readonly<Record<string, string>> {
  if (!(thrown instanceof Error)) return { error: typeof thrown };
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {};
  return {
    error: thrown.name,
    ...code,
    at: frames
      .slice(0, 4)
      .map((line) => line.trim())
      .join(' '),
  };
}

/** The path of the MCP door, whose clients expect transport errors as JSON-RPC. */
export const MCP_PATH = '/mcp';

/** The error object inside every refusal. Programs read `code`, people and models read `message`. */
interface ErrorObject {
  readonly code: string;
  readonly message: string;
  readonly details?: ErrorDetails;
  readonly request_id: string;
}

function errorObject(error: BrainError, requestId: string, words: Vocabulary): ErrorObject {
  const { code, details } = error;
  return { code, message: error.messageIn(words), ...(details && { details }), request_id: requestId };
}

/**
 * Returns the error handler of the routes. Only a BrainError is shown. Of any other error
 * the caller learns that it happened, and the log where; its message may quote a note or a path, so neither gets it.
 */
export function answerError(log: Log): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (thrown: unknown, req: Request, res: Response, _: unknown) => {
    const requestId = res.get('X-Request-Id') ?? '';
    if (!(thrown instanceof BrainError))
      log.error('http.internal', { request_id: requestId, ...traceOf(thrown) });
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const error = thrown instanceof BrainError ? thrown : INTERNAL;
    setRetryAfter(res, error);
    if (error.code === 'unauthorized') res.set('WWW-Authenticate', 'Bearer realm="brain"');
    const words = isMcp(req) ? TOOL_WORDS : wordsFor(req.get(WORDS_HEADER));
    const object = errorObject(error, requestId, words);
    res.status(HTTP_STATUS[error.code]).json(isMcp(req) ? mcpBody(object) : { error: object });
  };
}

/** Answers that the server takes no calls now, in the shape of a refusal with `ready` beside it. */
export function answerUnready(error: BrainError, req: Request, res: Response): void {
  setRetryAfter(res, error);
  const object = errorObject(error, res.get('X-Request-Id') ?? '', wordsFor(req.get(WORDS_HEADER)));
  res.status(HTTP_STATUS[error.code]).json({ ready: false, error: object });
}

function setRetryAfter(res: Response, { details }: BrainError): void {
  const seconds = details?.retry_after;
  if (typeof seconds === 'number') res.set('Retry-After', String(seconds));
}

/** Returns true for a request to the MCP door. */
export function isMcp(req: Request): boolean {
  return req.path === MCP_PATH || req.path === `${MCP_PATH}/`;
}

/**
 * Returns an error in the shape of MCP's HTTP transport. A missing token is the exception: clients look there for the
 * `error` string of OAuth's bearer scheme, and take an object for a broken sign-in.
 */
function mcpBody(error: ErrorObject): object {
  if (error.code === 'unauthorized') {
    return { error: 'invalid_token', error_description: error.message, request_id: error.request_id };
  }
  const code = error.code === 'invalid_json' ? -32700 : error.code === 'internal' ? -32603 : -32000;
  return { jsonrpc: '2.0', id: null, error: { code, message: error.message, data: error } };
}

/** The version of the HTTP contract. A version only grows; a breaking change gets new paths. */
export const API_VERSION = '1';

/**
 * Returns the headers of every answer, with a new request id. Notes are private and change all the time, so nothing may be
 * cached or sniffed. There is never an `Access-Control-*` header, as no page of another site may read an answer.
 */
export function commonHeaders(): Readonly<Record<string, string>> {
  return {
    'X-Request-Id': crypto.randomUUID(),
    'X-Brain-API': API_VERSION,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  };
}
