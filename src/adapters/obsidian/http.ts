import { requestUrl, type RequestUrlResponse } from 'obsidian';
import { type HttpClient, HttpFailure, type HttpRequest, type HttpResponse } from '../../core/ports/ports';

/**
 * Returns the HTTP client inside the app: the app's own client, which knows the system's proxies and is not bound by CORS.
 * That client cannot be aborted and follows every redirect, so an exchange that is over time or stopped is only abandoned.
 *
 * @param sleep resolves after this time (ms) without keeping the process alive
 */
export function obsidianHttp(sleep: (milliseconds: number) => Promise<void>): HttpClient {
  return {
    async send(request) {
      const { url, method, headers, body, timeoutMs, maxBytes, signal } = request;
      const asked = requestUrl({ url, method, headers, throw: false, ...(body !== undefined && { body }) });
      const answered = Promise.resolve(asked).catch((error: unknown) => {
        throw new HttpFailure(codeIn(error), error instanceof Error ? error.message : String(error));
      });
      // A late failure must not become an unhandled rejection.
      answered.catch(() => undefined);
      let forget = (): void => undefined;
      const stopped = new Promise<never>((_, reject) => {
        const stop = () => reject(new HttpFailure('stopped', 'The exchange was called off.'));
        forget = signal?.onStop(stop) ?? forget;
      });
      const late = sleep(timeoutMs).then((): never => {
        throw new HttpFailure('timeout', `No answer within ${timeoutMs / 1000} s.`);
      });
      late.catch(() => undefined);
      try {
        return within(maxBytes, await Promise.race([answered, stopped, late]));
      } finally {
        forget();
      }
    },
  };
}

function within(maxBytes: HttpRequest['maxBytes'], answer: RequestUrlResponse): HttpResponse {
  if (answer.arrayBuffer.byteLength > maxBytes) {
    throw new HttpFailure('too_large', `The answer has more than ${maxBytes} bytes.`);
  }
  if (answer.status >= 300 && answer.status < 400) {
    throw new HttpFailure('redirect', 'The answer sends to another address.', answer.status);
  }
  const headers = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { status: answer.status, headers: Object.fromEntries(headers), body: answer.text };
}

/** Returns the code in the app's message, `net::ERR_CONNECTION_REFUSED`. */
function codeIn(error: unknown): string {
  return /net::ERR_([A-Z_]+)/.exec(String(error))?.[1] ?? 'failed';
}
