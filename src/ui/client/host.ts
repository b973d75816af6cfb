import type { ComponentChildren } from 'preact';
import type * as z from 'zod';
import type { TokenLimits } from '../../core/access/tokens';
import type { ingestDropped } from '../../core/ingest/operations';
import type { Answer, Ask } from '../../core/registry/client';
import type { ScreenName, ScreenParams } from './screens';

/** The address of the server, as the connect screen gives it to agents. */
export interface Connection {
  /** `http://127.0.0.1:27246`. */
  readonly url: string;
  /** The absolute path of the vault, if the host knows it. */
  readonly vault?: string;
}

/** A token in a list, without its text. */
export interface TokenEntry extends TokenLimits {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly last_used?: string;
}

/** Management of tokens. Only a host that is the owner's own program has it. */
export interface TokenAdmin {
  list(): Promise<readonly TokenEntry[]>;
  /**
   * Creates a token and returns its text, which cannot be shown again.
   * @throws CallError when the name is taken or invalid, or a limit names what cannot be a path or a wing.
   */
  add(name: string, scopes: readonly string[], limits?: TokenLimits): Promise<string>;
  revoke(name: string): Promise<void>;
}

/** A key-value store of short texts. */
export interface KeyedTexts {
  /** Returns the text, or null when the key is absent. */
  get(key: string): string | null;
  set(key: string, value: string): void;
}

/** The job that ingests a file, or its outcome. */
export type FileIngest = z.input<(typeof ingestDropped)['output']>;

/**
 * The environment of the screens: Obsidian or the web page. A member that a host cannot offer is absent, and its button is
 * not shown.
 */
export interface UiHost {
  readonly kind: 'obsidian' | 'web';
  readonly connection: Connection;
  /** Shows a note, scrolled to a heading or a quote if one is named. */
  openNote(
    path: string,
    options?: { readonly newPane?: boolean; readonly heading?: string; readonly quote?: string },
  ): void;
  /** Opens a file other than a note, such as the source document of a note, at a page from 1. */
  readonly openFile?: (path: string, page?: number) => void;
  /**
   * Returns an address under which the page may load an image of the vault. One that begins with `blob:` is made for the caller,
   * who revokes it. Rejects with a CallError, `not_found` for what is no image that can be shown.
   */
  readonly imageUrl?: (path: string) => Promise<string>;
  /** Opens a note in the editor. */
  readonly editNote?: (path: string) => void;
  /**
   * Starts to ingest a file of any kind, and keeps the file in the vault. Resolves with a job to follow, or with the
   * outcome. Rejects with a CallError.
   */
  ingestFile(name: string, file: Blob): Promise<FileIngest>;
  /** Sends bytes of a file of an import, as the operation `sendBatchFile` takes them. Rejects with a CallError. */
  sendPart(ask: Ask<'sendBatchFile'>, part: Blob): Promise<Answer<'sendBatchFile'>>;
  /** Returns the files and folders in the vault that a text names which was dragged from another part of the host. */
  readonly draggedPaths?: (text: string) => readonly string[];
  /** Inserts a link to the note at the cursor of the last editor. */
  readonly insertLink?: (path: string, title: string) => void;
  /**
   * Opens a screen with parameters. With `replace`, the new history entry replaces the current one where the host has a
   * history, so that going back skips that one.
   */
  go(screen: ScreenName, params?: ScreenParams, options?: { readonly replace?: boolean }): void;
  /** Copies text to the clipboard. Rejects when the system refuses. */
  copy(text: string): Promise<void>;
  /**
   * Shows a layer with a title on top of the page. Returns a function that closes it. `onClose` runs once, however the layer
   * is closed. The content has this host and its client. The host handles Escape, traps the focus, and restores it.
   */
  openLayer(title: string, content: ComponentChildren, onClose?: () => void): () => void;
  /** The preferences of the screens on this device: `keys` = `off`. */
  readonly preferences: KeyedTexts;
  /** The session storage of the screens, until the tab or the app is closed. It keeps nothing when the storage is full. */
  readonly session: KeyedTexts;
  /** The keys of the host that work on every screen, for the list of keys. */
  readonly sharedKeys?: readonly {
    readonly title: string;
    readonly lines: readonly { readonly label: string; readonly keys: readonly string[] }[];
  }[];
  readonly tokens?: TokenAdmin;
  /** Restarts the server, if the host runs it. */
  readonly restartServer?: () => Promise<void>;
  /** Creates the missing folders of the vault layout, if the host may. */
  readonly makeFolders?: () => Promise<void>;
  /** Opens the settings of the service, if the host has them. */
  readonly openSettings?: () => void;
  now(): Date;
}
