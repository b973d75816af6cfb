import type { KeyedTexts } from '../host';
import type { Fetch } from '../http-client';
import type { Pace } from '../poll';
import type { ThemePage } from './theme';
import type { TokenShelf } from './page-token';

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
