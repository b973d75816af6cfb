import type { KeyedTexts } from '../client/host';
import type { Fetch, Pace } from '../client/http';

export type ThemeChoice = 'system' | 'light' | 'dark';

/** The browser, as far as light and dark are concerned. */
interface ThemePage {
  /** The person's choice, kept on this device; null before any. */
  load(): string | null;
  save(choice: ThemeChoice): void;
  systemIsDark(): boolean;
  /** Tells when the system has changed between light and dark. */
  onSystem(listener: () => void): void;
  /** Makes the whole page dark or light. */
  paint(dark: boolean): void;
}

export interface Theme {
  choice(): ThemeChoice;
  choose(choice: ThemeChoice): void;
}

/** Paints the page as chosen, and as the system is where nothing was chosen. */
export function createTheme(page: ThemePage): Theme {
  let current = choiceOf(page.load());
  const paint = (): void => page.paint(current === 'system' ? page.systemIsDark() : current === 'dark');
  page.onSystem(paint);
  paint();
  return {
    choice: () => current,
    choose(choice) {
      current = choice;
      page.save(choice);
      paint();
    },
  };
}

function choiceOf(saved: string | null): ThemeChoice {
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

/** What comes after a choice when the button is pressed. */
export const NEXT_THEME: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};

/** Where the page keeps its token: `sessionStorage`, which the browser forgets with the tab. */
interface TokenShelf {
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

/** The browser around the web page: everything that the frame touches outside its own element. */
export interface Browser {
  /** Where the server is, without a slash at the end. */
  readonly url: string;
  readonly document: Document;
  readonly fetch: Fetch;
  readonly pace: Pace;
  readonly token: TokenShelf;
  readonly theme: ThemePage;
  readonly address: {
    /** The fragment, with its `#`. */
    readonly hash: string;
    /** Goes there, as a step that the back button undoes. */
    push(fragment: string): void;
    /** Changes the address without such a step. */
    replace(fragment: string): void;
    /** Tells when the fragment has changed. */
    onChange(listener: () => void): void;
    /** Opens another tab there, which is signed in as this one is. */
    openTab(fragment: string): void;
  };
  readonly preferences: KeyedTexts;
  /** Forgotten with the tab. */
  readonly session: KeyedTexts;
  /** Rejects when the browser refuses, as it does on a page that came over plain HTTP from another machine. */
  copy(text: string): Promise<void>;
  now(): Date;
}
