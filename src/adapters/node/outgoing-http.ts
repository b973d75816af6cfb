// Node's own timers, not those of a window.
import { clearTimeout, setTimeout } from 'node:timers';
import { type HttpClient, HttpFailure } from '../../core/ports';
import { ConnectionError, type HttpAnswer, httpRequest } from './http-client';

/** What the system calls the reasons that the port has names for. */
const CODES: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'timeout',
  ESTOPPED: 'stopped',
  EMSGSIZE: 'too_large',
};

/** How the headless server asks the services that its owner has configured: over node:http and node:https. */
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

/** Where the answer sends the same request on, when that is the same server; else null. */
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
