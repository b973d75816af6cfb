import type { ComponentChildren } from 'preact';
import type * as z from 'zod';
import type { ingestDropped } from '../../core/ingest/operations';
import type { ScreenName, ScreenParams } from './screens';

/** How an agent is told where the server is, for the connect screen. */
export interface Connection {
  /** `http://127.0.0.1:27246`. */
  readonly url: string;
  /** Absolute folder of the vault, when the host knows it. */
  readonly vault?: string;
}

/** A token as a list shows it: never its text. */
export interface TokenEntry {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly last_used?: string;
}

/** Managing tokens: only a host that is the owner's own program may. */
export interface TokenAdmin {
  list(): Promise<readonly TokenEntry[]>;
  /** Makes a token and gives its text, which nothing can show again. @throws CallError when the name is taken or unfit. */
  add(name: string, scopes: readonly string[]): Promise<string>;
  revoke(name: string): Promise<void>;
}

/** Short texts under names. */
export interface KeyedTexts {
  /** The text, or null when none was kept. */
  get(key: string): string | null;
  set(key: string, value: string): void;
}

/** A job that ingests a file, or what came of it. */
export type FileIngest = z.input<(typeof ingestDropped)['output']>;

/** What stands around the screens: Obsidian, or the web page. What a host cannot do is absent, and so is its button. */
export interface UiHost {
  readonly kind: 'obsidian' | 'web';
  readonly connection: Connection;
  /** Shows a note to be read, from a heading or a quote on where one is named; in a new pane when asked. */
  openNote(
    path: string,
    options?: { readonly newPane?: boolean; readonly heading?: string; readonly quote?: string },
  ): void;
  /** Opens a file that is no note (the document that a note came from), at a page of it, from 1, where one is given. */
  readonly openFile?: (path: string, page?: number) => void;
  /** Opens a note in the editor. */
  readonly editNote?: (path: string) => void;
  /**
   * Begins to ingest a file of any kind, which is kept in the vault; resolves with a job to follow, or with the outcome.
   * Rejects with a CallError. Absent where only text can be sent.
   */
  readonly ingestFile?: (name: string, bytes: Uint8Array) => Promise<FileIngest>;
  /** The files and folders of the vault that a text names which was dragged here from elsewhere in the host. */
  readonly draggedPaths?: (text: string) => readonly string[];
  /** Inserts a link to the note where the person was writing. */
  readonly insertLink?: (path: string, title: string) => void;
  /**
   * Opens another screen, or this one on something else. With `replace` that takes the place of the present step, where the
   * host keeps steps, so that going back does not pass it.
   */
  go(screen: ScreenName, params?: ScreenParams, options?: { readonly replace?: boolean }): void;
  /** Puts text on the clipboard. Rejects when the system refuses. */
  copy(text: string): Promise<void>;
  /**
   * Shows a layer above everything, with a title; returns how to close it. `onClose` runs once, however it was closed.
   * The host owns Escape, the focus trap, and giving the focus back.
   */
  openLayer(title: string, content: ComponentChildren, onClose?: () => void): () => void;
  /** Settings of the screens themselves, kept on this device: `keys` = `off`. */
  readonly preferences: KeyedTexts;
  /** What the screens remember until the tab or the app is closed; null and nothing kept where there is no room. */
  readonly session: KeyedTexts;
  readonly tokens?: TokenAdmin;
  /** Starts the server again, where the host runs it. */
  readonly restartServer?: () => Promise<void>;
  /** Makes the folders of the vault's layout that are missing, where the host may. */
  readonly makeFolders?: () => Promise<void>;
  /** Opens the settings of the service, where the host has any. */
  readonly openSettings?: () => void;
  now(): Date;
}
