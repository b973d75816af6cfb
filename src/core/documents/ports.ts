import { BrainError } from '../base/errors';
import type { StopSignal } from '../base/host';
import type { VaultPath } from '../vocabulary/paths';

/** A file that somebody wants to have read. */
export interface DocumentFile {
  /** With its extension, which tells what it is. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Where a page of a paged document begins. */
export interface PageStart {
  /** From 1. */
  readonly page: number;
  /** Index into the text, in UTF-16 units. */
  readonly from: number;
}

/** Most characters of text that are taken from one document, in UTF-16 units. */
export const MAX_TEXT = 2_000_000;

/** What a document says. */
export interface DocumentText {
  /** Markdown, not yet gated: what it holds is a stranger's. */
  readonly markdown: string;
  /** The title that the document gives itself. */
  readonly title?: string;
  /** Pages in their order, the first at 0; only of documents that have pages. */
  readonly pages?: readonly PageStart[];
  /** True when the converter read it. */
  readonly converted: boolean;
  /** What a reader should know: text that was cut, pages without any. */
  readonly warnings: readonly string[];
}

/**
 * Whether a file of a name can be read: by this program, by the converter, by the converter if there were one, or not at
 * all.
 */
export type Readability = 'native' | 'converter' | 'no_converter' | 'unknown';

/** Reads documents of any kind. */
export interface DocumentReader {
  readability(name: string): Readability;
  /**
   * The text of a document. Rejects with `unsupported_type` for a kind that cannot be read (now), `no_text` when there is
   * none in it, `too_large` beyond a limit of its kind, `converter_error` when the converter fails, `busy` when it is called
   * off; never with anything else for a file that is damaged or hostile, and never later than the limits of its kind allow.
   */
  read(file: DocumentFile, signal?: StopSignal): Promise<DocumentText>;
}

/**
 * The text of a file. What it fails with names the file by its path in the vault, for those of them that name it at all; a file
 * from outside (`path` null) goes by its name.
 * @throws as the reader rejects
 */
export async function readDocument(
  documents: Pick<DocumentReader, 'read'>,
  file: DocumentFile,
  path: string | null,
  signal?: StopSignal,
): Promise<DocumentText> {
  try {
    return await documents.read(file, signal);
  } catch (error) {
    if (path === null || !(error instanceof BrainError) || error.details?.file === undefined) throw error;
    throw new BrainError(error.code, error.message, { ...error.details, file: path });
  }
}

/** Why nothing is taken in by itself. */
type OffReason = 'not_switched_on' | 'other_device' | 'folder_not_allowed';

/** What the host has found about watching when it started. */
export interface WatchChoice {
  /**
   * `on` and `off` are somebody's decision. Without one, `made` says that this start has made the inbox itself, and `unset`
   * that it stood there: then it is watched if an earlier start has made it.
   */
  readonly watch: 'on' | 'off' | 'made' | 'unset';
  /** True when it is off because another device watches. */
  readonly elsewhere?: boolean;
}

/** A file that is left where it is, and why. */
export interface LeftFile {
  readonly path: VaultPath;
  readonly reason: 'unknown_type' | 'no_converter' | 'failed';
}

/** A file that failed for a reason that may pass, and when it is tried again. */
export interface RetriedFile {
  readonly path: VaultPath;
  readonly attempts: number;
  readonly at: Date;
  readonly code: string;
  readonly message: string;
}

/** How the inbox is. */
export interface InboxState {
  readonly state: 'off' | 'starting' | 'on';
  /** Only when it is off. */
  readonly reason: OffReason | null;
  /** Null when the setting names a folder that may not be watched. */
  readonly folder: VaultPath | null;
  /** Files that stood there when it was switched on: a person says when they are taken. Sorted. */
  readonly waiting: readonly VaultPath[];
  readonly left: readonly LeftFile[];
  readonly retrying: readonly RetriedFile[];
  /** The file that is being taken, and how many of how many have been, since there was last nothing to do. */
  readonly running: { readonly file: VaultPath; readonly done: number; readonly total: number } | null;
}

/** A file that could not be taken in, and why. */
export interface QuarantinedFile {
  /** Where it stands now. */
  readonly path: VaultPath;
  /** Where it stood in the inbox; absent when the note beside it is gone. */
  readonly file?: string;
  readonly code?: string;
  readonly message?: string;
  /** RFC 3339. */
  readonly at?: string;
  readonly attempts?: number;
  readonly source_hash?: string;
}

/** The inbox, as the operations see it. */
export interface Inbox {
  readonly state: InboxState;
  /**
   * Takes in what waits for a person; resolves with how many files that are, as soon as it is certain that a restart takes
   * them too (when the inbox is watched), not when they have been taken.
   */
  takeWaiting(): Promise<number>;
  /** Every file in quarantine, by path. */
  quarantined(): Promise<QuarantinedFile[]>;
  /**
   * Puts a file back into the inbox, where it is tried again, and resolves with its path there; a dry run only says it.
   * @throws BrainError `source_missing` when it is not in quarantine, `busy` when it cannot be moved now.
   */
  retry(path: VaultPath, options?: { readonly dryRun?: boolean }): Promise<VaultPath>;
}

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
