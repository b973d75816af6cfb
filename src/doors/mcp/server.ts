import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator as SchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Request, Response } from 'express';
import type { AuditLog } from '../../core/audit/audit-log';
import type { Brain } from '../../core/brain';
import type { Caller } from '../../core/caller';
import { cleanClient } from '../../core/rules/provenance';
import { isRecord } from '../../core/rules/record';
import { BodyCalls, withParamObjects, type Visit } from './body-calls';
import { traceOf } from '../internal-error';
import { actorOf, callTool, type CallContext } from './call-tool';
import { INSTRUCTIONS } from './instructions';
import { progressTo } from './progress';
import { RunningCalls } from './running-calls';
import { claimedClient, issueSessionId, readSessionId, type ClaimedClient } from './session-id';
import { toolsFor, type Tool, withServices } from './tool';
import { TOOLS } from './tools';

export interface McpDoorOptions {
  readonly brain: Brain;
  readonly audit: AuditLog;
  /** Signs session ids; kept, so that a restarted server still knows its clients' names. */
  readonly sessionKey: Uint8Array | string;
  readonly version: string;
  readonly tools?: readonly Tool[];
}

/**
 * Answers one POST of `/mcp` whose host, token and content type have been checked and whose JSON has been parsed.
 * Resolves when the response is over and every call of the body has its line in the audit log; never rejects.
 */
export type McpDoor = (req: Request, res: Response, caller: Caller, body: unknown) => Promise<void>;

/** The SDK would make one of its own for every server. Only a server that asks its clients for input has a use for it. */
const jsonSchemaValidator: SchemaValidator = {
  getValidator() {
    throw new Error('This server asks its clients for nothing, so it has nothing to check against a schema.');
  },
};

/**
 * The MCP door: Streamable HTTP without sessions, for the revisions of 2025. Every POST gets a server and a transport of
 * its own, so that no answer can reach another client and nothing is lost when the service restarts.
 */
export function createMcpDoor({ brain, audit, sessionKey, version, tools = TOOLS }: McpDoorOptions): McpDoor {
  const key = typeof sessionKey === 'string' ? utf8ToBytes(sessionKey) : sessionKey;
  const services = { model: brain.model !== undefined, converter: brain.config.converterUrl !== undefined };
  const known = tools.map((tool) => withServices(tool, services));
  const offered = brain.config.tools === 'core' ? known.filter((tool) => tool.core) : known;
  const context: CallContext = { brain, audit, tools: offered };
  const running = new RunningCalls();

  return async (req, res, bearer, body) => {
    const owner = actorOf(bearer);
    const sent = req.headers['mcp-session-id'];
    const client = readSessionId(sent, owner, key);
    // An id that this door has not issued to this very token names no session.
    const session = client !== undefined && typeof sent === 'string' ? sent : null;
    running.cancel(session, body);
    const header = res.getHeader('x-request-id');
    const visit: Visit = {
      caller: mcpCaller(bearer, client && cleanClient(client.name, client.version)),
      client,
      requestId: typeof header === 'string' ? header : undefined,
      arrived: brain.clock.now(),
    };
    const calls = new BodyCalls(body, visit, visit.requestId ?? bytesToHex(randomBytes(8)));
    const introduced = introducedClient(body);
    if (introduced) res.setHeader('Mcp-Session-Id', issueSessionId(introduced, owner, key, visit.arrived));
    try {
      await answer(context, calls, { req, res, caller: visit.caller, body, version, session, running });
    } catch (error) {
      brain.log.error('mcp_request_failed', { request_id: visit.requestId, ...traceOf(error) });
      if (!res.headersSent) refuse(res, 500, ErrorCode.InternalError, 'Internal error');
    }
    await calls.finish(context, res.destroyed && !res.writableFinished);
  };
}

interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly caller: Caller;
  readonly body: unknown;
  readonly version: string;
  readonly session: string | null;
  readonly running: RunningCalls;
}

/** Serves one body through the SDK; resolves when the response has closed, whoever closed it. */
async function answer(context: CallContext, calls: BodyCalls, exchange: Exchange): Promise<void> {
  const { req, res, caller, body, version, session, running } = exchange;
  if (res.destroyed) return;
  if (calls.ambiguous) {
    refuse(res, 400, ErrorCode.InvalidRequest, 'Invalid Request: two requests carry the same id');
    return;
  }
  const closed = new Promise<void>((resolve) => res.once('close', resolve));
  // The low-level half of McpServer: its other half would check the arguments of a call itself, and a call that it refused
  // would leave no line in the audit log. It takes over as soon as its options name the capability, so that comes after.
  const { server } = new McpServer(
    { name: 'brain', title: 'Brain', version },
    { instructions: INSTRUCTIONS, jsonSchemaValidator },
  );
  server.registerCapabilities({ tools: { listChanged: false } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: toolsFor(context.tools, caller).map((tool) => ({ ...tool.listing })),
  }));
  // Not a handler with the SDK's own schema: a call with bad params would then be refused before we see it.
  server.fallbackRequestHandler = async ({ method, params }, { requestId, signal, sendNotification }) => {
    if (method !== 'tools/call') throw new McpError(ErrorCode.MethodNotFound, 'Method not found');
    const progress = progressTo(params, sendNotification);
    const outcome = await calls.run(requestId, (call) =>
      running.run({ session, id: requestId, gone: signal }, (stopped) =>
        callTool(context, { ...call, params, signal: stopped, ...(progress && { progress }) }),
      ),
    );
    if ('refused' in outcome) throw new McpError(ErrorCode.InvalidParams, outcome.refused);
    return outcome.result;
  };
  // Of this server's calls only those of the same body could be meant, and the SDK then never ends the answer to them.
  server.removeNotificationHandler('notifications/cancelled');
  const transport = new StreamableHTTPServerTransport(); // no generator of session ids: stateless
  try {
    await server.connect(transport);
    acceptBoth(req);
    // Closing the server as soon as the client is gone is what aborts the signals of its calls.
    await Promise.all([
      transport.handleRequest(req, res, withParamObjects(body)),
      closed.then(() => server.close()),
    ]);
  } finally {
    await server.close();
  }
}

/** The caller as this door stamps it. What the session says of the client wins over a header: it came from `initialize`. */
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

/**
 * Lets a plain `curl` in: a client that names no media type takes any, while the SDK wants both of its own named. It reads
 * the raw headers in some runtimes and the parsed ones in others.
 */
function acceptBoth(req: Request): void {
  if (req.headers.accept !== undefined && req.headers.accept.trim() !== '*/*') return;
  const both = 'application/json, text/event-stream';
  req.headers.accept = both;
  const at = req.rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === 'accept');
  if (at < 0) req.rawHeaders.push('Accept', both);
  else req.rawHeaders[at + 1] = both;
}

/** A JSON-RPC error that belongs to no request. */
function refuse(res: Response, status: number, code: ErrorCode, message: string): void {
  res.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null });
}
