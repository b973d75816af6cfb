import type { KeyedTexts } from '../client/host';
import type { Fetch, Pace } from '../client/http';

export type ThemeChoice = 'system' | 'light' | 'dark';

/** The theme of the page and of the system. */
interface ThemePage {
  /** Returns the choice that was saved on this device; null for none. */
  load(): string | null;
  save(choice: ThemeChoice): void;
  systemIsDark(): boolean;
  /** Calls `listener` when the system changes between light and dark. */
  onSystem(listener: () => void): void;
  /** Sets the theme of the page. */
  paint(dark: boolean): void;
}

export interface Theme {
  choice(): ThemeChoice;
  choose(choice: ThemeChoice): void;
}

/** Applies the chosen theme to the page, or the system's theme without a choice. */
export function createTheme(page: ThemePage): Theme {
  let current = parseChoice(page.load());
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

function parseChoice(saved: string | null): ThemeChoice {
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

/** The next choice when the button is pressed. */
export const NEXT_THEME: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};

/**
 * The storage of the token: that of the tab (`sessionStorage`), which the browser clears with the tab, and by choice that of
 * the device (`localStorage`), where every tab of this browser finds it.
 */
export interface TokenStorage {
  /** Returns the token of the tab, else that of the device; null without any. */
  get(): string | null;
  /** Returns true when the device keeps a token. */
  isRemembered(): boolean;
  /**
   * Keeps the token. `remember` says whether the device keeps it too; without it, the device keeps the token only in place of one
   * that this tab had from there or would get from there.
   */
  set(token: string, remember?: boolean): void;
  /** Removes the token from the device, and all that this tab and the other tabs of the page have stored. */
  forget(): void;
  /** Calls `listener` when another tab has called `forget`. */
  onForgotten(listener: () => void): void;
}

const TOKEN_KEY = 'brain.token';
/** Written and removed at once, so that other tabs hear of it. */
const SIGN_OUT_KEY = 'brain.sign-out';

type TextStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>;

/** @param onStorage subscribes to changes of the device's storage by other tabs, as the event `storage` tells them */
export function tokenStorage(
  tab: TextStore,
  device: TextStore,
  onStorage: (listener: (event: Pick<StorageEvent, 'key' | 'newValue'>) => void) => void,
): TokenStorage {
  const isRemembered = (): boolean => device.getItem(TOKEN_KEY) !== null;
  return {
    get: () => tab.getItem(TOKEN_KEY) ?? device.getItem(TOKEN_KEY),
    isRemembered,
    set(token, remember) {
      const [ofTab, ofDevice] = [tab.getItem(TOKEN_KEY), device.getItem(TOKEN_KEY)];
      tab.setItem(TOKEN_KEY, token);
      if (remember === false) device.removeItem(TOKEN_KEY);
      else if (remember === true || (ofDevice !== null && (ofTab ?? ofDevice) === ofDevice)) {
        device.setItem(TOKEN_KEY, token);
      }
    },
    forget() {
      device.removeItem(TOKEN_KEY);
      tab.clear();
      device.setItem(SIGN_OUT_KEY, 'yes');
      device.removeItem(SIGN_OUT_KEY);
    },
    onForgotten: (listener) =>
      onStorage(({ key, newValue }) => {
        if (key !== SIGN_OUT_KEY || newValue === null) return;
        tab.clear();
        listener();
      }),
  };
}

/** The characters that an HTTP header can carry. A token that the owner chose may have more kinds than a generated one. */
const TOKEN = /^[\x21-\x7e]+$/;

/** A fragment with a token, and what may follow it: `#token=…&/queue`. */
const TOKEN_FRAGMENT = /#token=([^&]*)(?:&#?(.*))?$/s;

/** Returns the token in typed or pasted text, which may be the link that carries it; null for an invalid one. */
export function parseToken(text: string): string | null {
  const typed = text.trim();
  const token = TOKEN_FRAGMENT.exec(typed)?.[1] ?? typed;
  return TOKEN.test(token) ? token : null;
}

/**
 * Removes the token from an address (`#token=…`), so that neither the history nor a copied address keeps it. A route after
 * the token stays; anything else is replaced by `instead`. Returns null for an address without a token, and a null `token`
 * for an invalid one.
 */
export function takeToken(
  page: { readonly hash: string; replace(fragment: string): void },
  fallback: string,
): { readonly token: string | null } | null {
  const found = page.hash.startsWith('#token=') ? TOKEN_FRAGMENT.exec(page.hash) : null;
  if (found === null) return null;
  const [, text = '', rest = ''] = found;
  page.replace(rest.startsWith('/') ? `#${rest}` : fallback);
  return { token: TOKEN.test(text) ? text : null };
}

/** The browser APIs that the frame uses outside of its own element. */
export interface Browser {
  /** The URL of the server, without a trailing slash. */
  readonly url: string;
  readonly document: Document;
  readonly fetch: Fetch;
  readonly pace: Pace;
  readonly token: TokenStorage;
  readonly theme: ThemePage;
  readonly address: {
    /** The fragment, with its `#`. */
    readonly hash: string;
    /** Changes the fragment and adds a history entry. */
    push(fragment: string): void;
    /** Changes the fragment and replaces the history entry. */
    replace(fragment: string): void;
    /** Calls `listener` when the fragment changes. */
    onChange(listener: () => void): void;
    /** Opens another tab at the fragment, with the token of this one. */
    openTab(fragment: string): void;
  };
  readonly preferences: KeyedTexts;
  /** Cleared with the tab. */
  readonly session: KeyedTexts;
  /** Rejects when the browser refuses, for example on a page over plain HTTP from another machine. */
  copy(text: string): Promise<void>;
  now(): Date;
}
