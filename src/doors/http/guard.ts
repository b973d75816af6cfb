import type { Request } from 'express';
import { BrainError } from '../../core/base/errors';
import type { Config } from '../../core/config/config';

/** The host names of a loopback server on this machine. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** The values of Sec-Fetch-Site for a request without Origin that the own page sent or a person typed. */
const TRUSTED_SITES: readonly (string | undefined)[] = [undefined, 'none', 'same-origin'];

/**
 * Refuses requests that a page of another site made a browser send, also after DNS rebinding. Checks headers only, so a
 * refused body is never read.
 * @throws BrainError `forbidden_host` or `forbidden_origin`.
 */
export function guard(req: Request, config: Pick<Config, 'allowedHosts' | 'allowedOrigins'>): void {
  const secure = 'encrypted' in req.socket;
  const port = req.socket.localPort ?? 0;
  const isDefaultPort = port === (secure ? 443 : 80);
  const own = LOOPBACK_NAMES.flatMap((name) => [`${name}:${port}`, ...(isDefaultPort ? [name] : [])]);

  const hosts = req.headersDistinct.host ?? [];
  const host = hosts.length === 1 ? hosts[0]?.toLowerCase() : undefined;
  if (host === undefined || !(own.includes(host) || isListed(host, config.allowedHosts))) {
    throw new BrainError(
      'forbidden_host',
      `This server answers requests to 127.0.0.1:${port} and localhost:${port} only. Use one of them, or list the name in BRAIN_ALLOWED_HOSTS.`,
    );
  }

  const scheme = secure ? 'https' : 'http';
  const origins = req.headersDistinct.origin ?? [];
  const origin = origins[0]?.toLowerCase();
  const isKnownOrigin =
    origins.length === 1 &&
    (own.some((name) => origin === `${scheme}://${name}`) ||
      config.allowedOrigins.some((allowed) => origin === allowed.toLowerCase()));
  // Browsers set both headers and no page can change them; other clients leave them out. A listed origin is another site.
  const isTrusted =
    origin === undefined
      ? TRUSTED_SITES.includes(req.headersDistinct['sec-fetch-site']?.join())
      : isKnownOrigin;
  if (!isTrusted) {
    throw new BrainError(
      'forbidden_origin',
      'This server takes no requests from pages of other sites. Call it from a program, or list the origin in BRAIN_ALLOWED_ORIGINS.',
    );
  }
}

/**
 * Returns true when the host is listed. An entry without a port matches any port: behind a proxy the port is the proxy's.
 */
function isListed(host: string, allowed: readonly string[]): boolean {
  const name = host.replace(/:\d{1,5}$/, '');
  return allowed.some((entry) => [host, name].includes(entry.toLowerCase()));
}
