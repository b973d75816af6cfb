import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator as SchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { isRecord } from '../../core/base/json';
import { withPlainCalls } from './calls';
import type { Exchange } from './exchange';
import { INSTRUCTIONS, respond } from './methods';
import { INVALID_PARAMS, INVALID_REQUEST, refuse, RpcError } from './rpc-error';

/** The SDK would make one of its own for every server. Only a server that asks its clients for input has a use for it. */
const jsonSchemaValidator: SchemaValidator = {
  getValidator() {
    throw new Error('This server asks its clients for nothing, so it has nothing to check against a schema.');
  },
};

/**
 * Serves a body of the revisions 2025-03-26 to 2025-11-25 through the SDK's first line; resolves when the response has closed,
 * whoever closed it. Without sessions: a server and a transport of its own for every POST, so that no answer can reach
 * another client and nothing is lost when the service restarts.
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
  // The low-level half of McpServer: its other half would check the arguments of a call itself, and a call that it refused
  // would leave no line in the audit log. It takes over as soon as its options name the capability, so that comes after.
  const { server } = new McpServer(
    { name: 'brain', title: 'Brain', version: door.version },
    { instructions: INSTRUCTIONS, jsonSchemaValidator },
  );
  server.registerCapabilities(door.surface.capabilities);
  // Not handlers with the SDK's own schemas: a call with bad params would then be refused before we see it.
  server.fallbackRequestHandler = ({ method, params }, { requestId, signal, sendNotification }) =>
    respond(exchange, { method, params, id: requestId, gone: signal, notify: sendNotification });
  // Of this server's calls only those of the same body could be meant, and the SDK then never ends the answer to them.
  server.removeNotificationHandler('notifications/cancelled');
  // No generator of session ids: stateless. As JSON an answer has nothing before it, so no progress is told then.
  const transport = new StreamableHTTPServerTransport({
    ...(!accepted.stream && { enableJsonResponse: true }),
  });
  try {
    await server.connect(transport);
    // Closing the server as soon as the client is gone is what aborts the signals of its calls.
    await Promise.all([transport.handleRequest(req, res, plain), closed.then(() => server.close())]);
  } finally {
    await server.close();
  }
}

const AMBIGUOUS = new RpcError(INVALID_REQUEST, 'Invalid Request: two requests carry the same id');

/** Longer batches are refused by the SDK, whatever is in them. */
const LONGEST_BATCH = 100;

/**
 * Why a body is refused before the SDK sees it, or null. The SDK would say of JSON that it is none, of an introduction that
 * it had failed inside, and to an empty batch nothing.
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

/** Which request a refusal answers, where the body is one that says so. */
function idOf(body: unknown): string | number | null {
  const id = isRecord(body) ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
