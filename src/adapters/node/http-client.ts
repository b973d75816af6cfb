import * as http from 'node:http';
import * as https from 'node:https';

/** Answers beyond this are not read: nothing the service says comes near it. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface HttpRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as UTF-8 with its length. */
  readonly body?: string;
  /** Longest silence of the connection, in milliseconds. */
  readonly timeoutMs: number;
  /** Most bytes of the answer that are read. */
  readonly maxBytes?: number;
  /** Ends the exchange when it is aborted, with the `code` of its reason. */
  readonly signal?: AbortSignal;
  /** A connection of its own: one that was kept may have died unnoticed. */
  readonly isAlone?: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** No whole answer came back. `code` is the system's (`ECONNREFUSED`, `ETIMEDOUT` …) or empty. */
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
 * One HTTP exchange over node:http or node:https, without redirects. Resolves with any status.
 * @throws ConnectionError when the connection fails, falls silent or the answer is too large.
 */
export function httpRequest(url: URL, request: HttpRequest): Promise<HttpAnswer> {
  const body = request.body === undefined ? undefined : Buffer.from(request.body, 'utf8');
  const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
  const { request: send } = url.protocol === 'https:' ? https : http;
  const { maxBytes = MAX_ANSWER_BYTES, signal, isAlone = false } = request;
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new ConnectionError(error.code ?? '', error.message));
    const outgoing = send(
      url,
      {
        method: request.method,
        headers: { ...request.headers, ...length },
        ...(isAlone && { agent: false }),
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= maxBytes) chunks.push(chunk);
          else {
            // Refused here and now: when this was the last of it, its end comes before what `destroy` tells.
            fail(tooLarge(maxBytes));
            outgoing.destroy();
          }
        });
        answer.on('error', fail);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
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
    outgoing.end(body);
  });
}

function tooLarge(maxBytes: number): Error {
  return Object.assign(new Error(`The answer has more than ${maxBytes} bytes.`), { code: 'EMSGSIZE' });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The exchange was called off.');
}
