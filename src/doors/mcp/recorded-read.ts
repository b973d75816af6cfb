import type { AuditError } from '../../core/audit/audit-line';
import { BrainError, type ErrorCode } from '../../core/errors';
import { isRecord } from '../../core/rules/record';
import { traceOf } from '../internal-error';
import { recordCall } from './call-tool';
import type { Asked, Exchange } from './exchange';
import type { Answer } from './phrase';
import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, RESOURCE_NOT_FOUND, RpcError } from './rpc-error';

/** What a caller can do about it decides the code; anything else of a refusal is in its words. */
const CODES: Partial<Record<ErrorCode, number>> = {
  note_not_found: RESOURCE_NOT_FOUND,
  path_not_allowed: RESOURCE_NOT_FOUND,
  forbidden_scope: INVALID_REQUEST,
};

/**
 * Reads what a resource request wants, and writes one line about it into the log of such requests, whatever becomes of it.
 * What was found is given out only when its line stands. @throws RpcError
 */
export async function recorded<T>(
  exchange: Exchange,
  asked: Asked,
  args: Answer,
  read: () => Promise<T>,
): Promise<T> {
  try {
    const found = await read();
    if (await line(exchange, asked, args, { answer: isRecord(found) ? found : {} })) return found;
  } catch (error) {
    await line(exchange, asked, args, { error: errorOf(error) });
    throw refusalOf(exchange, args, error);
  }
  throw new RpcError(INTERNAL_ERROR, 'Internal error');
}

function line(
  { door, visit }: Exchange,
  { method, id }: Asked,
  args: Answer,
  outcome: { readonly answer: Answer } | { readonly error: AuditError },
): Promise<boolean> {
  const call = { ...visit, id: visit.requestId ?? String(id), params: { name: method, arguments: args } };
  // These arguments were made of a request that had been read, so all of them are known.
  return recordCall({ ...door.context, audit: door.resourceLog }, call, outcome, false, Object.keys(args));
}

function errorOf(error: unknown): AuditError {
  if (error instanceof BrainError) return error.code;
  return error instanceof RpcError ? 'invalid_params' : 'internal';
}

function refusalOf({ door, visit }: Exchange, { uri }: Answer, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof BrainError) {
    const { code, message, details } = error;
    return new RpcError(CODES[code] ?? INVALID_PARAMS, message, { ...details, code, uri });
  }
  const { log } = door.context.brain;
  log.error('mcp_request_failed', { request_id: visit.requestId, ...traceOf(error) });
  return new RpcError(INTERNAL_ERROR, 'Internal error');
}
