import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { cleanClient } from '../../core/access/tokens';
import type { OwnServers } from '../../adapters/host/own-server';
import { isRecord, parsedJson } from '../../core/base/json';
import { KEY_IN_META } from '../../core/operation/descriptors';
import { CommandError } from '../terminal/io';
import { channelTo } from '../terminal/tokens';

/** The fields of a body that revision 2026-07-28 repeats in headers, where intermediaries can read them. */
const stateless = z.object({
  method: z.string(),
  params: z.object({
    _meta: z.object({ 'io.modelcontextprotocol/protocolVersion': z.string() }),
    name: z.unknown().optional(),
    uri: z.unknown().optional(),
  }),
});

/** The parameter that names the target of a method. */
const NAMED_BY: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** A header value that needs no encoding: visible ASCII, with spaces inside. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const LOOKS_ENCODED = /^=\?base64\?.*\?=$/;

/**
 * Returns the headers of a message of revision 2026-07-28; null for any other message, whose headers come from the
 * handshake.
 */
export function statelessHeaders(sent: unknown): Readonly<Record<string, string>> | null {
  const { data } = stateless.safeParse(sent);
  if (data === undefined) return null;
  const { method, params } = data;
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = field && params[field];
  const revision = params._meta['io.modelcontextprotocol/protocolVersion'];
  return {
    // An invalid header value is left out, and the server reports the missing header.
    ...(PLAIN.test(revision) && { 'MCP-Protocol-Version': revision }),
    ...(PLAIN.test(method) && { 'Mcp-Method': method }),
    ...(typeof name === 'string' && { 'Mcp-Name': headerValue(name) }),
  };
}

/** Encodes a text for a header: unchanged, or in the protocol's base64 form. */
function headerValue(text: string): string {
  if (PLAIN.test(text) && !LOOKS_ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/**
 * Yields the lines of a UTF-8 stream without their line ends, also a last one without one. Node's readline also splits at
 * U+2028, which JSON strings may hold unescaped.
 */
export async function* streamLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of stream) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(bytesOf(chunk), { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield withoutReturn([...parts, text.slice(start, end)].join(''));
      parts = [];
      start = end + 1;
    }
    parts.push(text.slice(start));
  }
  const rest = parts.join('') + decoder.decode();
  if (rest !== '') yield withoutReturn(rest);
}

/** Yields the `data` of every server-sent event of a stream; comments and other fields are skipped. */
export async function* eventData(stream: Readable): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of streamLines(stream)) {
    if (line.startsWith('data:')) {
      data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    } else if (line === '' && data.length > 0) {
      yield data.join('\n');
      data = [];
    }
  }
}

function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError('The stream must give text or bytes.');
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

interface BridgeOptions {
  /** The address of the running server, without `/mcp`. */
  readonly url: string;
  /** Null for a server without authentication. */
  readonly token: string | null;
  /** The servers that may get the token; null for any. */
  readonly servers?: OwnServers | null;
  /** The command that starts the command line from any folder; null when there may be none. */
  readonly command: string | null;
  /** Starts the server when none answers; null when a person does that. */
  readonly restart?: (() => Promise<void>) | null;
  /** The pauses before a tool call whose answer was lost is asked again (ms). */
  readonly pausesMs?: readonly number[];
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** The silence after which the server counts as gone (ms); it sends a keep-alive every 15 s while a call runs. */
const SILENCE_MS = 60_000;

const PAUSES_MS = [500, 2_000];

/** Codes of JSON-RPC: invalid JSON, an invalid message, and a server error. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const SERVER_ERROR = -32000;

type RequestId = string | number;
const messageSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
});
const introduction = z.object({
  method: z.literal('initialize'),
  params: z.object({ clientInfo: z.object({ name: z.unknown(), version: z.unknown() }) }),
});
const handshake = z.object({ result: z.object({ protocolVersion: z.string().regex(/^[\w.-]+$/) }) });
const refusal = z.object({ error: z.object({ message: z.string() }) });
const cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/**
 * Connects a client that starts a process (MCP over stdio) to the running server: every line of stdin is posted to
 * `<url>/mcp`, every message of the answers becomes a line of stdout, and nothing else is written there. Messages of every
 * revision pass, so that the server sees the host's own name; the HTTP headers are added, and an idempotency key to each tool call
 * without one, by which it is asked again when its answer was lost. Each request gets
 * exactly one answer: when the server cannot be reached, refuses or falls silent, it is a JSON-RPC error that says what to
 * do. Each POST opens its own connection, so a restart of the server makes no difference; over each of them one of `servers` first
 * proves that the token is for it. Resolves when stdin has ended and all answers are written, or when stdout is closed.
 */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const bridge = new Bridge(options);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // One for every open request.
  options.stdout.once('error', () => stop.abort()); // The host has closed the stream.
  const running = new Set<Promise<void>>();
  try {
    stop.signal.addEventListener('abort', () => options.stdin.destroy());
    for await (const line of streamLines(options.stdin)) {
      if (line.trim() === '') continue;
      const work: Promise<void> = bridge.forward(line, stop.signal).finally(() => running.delete(work));
      running.add(work);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  await Promise.all(running);
}

/** A message on its way to the server. */
interface Message {
  readonly sent: unknown;
  /** The HTTP headers of the message. */
  readonly headers: Readonly<Record<string, string>>;
  /** The ids of its requests that have no answer yet. */
  readonly open: Set<RequestId>;
}

class Bridge {
  readonly #url: URL;
  /** The headers of the session: the host's name and what the handshake agreed on, from `initialize` on. */
  readonly #session: Record<string, string> = {};
  /** The controllers that cancel the open requests of revision 2026-07-28. */
  readonly #stateless = new Map<RequestId, AbortController>();

  constructor(private readonly options: BridgeOptions) {
    this.#url = new URL('mcp', options.url.endsWith('/') ? options.url : `${options.url}/`);
  }

  /** Posts one line and writes the answers. Never rejects. */
  async forward(line: string, signal: AbortSignal): Promise<void> {
    const sent = withKey(parsedJson(line));
    if (sent === undefined) {
      const error = { code: PARSE_ERROR, message: 'Parse error: the line is not JSON.' };
      this.#write({ jsonrpc: '2.0', id: null, error });
      return;
    }
    const open = new Set(requestIds(sent));
    if (open.size === 0 && !isOneWay(sent)) {
      const error = {
        code: INVALID_REQUEST,
        message: 'Invalid Request: the line is no message of JSON-RPC.',
      };
      this.#write({ jsonrpc: '2.0', id: null, error });
      return;
    }
    if (this.#cancel(sent)) return;
    const own = statelessHeaders(sent);
    const stop = new AbortController();
    const end = () => stop.abort();
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
    const [id] = own === null ? [] : open;
    if (id !== undefined) this.#stateless.set(id, stop);
    let problem: string | null;
    try {
      const headers = own ?? this.#introduce(sent);
      problem = await this.#ask({ sent, headers, open }, stop.signal);
    } catch (error) {
      problem = this.#unreachable(error);
    } finally {
      signal.removeEventListener('abort', end);
      if (id !== undefined && this.#stateless.get(id) === stop) this.#stateless.delete(id);
    }
    if (stop.signal.aborted) return;
    if (open.size === 0 && problem !== null) this.options.stderr.write(`${problem}\n`);
    for (const id of open) {
      const error = { code: SERVER_ERROR, message: problem ?? this.#broken() };
      this.#write({ jsonrpc: '2.0', id, error });
    }
  }

  /**
   * Cancels a request of revision 2026-07-28, which has no message for that over HTTP, by closing its connection. The host
   * gets no answer then. Returns false when the message does not cancel such a request.
   */
  #cancel(sent: unknown): boolean {
    const id = cancellation.safeParse(sent).data?.params.requestId;
    const running = id === undefined ? undefined : this.#stateless.get(id);
    running?.abort();
    return running !== undefined;
  }

  /** Returns the session's headers; an `initialize` sets the host's name first. */
  #introduce(sent: unknown): Readonly<Record<string, string>> {
    const introduced = introduction.safeParse(sent).data?.params.clientInfo;
    const name = introduced && cleanClient(introduced.name, introduced.version);
    if (name !== undefined) this.#session['X-Brain-Client'] = name;
    return this.#session;
  }

  /** Exchanges a message, and a tool call again when its answer was lost. Resolves as `#exchange`. */
  async #ask(message: Message, signal: AbortSignal): Promise<string | null> {
    const { restart, pausesMs = PAUSES_MS } = this.options;
    const once = (): Promise<string | null> =>
      this.#exchange(message, signal).catch(async (error: unknown) => {
        // Nothing has arrived there, so that the message may be sent again.
        if (!restart || !isRefused(error)) throw error;
        await restart();
        return this.#exchange(message, signal);
      });
    let isLost = false;
    for (const pause of isKeyed(message.sent) ? pausesMs : []) {
      try {
        const problem = await once();
        if (problem !== null || message.open.size === 0) return problem;
      } catch (error) {
        if (error instanceof CommandError || signal.aborted || (!isLost && isRefused(error))) throw error;
      }
      isLost = true;
      await wait(pause, undefined, { signal });
    }
    return once().catch((error: unknown) => {
      // The first one may have arrived.
      throw isLost && isRefused(error) ? new Error('The answer was lost.') : error;
    });
  }

  /**
   * Writes one answer and removes the requests that it answers from `open`. Resolves with the reason of a refusal, or null.
   */
  async #exchange({ sent, headers, open }: Message, signal: AbortSignal): Promise<string | null> {
    const answer = await this.#post(JSON.stringify(sent), headers, signal);
    const isHandshake = introduction.safeParse(sent).success;
    if (isHandshake) this.#remember('Mcp-Session-Id', answer.headers['mcp-session-id']);
    let answered = false;
    const deliver = (received: unknown): void => {
      if (isHandshake)
        this.#remember('MCP-Protocol-Version', handshake.safeParse(received).data?.result.protocolVersion);
      const { data } = messageSchema.safeParse(received);
      const expected = data?.id !== undefined && open.delete(data.id);
      answered ||= expected;
      if (expected || data?.method !== undefined) this.#write(received);
    };
    if (answer.headers['content-type']?.startsWith('text/event-stream')) {
      for await (const data of eventData(answer)) [parsedJson(data)].flat().forEach(deliver);
      return null;
    }
    const body = parsedJson(await text(answer));
    [body].flat().forEach(deliver);
    const status = answer.statusCode ?? 0;
    const understood = answered || status === 202 || (status < 300 && body !== undefined);
    return understood ? null : this.#refused(status, body);
  }

  #remember(header: string, value: string | string[] | undefined): void {
    if (typeof value === 'string') this.#session[header] = value;
  }

  async #post(
    body: string,
    own: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<http.IncomingMessage> {
    const { token, servers = null } = this.options;
    const channel = await channelTo(new URL(this.options.url), servers, signal);
    const url = channel === null ? this.#url : new URL(this.#url.pathname, channel.url);
    const { request } = url.protocol === 'https:' ? https : http;
    const headers = {
      ...own,
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        url,
        { method: 'POST', agent: channel?.agent ?? false, headers, signal, timeout: SILENCE_MS },
        resolve,
      );
      outgoing.on('close', () => channel?.agent.destroy());
      outgoing.on('timeout', () => outgoing.destroy(new Error('the server fell silent')));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  #unreachable(error: unknown): string {
    if (error instanceof CommandError) return error.message;
    if (!isRefused(error)) return this.#broken();
    const { url, command } = this.options;
    const how = command === null ? '' : ` with "${command} serve"`;
    return `No Brain server is running at ${url}. Start it${how}, then try again.`;
  }

  #broken(): string {
    return `The Brain server at ${this.options.url} was lost before it had answered. If the call was to change something, check whether it did before you repeat it.`;
  }

  #refused(status: number, body: unknown): string {
    if (status === 401) {
      const { url, command } = this.options;
      const list = command === null ? '' : `; "${command} token list" shows what there is`;
      return `The Brain server at ${url} does not know this token. Set BRAIN_TOKEN to a valid one${list}.`;
    }
    const reason = refusal.safeParse(body).data?.error.message;
    return reason ?? `What answers at ${this.options.url} is not a Brain server (HTTP ${status}).`;
  }

  #write(value: unknown): void {
    this.options.stdout.write(`${JSON.stringify(value)}\n`);
  }
}

/** Returns true when no program listens at the address. */
function isRefused(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ECONNREFUSED';
}

/** Returns a message, or each of a batch, with an idempotency key if it is a tool call without one. */
function withKey(sent: unknown): unknown {
  if (Array.isArray(sent)) return sent.map(withKey);
  if (!isRecord(sent) || sent.method !== 'tools/call' || !isRecord(sent.params)) return sent;
  const { _meta: meta = {}, ...params } = sent.params;
  if (!isRecord(meta) || KEY_IN_META in meta) return sent;
  return { ...sent, params: { ...params, _meta: { ...meta, [KEY_IN_META]: randomUUID() } } };
}

/** Returns true for a tool call with a key, and for a batch of nothing else. */
function isKeyed(sent: unknown): boolean {
  return [sent].flat().every((each) => {
    const params = isRecord(each) && each.method === 'tools/call' ? each.params : undefined;
    return isRecord(params) && isRecord(params._meta) && KEY_IN_META in params._meta;
  });
}

/** Returns the ids of the requests in a message or batch, each of which needs an answer. */
function requestIds(sent: unknown): RequestId[] {
  return [sent].flat().flatMap((each) => {
    const { data } = messageSchema.safeParse(each);
    return data?.id !== undefined && data.method !== undefined ? [data.id] : [];
  });
}

/** Returns true for notifications and answers, which need no answer; false for an invalid message. */
function isOneWay(sent: unknown): boolean {
  const messages: unknown[] = Array.isArray(sent) ? sent : [sent];
  const isNotice = (each: Readonly<Record<string, unknown>>) => 'method' in each && !('id' in each);
  const isAnswer = (each: Readonly<Record<string, unknown>>) => 'result' in each || 'error' in each;
  return (
    messages.length > 0 && messages.every((each) => isRecord(each) && (isNotice(each) || isAnswer(each)))
  );
}
