import type { Response } from 'express';

/** Codes of JSON-RPC 2.0, and the one that MCP adds for a resource that is not there. */
export const INVALID_REQUEST = -32600;
/** Of the server's own range: the transport refuses. */
export const NOT_ACCEPTABLE = -32000;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Revisions from 2026-07-28 on say `INVALID_PARAMS` instead; their SDK puts that in its place. */
export const RESOURCE_NOT_FOUND = -32002;

/** A refusal that belongs to the protocol. Both SDKs send code, message and data of what is thrown as they are. */
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

/** A JSON-RPC error outside of the SDKs: for the request with this id, or for none that could be told. */
export function refuse(
  res: Response,
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): void {
  res.status(status).json({ jsonrpc: '2.0', error: { code, message }, id });
}
