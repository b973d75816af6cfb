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

/** The headers that the protocol gives a meaning. No others go on: least of all the token. */
const OF_THE_PROTOCOL = /^(?:content-type|accept|mcp-.+)$/;

/**
 * A request of Node's in the form that web servers use, without its body, which has been read. Who may knock was decided
 * before: a browser's own class drops `Host` and `Origin`, so behind this nobody could tell any more.
 */
export function webRequest({ headers }: NodeRequest): Request {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && OF_THE_PROTOCOL.test(name) ? [[name, value]] : [],
  );
  return new Request('http://127.0.0.1/mcp', { method: 'POST', headers: kept });
}

/**
 * Sends a web response as it comes, and no faster than the client takes it. Resolves when all is sent or the client has left;
 * the rest is then taken back from its source. Read with a reader: not every runtime of the app can iterate over a stream.
 */
export async function sendResponse(response: Response, res: NodeResponse): Promise<void> {
  const reader = response.body?.getReader();
  if (res.destroyed) {
    await reader?.cancel();
    return;
  }
  res.status(response.status);
  response.headers.forEach((value, name) => {
    if (name !== 'connection') res.setHeader(name, value); // Node's own affair
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

/** Resolves when more can be written, or never will. */
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

/** See the other line's: nothing of ours asks a client for input. */
const jsonSchemaValidator: SchemaValidator = {
  getValidator() {
    throw new Error('This server asks its clients for nothing, so it has nothing to check against a schema.');
  },
};

/**
 * How long an answer may be reused, in milliseconds, and by whom: what a token sees depends on its scopes, so by nobody
 * else. Tools and words of this server are fixed; what notes say may change at any moment, so that is not kept.
 */
const FIXED = { ttlMs: 300_000, cacheScope: 'private' } as const;
const CACHED: ReadonlyMap<string, Result> = new Map([
  ['tools/list', FIXED],
  ['resources/templates/list', FIXED],
  ['resources/list', { ttlMs: 5_000, cacheScope: 'private' }],
  ['resources/read', { ttlMs: 0, cacheScope: 'private' }],
]);

/**
 * Serves a body of revision 2026-07-28 through the SDK's second line; resolves when the response has closed, whoever closed
 * it. The SDK checks the headers that have to agree with the body, and answers `server/discover` and what it does not
 * know. When the client leaves, the signals of its calls are aborted.
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

/** Whoever takes JSON alone is told nothing ahead of the answer, which would make a stream of it. */
const unsaid = async (): Promise<void> => undefined;

/** A server for one request, so that no answer can reach another client. */
function serverFor(exchange: Exchange): McpServer['server'] {
  const { body, door, accepted } = exchange;
  // The low-level half, for the same reason as with the other line.
  const { server } = new McpServer(
    { name: 'brain', title: 'Brain', version: door.version },
    { instructions: INSTRUCTIONS, jsonSchemaValidator, cacheHints: { 'server/discover': FIXED } },
  );
  server.registerCapabilities(door.surface.capabilities);
  const method = methodOf(body);
  // Without a handler the SDK says itself that there is no such method, with the status that belongs to it.
  if (method === undefined || !door.surface.methods.has(method)) return server;
  server.fallbackRequestHandler = async ({ method, params }, { mcpReq: { id, signal, notify } }) => ({
    ...CACHED.get(method),
    ...(await respond(exchange, {
      method,
      params,
      id,
      gone: signal,
      notify: accepted.stream ? notify : unsaid,
    })),
  });
  return server;
}

/**
 * A plain JSON answer, unless there is something to say before it. A tool that asks a service outside may take minutes, in
 * which only a stream shows signs of life.
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
