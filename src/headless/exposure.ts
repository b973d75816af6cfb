import type { networkInterfaces } from 'node:os';
import type { Config } from '../core/config';
import { isLoopback } from '../doors/listen';

/** How machines other than this one can reach the server. */
export interface Exposure {
  /** Addresses that are answered there, without a slash at the end. */
  readonly urls: readonly string[];
  /** A name of this machine that would be answered if it were listed in `BRAIN_ALLOWED_HOSTS`. */
  readonly unlisted: string | null;
  readonly tls: boolean;
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Null when only this machine reaches the server. A request is answered under the names of `allowedHosts` and, on this
 * machine, of the loopback; so an address of this machine helps others only when it stands in that list.
 */
export function exposureOf(
  { host, allowedHosts }: Pick<Config, 'host' | 'allowedHosts'>,
  { port, tls }: { readonly port: number; readonly tls: boolean },
  interfaces: Interfaces,
): Exposure | null {
  if (isLoopback(host)) return null;
  const scheme = tls ? 'https' : 'http';
  const hasPort = (name: string): boolean => /:\d{1,5}$/.test(name);
  const urls = allowedHosts.map((name) => `${scheme}://${hasPort(name) ? name : `${name}:${port}`}`);
  const [own] = host === '0.0.0.0' || host === '::' ? addressesOf(interfaces) : [inUrl(host)];
  return { urls, unlisted: urls.length > 0 ? null : (own ?? null), tls };
}

/** The addresses at which others may find this machine, those of version 4 first. */
function addressesOf(interfaces: Interfaces): string[] {
  const outer = Object.values(interfaces)
    .flatMap((some) => some ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const having = (family: string) => outer.filter((one) => one.family === family);
  return [...having('IPv4'), ...having('IPv6')].map(({ address }) => inUrl(address));
}

function inUrl(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
