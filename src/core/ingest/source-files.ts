import type { StopSignal } from '../host';
import type { VaultPath } from '../rules/paths';

/** Largest file that is read, in bytes. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Most files of one folder. */
export const MAX_FOLDER_FILES = 1000;

/** How far a caller may reach: into the inbox and the allowed roots, or, as a person in the app, nearly everywhere. */
export type Reach = 'fenced' | 'person';

/** A file that was found inside the caller's fence. */
export interface SourceFile {
  readonly kind: 'file';
  /** What it is called in answers: its path in the vault, or where it is on this machine. */
  readonly file: string;
  /** The last segment. */
  readonly name: string;
  /** Null when it is outside the vault. */
  readonly path: VaultPath | null;
  /** Where it really is on this machine, no link among its folders. */
  readonly full: string;
}

/** A folder that was found inside the caller's fence. */
export interface SourceFolder {
  readonly kind: 'folder';
  readonly file: string;
  readonly full: string;
}

/** Files of this machine that callers name to have them ingested: the one way to anything outside the vault's notes. */
export interface SourceFiles {
  /**
   * What stands at the path, which is relative to the vault or absolute; nothing in it is decoded. Links are followed, and
   * where they end decides. Rejects with `path_not_allowed` outside the caller's fence, in the same words whether anything
   * is there or not, without even looking where the path alone tells; with `source_missing` when nothing stands inside the
   * fence; with `unsupported_type` for what is neither a regular file nor a folder.
   */
  locate(path: string, reach: Reach): Promise<SourceFile | SourceFolder>;
  /**
   * All bytes of a located file. It is opened without following links or waiting, and the bytes are counted while they are
   * read. Rejects with `too_large` beyond `MAX_FILE_BYTES`, `source_missing` when it is gone or has become something else.
   */
  read(file: SourceFile): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * The regular files of a located folder, sorted by path, with those of its own folders when `recursive`. Passed over are
   * hidden files, the temporary and conflict files of other programs, links and whatever else is no file, what is outside the
   * fence, and in the inbox what was processed or quarantined. Rejects with `too_large` when there are more than
   * `MAX_FOLDER_FILES` or the tree is too deep or too wide.
   */
  list(folder: SourceFolder, recursive: boolean, reach: Reach, signal?: StopSignal): Promise<SourceFile[]>;
}
