const EMBEDDED = 'pglite:';

/** The folder of an embedded database (`pglite:./vectors`), or null for the address of a server. */
export function embeddedFolder(dsn: string): string | null {
  return dsn.startsWith(EMBEDDED) ? dsn.slice(EMBEDDED.length).replace(/^\/\/(?=.)/, '') : null;
}

const LOOKS = 'Write it as postgres://user:password@host:5432/database';
const ENCODE = 'In user, password and database write @ : / ? # % and spaces as %40 %3A %2F %3F %23 %25 %20.';
const SSL_MODES: readonly (string | null)[] = [
  null,
  'disable',
  'no-verify',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
];

/**
 * Why the address of a server cannot be used, and what would do, in sentences that are safe to show: nothing of the address
 * is in them. Null when it can. Whether anything answers there is not looked at.
 */
export function dsnProblem(dsn: string): string | null {
  if (!/^postgres(?:ql)?:\/\//i.test(dsn)) {
    return `BRAIN_PG_DSN is no address of a Postgres server. ${LOOKS}, over a socket as postgres://user@/database?host=/var/run/postgresql.`;
  }
  if (/%(?![0-9a-f]{2})|[\s\p{Cc}]/iu.test(dsn)) {
    return `BRAIN_PG_DSN holds a space or a % that is no percent-encoding. ${ENCODE}`;
  }
  const authority = /^\w+:\/\/([^/?#]*)/.exec(dsn)?.[1] ?? '';
  const url = urlOf(dsn);
  const hosts = `${authority.slice(authority.lastIndexOf('@') + 1)}${url?.searchParams.get('host') ?? ''}`;
  if (/,|%2c/i.test(hosts)) {
    return 'BRAIN_PG_DSN names several hosts, which cannot be used. Give the one address that leads to the primary: a virtual address, a proxy, or the endpoint of the managed service.';
  }
  if (url === null) {
    return `BRAIN_PG_DSN cannot be read as an address. ${LOOKS}, with a port from 1 to 65535. ${ENCODE}`;
  }
  const odd = [url.pathname, url.hash, ...url.searchParams.keys()].some((part) => /[@#]/.test(part));
  if (odd || url.pathname.lastIndexOf('/') > 0) {
    return `BRAIN_PG_DSN has a sign in its user, password or database that has to be encoded. ${ENCODE}`;
  }
  if (![url.username, url.password, url.hostname, url.pathname, url.search].every(decodes)) {
    return `BRAIN_PG_DSN holds a percent-encoding that is no UTF-8. ${ENCODE}`;
  }
  const port = url.searchParams.get('port') ?? url.port;
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65535)) {
    return 'BRAIN_PG_DSN has a port that cannot be used. Use a whole number from 1 to 65535.';
  }
  if (!['any', null].includes(url.searchParams.get('target_session_attrs'))) {
    return 'BRAIN_PG_DSN asks for target_session_attrs, which cannot be done. Leave it out, and give the one address that leads to the primary.';
  }
  if (!SSL_MODES.includes(url.searchParams.get('sslmode'))) {
    return 'BRAIN_PG_DSN has an sslmode that cannot be used. Use verify-full, no-verify or disable; require, verify-ca and prefer check the certificate as verify-full does.';
  }
  return null;
}

/** Where an address leads, for messages: host, port and database, never user or password. */
export function placeOf(dsn: string): string {
  const url = /^postgres(?:ql)?:\/\//i.test(dsn) ? urlOf(dsn) : null;
  if (url === null) return 'the address in BRAIN_PG_DSN';
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = (url.searchParams.get('port') ?? url.port) || '5432';
  const name = url.pathname === '/' ? '' : url.pathname;
  return `${host === '' ? 'localhost' : decodes(host) ? decodeURIComponent(host) : host}:${port}${name}`;
}

/** What of the address names files, whose reading is the driver's. */
export function namesFiles(dsn: string): boolean {
  const { searchParams } = urlOf(dsn) ?? {};
  return ['sslrootcert', 'sslcert', 'sslkey'].some((name) => searchParams?.has(name));
}

/** The address as the driver is to get it: it warns of modes that check less in its next version, which are not meant. */
export function forDriver(dsn: string): string {
  const isOwn = /[?&]uselibpqcompat=/.test(dsn);
  return isOwn ? dsn : dsn.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** A user without a host, as for a socket, is fine for Postgres but no URL. */
function urlOf(dsn: string): URL | null {
  const whole = dsn.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?]|$)/, '$1localhost');
  return URL.canParse(whole) ? new URL(whole) : null;
}

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
