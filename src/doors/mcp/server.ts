import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Request, Response } from 'express';
import { type Caller, cleanClient } from '../../core/access/tokens';
import type { AuditLog } from '../../core/audit/log';
import { isRecord } from '../../core/base/json';
import type { Brain } from '../../core/operation/context';
import { traceOf } from '../http/errors';
import { actorOf, BodyCalls, type CallContext, RunningCalls, type PostInfo } from './calls';
import { answer2025 } from './era-2025';
import { answer2026 } from './era-2026';
import { acceptedBy, type Door, settleHeaders, type Surface } from './exchange';
import { SURFACE } from './methods';
import { resourceLog } from './resources';
import { INTERNAL_ERROR, NOT_ACCEPTABLE, refuse } from './rpc-error';
import { type ClaimedClient, claimedClient, issueSessionId, readSessionId } from './session-id';
import { type Tool, TOOLS, withoutNullMembers, withServices } from './tools';

/** The first revision without a handshake. Revisions are dates, so they compare as text. */
const FIRST_STATELESS = '2026-07-28';

const HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

/**
 * Returns true for a body of revision 2026-07-28 or later. The request alone decides: such a request names its revision in
 * `_meta` and in a header. A request that names it wrongly counts as well, as only that revision defines an error for it;
 * every other body is of 2025.
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

/** Node joins the values of a repeated header, except for a few headers that are none of these. */
function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(', ');
}

export interface McpDoorOptions {
  readonly brain: Brain;
  readonly audit: AuditLog;
  /** Signs session ids; stored, so that a restarted server still knows its clients' names. */
  readonly sessionKey: Uint8Array | string;
  readonly version: string;
  readonly tools?: readonly Tool[];
  readonly surface?: Surface;
}

/**
 * Answers one POST of `/mcp`, whose host, token and content type are checked and whose JSON is parsed. Resolves when the
 * response has closed and every call of the body has its line in the audit log; never rejects.
 */
export type McpDoor = (
  req: Request,
  res: Response,
  caller: Caller,
  body: unknown,
  /** The size of the body (bytes), which counts for the rate limit if a call changes something. */
  bytes?: number,
) => Promise<void>;

/**
 * Returns the MCP door: Streamable HTTP without sessions, for the revisions of 2025 and for 2026-07-28 at one address. Each
 * request names its revision; tools, resources and the handling of calls are the same for all.
 */
export function createMcpDoor(options: McpDoorOptions): McpDoor {
  const { brain, audit, sessionKey, version, tools = TOOLS, surface = SURFACE } = options;
  const key = typeof sessionKey === 'string' ? utf8ToBytes(sessionKey) : sessionKey;
  // The built-in converter has no address, and sends nothing.
  const converter = /^https?:/i.test(brain.config.converterUrl ?? '');
  const services = { model: brain.model !== undefined, converter };
  const known = tools.map((tool) => withServices(tool, services));
  const offered = brain.config.tools === 'core' ? known.filter((tool) => tool.core) : known;
  const context: CallContext = { brain, audit, tools: offered };
  const running = new RunningCalls();
  const door: Door = { context, resourceLog: resourceLog(brain), running, version, surface };

  return async (req, res, bearer, sentBody, bytes = 0) => {
    const body = withoutNullMembers(sentBody);
    const owner = actorOf(bearer);
    const stateless = isStateless(req, body);
    const sent = stateless ? undefined : req.headers['mcp-session-id'];
    const remembered = readSessionId(sent, owner, key);
    // An id that was not issued to this token is no session.
    const session = remembered !== undefined && typeof sent === 'string' ? sent : null;
    running.cancel(session, body);
    const client = stateless ? statedClient(body) : remembered;
    const header = res.getHeader('x-request-id');
    const visit: PostInfo = {
      caller: mcpCaller(bearer, client && cleanClient(client.name, client.version)),
      client,
      requestId: typeof header === 'string' ? header : undefined,
      arrived: brain.clock.now(),
      takeBytes: once(bytes),
    };
    const calls = new BodyCalls(body, visit, visit.requestId ?? bytesToHex(randomBytes(8)));
    const introduced = stateless ? undefined : introducedClient(body);
    if (introduced) res.setHeader('Mcp-Session-Id', issueSessionId(introduced, owner, key, visit.arrived));
    try {
      const accepted = acceptedBy(req.headers.accept);
      const exchange = { req, res, body, caller: visit.caller, visit, session, calls, door, accepted };
      if (!accepted.json && !accepted.stream) refuse(res, 406, NOT_ACCEPTABLE, NO_FORM);
      else {
        settleHeaders(req);
        await (stateless ? answer2026 : answer2025)(exchange);
      }
    } catch (error) {
      brain.log.error('mcp_request_failed', { request_id: visit.requestId, ...traceOf(error) });
      if (!res.headersSent) refuse(res, 500, INTERNAL_ERROR, 'Internal error');
    }
    await calls.finish(context, res.destroyed && !res.writableFinished);
  };
}

/** Returns a function that returns the number once and then 0: a body counts once, however many calls it holds. */
function once(bytes: number): () => number {
  let left = bytes;
  return () => {
    const taken = left;
    left = 0;
    return taken;
  };
}

const NO_FORM =
  'Not Acceptable: answers are application/json or text/event-stream. Name one of them in Accept, or leave it out.';

/** Returns the caller with this door's origin. The client's name in the protocol wins over a header. */
function mcpCaller(bearer: Caller, client: string | undefined): Caller {
  return {
    ...bearer,
    origin: bearer.origin === 'web' ? 'web' : 'mcp',
    ...(client !== undefined && { client }),
  };
}

/** Returns the client of an `initialize` request; undefined for any other body. */
function introducedClient(body: unknown): ClaimedClient | undefined {
  if (!isRecord(body) || body.method !== 'initialize' || !isRecord(body.params)) return undefined;
  return claimedClient(body.params.clientInfo);
}

/** Returns the client that a stateless request names. */
function statedClient(body: unknown): ClaimedClient | undefined {
  const params = isRecord(body) && isRecord(body.params) ? body.params : {};
  return isRecord(params._meta)
    ? claimedClient(params._meta['io.modelcontextprotocol/clientInfo'])
    : undefined;
}
