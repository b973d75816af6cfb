import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { jsonSchemaValidator as SchemaValidator } from '@modelcontextprotocol/sdk/validation';
import type { Request } from 'express';
import { withParamObjects } from './body-calls';
import type { Exchange } from './exchange';
import { INSTRUCTIONS } from './instructions';
import { respond } from './methods';
import { INVALID_REQUEST, refuse } from './rpc-error';

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
  const { req, res, body, calls, door } = exchange;
  if (res.destroyed) return;
  if (calls.ambiguous) {
    refuse(res, 400, INVALID_REQUEST, 'Invalid Request: two requests carry the same id');
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
