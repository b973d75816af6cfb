import type { DataWriteOptions, ListedFiles, Stat } from 'obsidian';

/**
 * Where the files of a fake vault lie. Paths are relative to the vault, '' is its root. Errors carry the codes of a file
 * system: ENOENT for what is absent (or whose folder is), EISDIR and ENOTDIR for the wrong kind, ENOTEMPTY for a folder in
 * use.
 */
export interface Storage {
  /** The folder on disk, or null when there is none. */
  readonly basePath: string | null;
  /** True when names that differ only in case are one name. */
  readonly caseInsensitive: boolean;
  /** What is at the path, or null. */
  stat(path: string): Promise<Stat | null>;
  /** The paths of files and folders directly below, as they are spelt. */
  list(path: string): Promise<ListedFiles>;
  read(path: string): Promise<Uint8Array>;
  /** Replaces or makes a file; its folder must stand. */
  write(path: string, bytes: Uint8Array, times?: DataWriteOptions): Promise<void>;
  append(path: string, bytes: Uint8Array, times?: DataWriteOptions): Promise<void>;
  /** Makes a folder and those above it; nothing happens when it stands. */
  mkdir(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  rmdir(path: string, recursive: boolean): Promise<void>;
}
