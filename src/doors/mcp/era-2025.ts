import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator as SchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { isRecord } from '../../core/base/json';
import { withPlainCalls } from './calls';
import type { Exchange } from './exchange';
import { INSTRUCTIONS, respond } from './methods';
import { INVALID_PARAMS, INVALID_REQUEST, refuse, RpcError } from './rpc-error';

/**
 * A validator that is never used: only a server that asks its clients for input needs one, and the SDK would make one for
 * every server.
 */
const jsonSchemaValidator: SchemaValidator = {
  getValidator() {
    throw new Error('This server asks its clients for nothing, so it has nothing to check against a schema.');
  },
};

/**
 * Serves a body of the revisions 2025-03-26 to 2025-11-25 through the first SDK; resolves when the response has closed, on
 * either side. Without sessions: every POST has its own server and transport, so that no answer can reach another client
 * and a restart loses nothing.
 */
export async function answer2025(exchange: Exchange): Promise<void> {
  const { req, res, body, calls, door, accepted } = exchange;
  if (res.destroyed) return;
  const plain = withPlainCalls(body);
  const problem = calls.ambiguous ? AMBIGUOUS : problemOf(plain);
  if (problem !== null) {
    refuse(res, 400, problem.code, problem.message, idOf(body));
    return;
  }
  const closed = new Promise<void>((resolve) => res.once('close', resolve));
  // The low-level server inside McpServer. McpServer itself would check the arguments of a call, and a call that it refused
  // would leave no line in the audit log. It does so once its options name the capability, so the capabilities are
  // registered afterwards.
  const { server } = new McpServer(
    { name: 'brain', title: 'Brain Server', version: door.version },
    { instructions: INSTRUCTIONS, jsonSchemaValidator },
  );
  server.registerCapabilities(door.surface.capabilities);
  // Not handlers with the SDK's schemas, which would refuse a call with bad params before this code sees it.
  server.fallbackRequestHandler = ({ method, params }, { requestId, signal, sendNotification }) =>
    respond(exchange, { method, params, id: requestId, gone: signal, notify: sendNotification });
  // The server knows only the calls of this body, and the SDK never ends the answer to a cancelled one.
  server.removeNotificationHandler('notifications/cancelled');
  // Without a generator of session ids the transport is stateless. A JSON answer cannot be preceded by progress.
  const transport = new StreamableHTTPServerTransport({
    ...(!accepted.stream && { enableJsonResponse: true }),
  });
  try {
    await server.connect(transport);
    // Closing the server when the client leaves aborts the signals of its calls.
    await Promise.all([transport.handleRequest(req, res, plain), closed.then(() => server.close())]);
  } finally {
    await server.close();
  }
}

const AMBIGUOUS = new RpcError(INVALID_REQUEST, 'Invalid Request: two requests carry the same id');

/** The length of a batch; the SDK refuses longer ones, whatever they hold. */
const LONGEST_BATCH = 100;

/**
 * Returns why a body is refused before the SDK sees it, or null. The SDK would report JSON as invalid JSON and a bad
 * `initialize` as an internal error, and would not answer an empty batch.
 */
function problemOf(body: unknown): RpcError | null {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  if (messages.length === 0) return new RpcError(INVALID_REQUEST, 'Invalid Request: the batch is empty');
  if (messages.length > LONGEST_BATCH) return null;
  if (!messages.every((each) => JSONRPCMessageSchema.safeParse(each).success)) {
    return new RpcError(INVALID_REQUEST, 'Invalid Request: this is no message of JSON-RPC 2.0 and MCP');
  }
  const isBadIntroduction = (each: unknown): boolean =>
    isRecord(each) && each.method === 'initialize' && 'id' in each && !isInitializeRequest(each);
  if (!messages.some(isBadIntroduction)) return null;
  return new RpcError(
    INVALID_PARAMS,
    'Invalid params: "protocolVersion", "capabilities" and "clientInfo" with "name" and "version" are required.',
  );
}

/** Returns the id of the request that a refusal answers; null when the body has none. */
function idOf(body: unknown): string | number | null {
  const id = isRecord(body) ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
