import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { Request } from 'express';

/** The first revision without a handshake. Revisions are dates, so text compares as time does. */
const FIRST_STATELESS = '2026-07-28';

const HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

/**
 * Whether a body speaks revision 2026-07-28 or a later one. The request alone decides: such requests name their revision in
 * `_meta`, and its header says the same. What names it wrongly belongs there too, because only that revision has an
 * answer to it; everything else is of 2025, whatever it is.
 */
export function isStateless({ headers }: Request, body: unknown): boolean {
  const [version, method, name] = HEADERS.map((header) => headers[header]).map(one);
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
    body,
  });
  if (outcome.kind !== 'reject') return outcome.kind === 'modern';
  if (outcome.rung !== 'jsonrpc-shape') return true;
  return outcome.cell === 'batch-with-modern-element' || (version ?? '') >= FIRST_STATELESS;
}

/** Node joins the values of a header that was sent twice; none of these is one that it keeps apart. */
function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(', ');
}
