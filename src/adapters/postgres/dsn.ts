const EMBEDDED = 'pglite:';

/** The folder of an embedded database (`pglite:./vectors`), or null for the address of a server. */
export function embeddedFolder(dsn: string): string | null {
  return dsn.startsWith(EMBEDDED) ? dsn.slice(EMBEDDED.length).replace(/^\/\/(?=.)/, '') : null;
}

/** Where an address leads, for messages: host, port and database, never user or password. */
export function placeOf(dsn: string): string {
  const url = URL.canParse(dsn) ? new URL(dsn) : null;
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) return 'the address in BRAIN_PG_DSN';
  const host = url.hostname === '' ? 'the local socket' : `${url.hostname}:${url.port || '5432'}`;
  return `${host}${url.pathname === '/' ? '' : url.pathname}`;
}
