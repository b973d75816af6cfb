import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Request, Response } from 'express';
import { type Caller, cleanClient } from '../../core/access/caller';
import type { AuditLog } from '../../core/audit/log';
import { isRecord } from '../../core/base/json';
import type { Brain } from '../../core/operation/context';
import { traceOf } from '../http/errors';
import { actorOf, BodyCalls, type CallContext, RunningCalls, type Visit } from './calls';
import { answer2025 } from './era-2025';
import { answer2026 } from './era-2026';
import { acceptedBy, type Door, settleHeaders, type Surface } from './exchange';
import { SURFACE } from './methods';
import { resourceLog } from './resources';
import { INTERNAL_ERROR, NOT_ACCEPTABLE, refuse } from './rpc-error';
import { type ClaimedClient, claimedClient, issueSessionId, readSessionId } from './session-id';
import { type Tool, TOOLS, withoutNullMembers, withServices } from './tools';

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

export interface McpDoorOptions {
  readonly brain: Brain;
  readonly audit: AuditLog;
  /** Signs session ids; kept, so that a restarted server still knows its clients' names. */
  readonly sessionKey: Uint8Array | string;
  readonly version: string;
  readonly tools?: readonly Tool[];
  readonly surface?: Surface;
}

/**
 * Answers one POST of `/mcp` whose host, token and content type have been checked and whose JSON has been parsed.
 * Resolves when the response is over and every call of the body has its line in the audit log; never rejects.
 */
export type McpDoor = (
  req: Request,
  res: Response,
  caller: Caller,
  body: unknown,
  /** How many bytes the body had; those of its calls that change something count for the rate limit. */
  bytes?: number,
) => Promise<void>;

/**
 * The MCP door: Streamable HTTP without sessions, for the revisions of 2025 and for 2026-07-28 at one address. Each request
 * says which it is of; tools, resources and what becomes of a call are the same for all.
 */
export function createMcpDoor(options: McpDoorOptions): McpDoor {
  const { brain, audit, sessionKey, version, tools = TOOLS, surface = SURFACE } = options;
  const key = typeof sessionKey === 'string' ? utf8ToBytes(sessionKey) : sessionKey;
  const services = { model: brain.model !== undefined, converter: brain.config.converterUrl !== undefined };
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
    // An id that this door has not issued to this very token names no session.
    const session = remembered !== undefined && typeof sent === 'string' ? sent : null;
    running.cancel(session, body);
    const client = stateless ? statedClient(body) : remembered;
    const header = res.getHeader('x-request-id');
    const visit: Visit = {
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

/** Gives the number at the first call and 0 afterwards: a body counts once, however many calls it holds. */
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

/** The caller as this door stamps it. What the client says of itself in the protocol wins over a header. */
function mcpCaller(bearer: Caller, client: string | undefined): Caller {
  return {
    ...bearer,
    origin: bearer.origin === 'web' ? 'web' : 'mcp',
    ...(client !== undefined && { client }),
  };
}

/** The client that an `initialize` request introduces, or undefined when the body is anything else. */
function introducedClient(body: unknown): ClaimedClient | undefined {
  if (!isRecord(body) || body.method !== 'initialize' || !isRecord(body.params)) return undefined;
  return claimedClient(body.params.clientInfo);
}

/** The client that a stateless request names itself, as each of them should. */
function statedClient(body: unknown): ClaimedClient | undefined {
  const params = isRecord(body) && isRecord(body.params) ? body.params : {};
  return isRecord(params._meta)
    ? claimedClient(params._meta['io.modelcontextprotocol/clientInfo'])
    : undefined;
}
