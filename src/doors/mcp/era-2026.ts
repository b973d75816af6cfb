import {
  createMcpHandler,
  McpServer,
  type jsonSchemaValidator as SchemaValidator,
} from '@modelcontextprotocol/server';
import type { Request as NodeRequest, Response as NodeResponse } from 'express';
import { isRecord } from '../../core/base/json';
import { traceOf } from '../http/errors';
import type { Exchange, Result } from './exchange';
import { INSTRUCTIONS, respond } from './methods';

/** The headers that the protocol defines. No others are passed on, least of all the token. */
const PROTOCOL_HEADERS = /^(?:content-type|accept|mcp-.+)$/;

/**
 * Converts a request of Node to a web Request, without its body, which has been read. Host and Origin have been checked
 * before: the browser's Request class drops both.
 */
export function webRequest({ headers }: NodeRequest): Request {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && PROTOCOL_HEADERS.test(name) ? [[name, value]] : [],
  );
  return new Request('http://127.0.0.1/mcp', { method: 'POST', headers: kept });
}

/**
 * Streams a web response, no faster than the client reads it. Resolves when all is sent or the client has left; the source
 * is then cancelled. It uses a reader, as not every runtime of the app can iterate over a stream.
 */
export async function sendResponse(response: Response, res: NodeResponse): Promise<void> {
  const reader = response.body?.getReader();
  if (res.destroyed) {
    await reader?.cancel();
    return;
  }
  res.status(response.status);
  response.headers.forEach((value, name) => {
    if (name !== 'connection') res.setHeader(name, value); // Node sets it.
  });
  if (reader === undefined) {
    res.end();
    return;
  }
  res.flushHeaders();
  const gone = () => void reader.cancel();
  res.once('close', gone);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!res.write(value)) await drained(res);
  }
  res.off('close', gone);
  res.end();
}

/** Resolves when more can be written, or the response has closed. */
function drained(res: NodeResponse): Promise<void> {
  if (res.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      res.off('drain', over).off('close', over);
      resolve();
    };
    res.once('drain', over).once('close', over);
  });
}

/** As in `era-2025.ts`: this server asks no client for input. */
const jsonSchemaValidator: SchemaValidator = {
  getValidator() {
    throw new Error('This server asks its clients for nothing, so it has nothing to check against a schema.');
  },
};

/**
 * How long an answer may be cached (ms), and by whom: a token's scopes decide what it sees, so by that client only. Tools
 * and texts of this server are fixed; notes may change at any moment and are not cached.
 */
const FIXED = { ttlMs: 300_000, cacheScope: 'private' } as const;
const CACHED: ReadonlyMap<string, Result> = new Map([
  ['tools/list', FIXED],
  ['prompts/list', FIXED],
  ['resources/templates/list', FIXED],
  ['resources/list', { ttlMs: 5_000, cacheScope: 'private' }],
  ['resources/read', { ttlMs: 0, cacheScope: 'private' }],
]);

/**
 * Serves a body of revision 2026-07-28 through the second SDK; resolves when the response has closed, on either side. The
 * SDK checks the headers that must agree with the body, and answers `server/discover` and unknown methods. When the client
 * leaves, the signals of its calls are aborted.
 */
export async function answer2026(exchange: Exchange): Promise<void> {
  const { req, res, body, door, visit } = exchange;
  let problem: unknown;
  const handler = createMcpHandler(() => serverFor(exchange), {
    legacy: 'reject',
    responseMode: responseMode(exchange),
    onerror: (error) => (problem = error),
  });
  const closed = new Promise<void>((resolve) => res.once('close', resolve));
  const left = closed.then(() => handler.close());
  const response = await handler.fetch(webRequest(req), { parsedBody: body });
  if (response.status >= 500) {
    const { log } = door.context.brain;
    log.error('mcp_request_failed', { request_id: visit.requestId, ...traceOf(problem) });
  }
  await sendResponse(response, res);
  await left;
}

/** A client that accepts only JSON gets no notifications, which would turn the answer into a stream. */
const ignoreNotice = async (): Promise<void> => undefined;

/** Returns a server for one request, so that no answer can reach another client. */
function serverFor(exchange: Exchange): McpServer['server'] {
  const { body, door, accepted } = exchange;
  // The low-level server, for the same reason as in `era-2025.ts`.
  const { server } = new McpServer(
    { name: 'brain', title: 'Brain Server', version: door.version },
    { instructions: INSTRUCTIONS, jsonSchemaValidator, cacheHints: { 'server/discover': FIXED } },
  );
  server.registerCapabilities(door.surface.capabilities);
  const method = methodOf(body);
  // Without a handler the SDK answers that the method is unknown, with the right status.
  if (method === undefined || !door.surface.methods.has(method)) return server;
  server.fallbackRequestHandler = async ({ method, params }, { mcpReq: { id, signal, notify } }) => ({
    ...CACHED.get(method),
    ...(await respond(exchange, {
      method,
      params,
      id,
      gone: signal,
      notify: accepted.stream ? notify : ignoreNotice,
    })),
  });
  return server;
}

/**
 * Returns the form of the answer: JSON, unless notifications precede it. A tool that calls an outside service may take
 * minutes, in which only a stream shows that the call is alive.
 */
function responseMode({ body, door, accepted }: Exchange): 'auto' | 'sse' {
  if (!accepted.stream) return 'auto';
  if (!accepted.json) return 'sse';
  if (methodOf(body) !== 'tools/call') return 'auto';
  const params = isRecord(body) && isRecord(body.params) ? body.params : {};
  const tool = door.context.tools.find(({ name }) => name === params.name);
  return tool?.listing.annotations.openWorldHint === true ? 'sse' : 'auto';
}

function methodOf(body: unknown): string | undefined {
  return isRecord(body) && typeof body.method === 'string' ? body.method : undefined;
}
