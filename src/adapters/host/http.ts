// Node's timers, not those of a window.
import * as http from 'node:http';
import * as https from 'node:https';
import type { Readable } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';
import { type HttpClient, HttpFailure } from '../../core/ports/ports';

/** The largest answer (bytes): nothing that the service answers comes near it. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

interface HttpRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as UTF-8 with its length, or as it comes from a stream. */
  readonly body?: string | FileBody;
  /** The longest silence of the connection (ms). */
  readonly timeoutMs: number;
  /** The largest answer (bytes). */
  readonly maxBytes?: number;
  /** Ends the exchange when it is aborted; the error has the `code` of its reason. */
  readonly signal?: AbortSignal;
  /** Opens a new connection: a kept one may have died unnoticed. */
  readonly isAlone?: boolean;
  /** Takes the connection of this agent. */
  readonly agent?: http.Agent;
}

/** A file as the body of a request. Its stream fails when the file has changed its size. */
export interface FileBody {
  /** In bytes. */
  readonly size: number;
  readonly stream: Readable;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The bytes as UTF-8. */
  readonly text: string;
}

/** There is no whole answer. `code` is the system's (`ECONNREFUSED`, `ETIMEDOUT` …) or empty. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Makes one HTTP exchange over node:http or node:https, without redirects. Resolves with any status.
 * @throws ConnectionError when the connection fails or falls silent, or the answer is too large.
 */
export function httpRequest(url: URL, request: HttpRequest): Promise<HttpAnswer> {
  const file = typeof request.body === 'object' ? request.body : null;
  const body = typeof request.body === 'string' ? Buffer.from(request.body, 'utf8') : undefined;
  const size = file?.size ?? body?.length;
  const length = size === undefined ? {} : { 'Content-Length': String(size) };
  const { request: send } = url.protocol === 'https:' ? https : http;
  const { maxBytes = MAX_ANSWER_BYTES, signal, isAlone = false, agent } = request;
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new ConnectionError(error.code ?? '', error.message));
    const outgoing = send(
      url,
      {
        method: request.method,
        headers: { ...request.headers, ...length },
        ...(isAlone && { agent: false }),
        ...(agent && { agent }),
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= maxBytes) chunks.push(chunk);
          else {
            // Rejects at once: after the last chunk, `end` comes before the error of `destroy`.
            fail(tooLarge(maxBytes));
            outgoing.destroy();
          }
        });
        answer.on('error', fail);
        answer.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const { statusCode: status = 0, headers } = answer;
          resolve({ status, headers, bytes, text: bytes.toString('utf8') });
        });
      },
    );
    outgoing.setTimeout(request.timeoutMs, () =>
      outgoing.destroy(
        Object.assign(new Error(`No answer within ${request.timeoutMs / 1000} s.`), { code: 'ETIMEDOUT' }),
      ),
    );
    outgoing.on('error', fail);
    const abort = () => outgoing.destroy(asError(signal?.reason));
    signal?.addEventListener('abort', abort, { once: true });
    outgoing.on('close', () => signal?.removeEventListener('abort', abort));
    if (signal?.aborted === true) abort();
    if (file === null) outgoing.end(body);
    else {
      file.stream.once('error', (error) => outgoing.destroy(error));
      // An answer that comes before the end of the file says what is wrong with it.
      outgoing.once('close', () => file.stream.destroy());
      file.stream.pipe(outgoing);
    }
  });
}

function tooLarge(maxBytes: number): Error {
  return Object.assign(new Error(`The answer has more than ${maxBytes} bytes.`), { code: 'EMSGSIZE' });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The exchange was called off.');
}

/** The port's names for the system's codes. */
const CODES: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'timeout',
  ESTOPPED: 'stopped',
  EMSGSIZE: 'too_large',
};

/** The HTTP client of the headless server, over node:http and node:https. */
export const outgoingHttp: HttpClient = {
  async send({ method, url, headers, body, timeoutMs, maxBytes, redirects, signal }) {
    const control = new AbortController();
    const end = (code: string, message: string) => control.abort(Object.assign(new Error(message), { code }));
    const timer = setTimeout(() => end('ETIMEDOUT', `No answer within ${timeoutMs / 1000} s.`), timeoutMs);
    const forget = signal?.onStop(() => end('ESTOPPED', 'The exchange was called off.'));
    try {
      const request = {
        method,
        headers,
        timeoutMs,
        maxBytes,
        signal: control.signal,
        isAlone: true,
        ...(body !== undefined && { body }),
      };
      let answer = await httpRequest(new URL(url), request);
      const next = redirects === undefined ? null : sameOrigin(answer, new URL(url));
      if (next !== null) answer = await httpRequest(next, request);
      if (answer.status >= 300 && answer.status < 400) {
        throw new HttpFailure('redirect', 'The answer sends to another address.', answer.status);
      }
      return { status: answer.status, headers: flat(answer.headers), body: answer.text };
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      throw new HttpFailure(CODES[error.code] ?? (error.code === '' ? 'failed' : error.code), error.message);
    } finally {
      clearTimeout(timer);
      forget?.();
    }
  },
};

/** Returns the target of a redirect that repeats the request (307, 308) on the same origin; else null. */
function sameOrigin({ status, headers: { location } }: HttpAnswer, url: URL): URL | null {
  if ((status !== 307 && status !== 308) || location === undefined) return null;
  if (!URL.canParse(location, url)) return null;
  const next = new URL(location, url);
  return next.origin === url.origin ? next : null;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
