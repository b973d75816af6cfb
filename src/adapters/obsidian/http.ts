import { requestUrl, type RequestUrlResponse } from 'obsidian';
import { type HttpClient, HttpFailure, type HttpRequest, type HttpResponse } from '../../core/ports/ports';

/**
 * How the service asks the web inside the app: through the app's own client, which knows the system's proxies and is not
 * held to the rules for web pages. That client cannot be called off and follows every redirect by itself, whatever the request
 * says of them: an exchange that is over time or stopped is no longer waited for.
 *
 * @param sleep resolves after so many milliseconds without keeping the process alive
 */
export function obsidianHttp(sleep: (milliseconds: number) => Promise<void>): HttpClient {
  return {
    async send(request) {
      const { url, method, headers, body, timeoutMs, maxBytes, signal } = request;
      const asked = requestUrl({ url, method, headers, throw: false, ...(body !== undefined && { body }) });
      const answered = Promise.resolve(asked).catch((error: unknown) => {
        throw new HttpFailure(codeIn(error), error instanceof Error ? error.message : String(error));
      });
      // What comes after it is no longer waited for must not end as an unhandled rejection.
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

/** The app says `net::ERR_CONNECTION_REFUSED`. */
function codeIn(error: unknown): string {
  return /net::ERR_([A-Z_]+)/.exec(String(error))?.[1] ?? 'failed';
}
