import type { ErrorRequestHandler, Request, Response } from 'express';
import { BrainError, type ErrorDetails } from '../core/errors';
import type { Log } from '../core/host';
import { HTTP_STATUS } from './http-status';
import { INTERNAL, traceOf } from './internal-error';

/** The path of the MCP door, whose clients expect transport errors as JSON-RPC. */
export const MCP_PATH = '/mcp';

/** The error object inside every refusal. Programs read `code`, people and models read `message`. */
export interface ErrorObject {
  readonly code: string;
  readonly message: string;
  readonly details?: ErrorDetails;
  readonly request_id: string;
}

export function errorObject(error: BrainError, requestId: string): ErrorObject {
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
