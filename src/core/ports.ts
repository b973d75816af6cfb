import type { VaultPath } from './rules/paths';

/** A file of the vault as a listing shows it. `mtime` is in milliseconds since the epoch, `size` in bytes. */
export interface FileEntry {
  readonly path: VaultPath;
  readonly mtime: number;
  readonly size: number;
}

export type FileStat = Pick<FileEntry, 'mtime' | 'size'>;

/** Something happened to a file of the vault, whoever did it. A rename arrives as removed and changed. */
export interface VaultChange {
  readonly kind: 'changed' | 'removed';
  readonly path: VaultPath;
}

export type Unsubscribe = () => void;

/**
 * The notes of one vault. Text is UTF-8 and comes back exactly as it stands on disk, a BOM included.
 * Whatever resolves has happened durably: it survives a crash of the process and a loss of power.
 */
export interface VaultStore {
  /**
   * True when a crash leaves a file that was being made or edited either as it was or as it was to be. When false it may
   * also be left empty or cut off, so that even a change of one file is written into the journal first.
   */
  readonly atomicWrites: boolean;
  /** Every file below `folder` (recursive, in no promised order), without hidden, temporary and conflict files. Nothing when the folder is absent. */
  list(folder: string): AsyncIterable<FileEntry>;
  /** Time and size of a regular file, or null when there is none at the path. */
  stat(path: VaultPath): Promise<FileStat | null>;
  /** The whole text, or null when there is no file. Rejects with `unsupported_type` when the bytes are not UTF-8. */
  read(path: VaultPath): Promise<string | null>;
  /**
   * Makes the file and its folders; resolves false, touching nothing, when the path is taken. A reader never sees a part of it.
   * `meanwhile` is work, in pieces, that may as well be done while the disk is busy. Each piece is called at most once, in
   * their order and before the promise settles; none may throw.
   */
  create(path: VaultPath, text: string, meanwhile?: readonly (() => void)[]): Promise<boolean>;
  /**
   * Replaces the text by what `change` makes of it, atomically; `change` runs against the text as it is right before the
   * replacement and returns null to leave the file alone. Resolves false when the file is absent or was left alone.
   */
  edit(path: VaultPath, change: (old: string) => string | null): Promise<boolean>;
  /** Removes the file, into the user's trash where the host has one. Resolves when it is gone, also when it never was there. */
  remove(path: VaultPath): Promise<void>;
  /**
   * Replaces or makes a file that can be derived again from others (a wing index). Atomic, but durable only
   * when `durable` is true: pass true as soon as the text holds a person's own words.
   */
  putDerived(path: VaultPath, text: string, durable: boolean): Promise<void>;
  /** Appends whole lines in one durable write, making file and folders when absent (session records). */
  append(path: VaultPath, text: string): Promise<void>;
  /** The folders that `create` would have to make for the path, outermost first; empty when they all stand. */
  missingFolders(path: VaultPath): Promise<string[]>;
  /** Removes those of the folders (as `missingFolders` gave them) that stand empty; never one that holds anything. */
  removeEmptyFolders(folders: readonly string[]): Promise<void>;
  /** Calls `listener` for every later change below the folders that the service reads, from anyone, until unsubscribed. */
  changes(listener: (change: VaultChange) => void): Unsubscribe;
}

/** The service's own state, rooted at `.brain/`. Paths are relative to it, `/`-separated. */
export interface StateStore {
  /** The text of a state file, or null when there is none. */
  read(path: string): Promise<string | null>;
  /** Makes or replaces a file, atomically and durably, with its folders. */
  write(path: string, text: string): Promise<void>;
  /** Makes a file durably; resolves false, touching nothing, when it exists. */
  create(path: string, text: string): Promise<boolean>;
  /** Appends `text` in one write, making the file and its folders when absent; durable when `sync` is true. */
  append(path: string, text: string, sync: boolean): Promise<void>;
  /** Paths of all files below a folder, sorted; empty when the folder is absent. */
  list(folder: string): Promise<string[]>;
  /** Names of the folders directly below a folder, sorted; none when it is absent. */
  folders(folder: string): Promise<string[]>;
  /** Removes a file; resolves also when it never was there. */
  remove(path: string): Promise<void>;
}

export interface Clock {
  now(): Date;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** One structured line an event. Never given note text, tokens or other secrets. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
