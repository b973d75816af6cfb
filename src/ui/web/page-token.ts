/** Where the page keeps its token: `sessionStorage`, which the browser forgets with the tab. */
export interface TokenShelf {
  get(): string | null;
  set(token: string): void;
}

const KEY = 'brain.token';

export function tokenShelf(storage: Pick<Storage, 'getItem' | 'setItem'>): TokenShelf {
  return {
    get: () => storage.getItem(KEY),
    set: (token) => storage.setItem(KEY, token),
  };
}

/** What a header can carry: a token that the owner chose may hold more signs than one that the service makes. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The fragment that carries a token, and what may follow it: `#token=…&/queue`. */
const CARRIED = /#token=([^&]*)(?:&#?(.*))?$/s;

/** The token in what a person typed or pasted, which may be the whole link that carries it. Null when there is none. */
export function typedToken(text: string): string | null {
  const typed = text.trim();
  const token = CARRIED.exec(typed)?.[1] ?? typed;
  return TOKEN.test(token) ? token : null;
}

/**
 * Takes the token out of an address that carries one (`#token=…`), so that neither the history nor a copied address keeps it,
 * whatever follows it there: a route stays, anything else gives way to `instead`. Null when the address carries none;
 * `token` is null when what it carries can be none.
 */
export function takeToken(
  page: { readonly hash: string; replace(fragment: string): void },
  instead: string,
): { readonly token: string | null } | null {
  const found = page.hash.startsWith('#token=') ? CARRIED.exec(page.hash) : null;
  if (found === null) return null;
  const [, carried = '', rest = ''] = found;
  page.replace(rest.startsWith('/') ? `#${rest}` : instead);
  return { token: TOKEN.test(carried) ? carried : null };
}
