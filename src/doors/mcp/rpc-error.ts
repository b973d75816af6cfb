import type { Response } from 'express';

/** The codes of JSON-RPC 2.0, and MCP's code for a missing resource. */
export const INVALID_REQUEST = -32600;
/** A refusal of the transport, in the range of server errors. */
export const NOT_ACCEPTABLE = -32000;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Revisions from 2026-07-28 on use `INVALID_PARAMS` instead; their SDK replaces the code. */
export const RESOURCE_NOT_FOUND = -32002;

/** A protocol error. Both SDKs send its code, message and data unchanged. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'RpcError';
  }
}

/** Sends a JSON-RPC error without an SDK, for the request with this id, or for none when the id is unknown. */
export function refuse(
  res: Response,
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): void {
  res.status(status).json({ jsonrpc: '2.0', error: { code, message }, id });
}
