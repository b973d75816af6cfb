/** Version of the HTTP contract. Within it things are only added; a breaking change gets paths of its own. */
export const API_VERSION = '1';

/**
 * The headers of every answer, with a fresh request id. Notes are private and change all the time, so nothing may
 * be cached or sniffed; there is never an `Access-Control-*` header, because no other site's page has business here.
 */
export function commonHeaders(): Readonly<Record<string, string>> {
  return {
    'X-Request-Id': crypto.randomUUID(),
    'X-Brain-API': API_VERSION,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  };
}
