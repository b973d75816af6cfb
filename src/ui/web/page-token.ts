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
const AS_TYPED = /^(?:\S*#token=)?([\x21-\x7e]+)$/;

/** The token in what a person typed or pasted, which may be the whole link that carries it. Null when there is none. */
export function typedToken(text: string): string | null {
  return AS_TYPED.exec(text.trim())?.[1] ?? null;
}

/**
 * Takes the token out of an address that carries one (`#token=…`) and puts `instead` there, so that neither the history
 * nor a copied address keeps it. Tells whether there was one.
 */
export function takeToken(
  page: { readonly hash: string; replace(fragment: string): void },
  shelf: TokenShelf,
  instead: string,
): boolean {
  const token = /^#token=([\w.~+/=-]+)$/.exec(page.hash)?.[1];
  if (token === undefined) return false;
  shelf.set(token);
  page.replace(instead);
  return true;
}
