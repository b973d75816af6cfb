import type { ErrorRequestHandler, Request, Response } from 'express';
import { BrainError, type ErrorCode, type ErrorDetails } from '../../core/base/errors';
import type { Log } from '../../core/base/host';

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
  source_missing: 400,
  destination_exists: 400,
  not_in_queue: 400,
  in_queue: 400,
  unsupported_type: 400,
  no_text: 400,
  path_not_allowed: 400,
  invalid_window: 400,
  unauthorized: 401,
  forbidden_origin: 403,
  forbidden_host: 403,
  forbidden_scope: 403,
  not_found: 404,
  note_not_found: 404,
  method_not_allowed: 405,
  note_exists: 409,
  hash_mismatch: 409,
  too_large: 413,
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

/** All that a caller is told of a failure that is not its own. */
export const INTERNAL = new BrainError(
  'internal',
  'Something went wrong inside the service. Nothing about it is known here; the log has it under this request id.',
);

/** What may be logged of an unexpected error: its kind, the system's code, and the innermost places in our code. */
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

function errorObject(error: BrainError, requestId: string): ErrorObject {
  const { code, message, details } = error;
  return { code, message, ...(details && { details }), request_id: requestId };
}

/**
 * The one place where something thrown becomes an answer. Only a BrainError is shown; of anything else the caller
 * learns that it happened and the log learns where, but not the message, which may quote a note or a path.
 */
export function answerError(log: Log): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (thrown: unknown, req: Request, res: Response, _: unknown) => {
    const requestId = res.get('X-Request-Id') ?? '';
    if (!(thrown instanceof BrainError))
      log.error('http.internal', { request_id: requestId, ...traceOf(thrown) });
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const error = thrown instanceof BrainError ? thrown : INTERNAL;
    const retryAfter = error.details?.retry_after;
    if (typeof retryAfter === 'number') res.set('Retry-After', String(retryAfter));
    if (error.code === 'unauthorized') res.set('WWW-Authenticate', 'Bearer realm="brain"');
    const object = errorObject(error, requestId);
    res.status(HTTP_STATUS[error.code]).json(isMcp(req) ? mcpBody(object) : { error: object });
  };
}

/** Whether a request knocks at the MCP door. */
export function isMcp(req: Request): boolean {
  return req.path === MCP_PATH || req.path === `${MCP_PATH}/`;
}

/**
 * A refusal in the words of MCP's HTTP transport. A missing token is the exception: clients look there for the `error`
 * string of OAuth's bearer scheme, and take an object for a broken sign-in.
 */
function mcpBody(error: ErrorObject): object {
  if (error.code === 'unauthorized') {
    return { error: 'invalid_token', error_description: error.message, request_id: error.request_id };
  }
  const code = error.code === 'invalid_json' ? -32700 : error.code === 'internal' ? -32603 : -32000;
  return { jsonrpc: '2.0', id: null, error: { code, message: error.message, data: error } };
}

/** Version of the HTTP contract. Within it things are only added; a breaking change gets paths of its own. */
export const API_VERSION = '1';

/**
 * The headers of every answer, with a fresh request id. Notes are private and change all the time, so nothing may
 * be cached or sniffed; there is never an `Access-Control-*` header, because no other site's page has business here.
 */
export function commonHeaders(): Readonly<Record<string, string>> {
  return {
    'X-Request-Id': crypto.randomUUID(),
    'X-Brain-API': API_VERSION,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  };
}
