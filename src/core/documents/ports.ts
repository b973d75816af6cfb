import { BrainError } from '../base/errors';
import { MIB, type Sha } from '../base/hash';
import type { StopSignal } from '../base/host';
import type { Watch } from '../base/steps';
import type { VaultPath } from '../vocabulary/paths';

/** A file to read. */
export interface DocumentFile {
  /** With its extension, which tells its kind. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The beginning of a page in the text of a paged document. */
export interface PageStart {
  /** Counted from 1. */
  readonly page: number;
  /** Offset into the text (UTF-16 units). */
  readonly from: number;
}

/** The longest text that is taken from one document (UTF-16 units). */
export const MAX_TEXT = 2_000_000;

/** The text of a document. */
export interface DocumentText {
  /** Markdown from an untrusted source, not yet gated. */
  readonly markdown: string;
  /** The title in the document's own metadata or text. */
  readonly title?: string;
  /** The pages in order, the first at offset 0; only of documents that have pages. */
  readonly pages?: readonly PageStart[];
  /** The web address that the document names as its own. */
  readonly address?: string;
  /** What the document says of itself, for the front matter of its pages: `author`, `date`, `site`. */
  readonly properties?: Readonly<Record<string, string | readonly string[]>>;
  /** The documents in it that become pages of their own: the attachments of a mail, in order. */
  readonly attachments?: readonly AttachedText[];
  /** True when the converter read it. */
  readonly converted: boolean;
  /** Sentences for a person: text that was cut, pages without text, attachments that were not read. */
  readonly warnings: readonly string[];
}

/** A document that is attached to another one. */
export interface AttachedText {
  /** The name of its file. */
  readonly name: string;
  readonly text: DocumentText;
}

/** The reader of a kind of file: this program, the converter, the converter although none is configured, or none. */
export type Readability = 'native' | 'converter' | 'no_converter' | 'unknown';

/** The port that reads documents of any kind. */
export interface DocumentReader {
  readability(name: string): Readability;
  /**
   * Reads the text of a document. Rejects with `unsupported_type` for a kind that cannot be read (now), `no_text` for a document
   * without text, `too_large` beyond a limit of its kind, `converter_error` when the converter fails, `busy` when the signal
   * stops it. A damaged or hostile file causes no other error, and no longer wait than the limits of its kind.
   */
  read(file: DocumentFile, signal?: StopSignal): Promise<DocumentText>;
}

/**
 * Reads the text of a file. An error that names the file names it by its path in the vault; a file from outside (`path` null)
 * keeps its own name.
 * @throws as `DocumentReader.read`
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
    throw error.withDetails({ ...error.details, file: path });
  }
}

/** The reason why the inbox is not watched. */
type OffReason = 'not_switched_on' | 'other_device' | 'folder_not_allowed';

/** The host's decision at its start whether to watch the inbox. */
export interface WatchChoice {
  /**
   * `on` and `off` come from the settings. Without a setting, `made` means that this start has made the inbox folder, and `unset`
   * that the folder existed: it is then watched if an earlier start has made it.
   */
  readonly watch: 'on' | 'off' | 'made' | 'unset';
  /** True when it is off because another device watches. */
  readonly elsewhere?: boolean;
}

/** A file that stays in the inbox, and the reason. */
export interface LeftFile {
  readonly path: VaultPath;
  readonly reason: 'unknown_type' | 'no_converter' | 'empty' | 'failed';
}

/** A file that failed for a temporary reason, and the time of the next attempt. */
export interface RetriedFile {
  readonly path: VaultPath;
  readonly attempts: number;
  readonly at: Date;
  readonly code: string;
  readonly message: string;
}

/** The state of the inbox. */
export interface InboxState {
  readonly state: 'off' | 'starting' | 'on';
  /** Not null only when the inbox is off. */
  readonly reason: OffReason | null;
  /** Null when the setting names a folder that may not be watched. */
  readonly folder: VaultPath | null;
  /** The files that were there when watching began, sorted. A person decides when they are ingested. */
  readonly waiting: readonly VaultPath[];
  readonly left: readonly LeftFile[];
  readonly retrying: readonly RetriedFile[];
  /** The file that is being ingested, and the progress since the inbox was last idle. */
  readonly running: { readonly file: VaultPath; readonly done: number; readonly total: number } | null;
}

/** A file that could not be ingested, and the error. */
export interface QuarantinedFile {
  /** Its path in quarantine. */
  readonly path: VaultPath;
  /** Its path in the inbox; absent when the file with its error is gone. */
  readonly file?: string;
  readonly code?: string;
  readonly message?: string;
  /** RFC 3339. */
  readonly at?: string;
  readonly attempts?: number;
  readonly source_hash?: string;
}

/** The inbox for the operations. */
export interface Inbox {
  readonly state: InboxState;
  /**
   * Begins to ingest the waiting files and resolves with their number. It resolves as soon as a restart would ingest them too
   * (when the inbox is watched), not when they are ingested.
   */
  takeWaiting(): Promise<number>;
  /** Resolves with all files in quarantine, sorted by path. */
  quarantined(): Promise<QuarantinedFile[]>;
  /**
   * Moves a file from quarantine back into the inbox and resolves with its path there. A dry run only resolves with the path.
   * @throws BrainError `source_missing` when it is not in quarantine, `busy` when it cannot be moved now.
   */
  retry(path: VaultPath, options?: { readonly dryRun?: boolean }): Promise<VaultPath>;
}

/** The largest file that is read (bytes). */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** The files that one folder may have at most. */
export const MAX_FOLDER_FILES = 1000;

/** The files that a caller may name: those in the inbox and the allowed roots, or, for a person in the app, nearly all. */
export type Reach = 'fenced' | 'person';

/** A file within the caller's reach. */
export interface SourceFile {
  readonly kind: 'file';
  /** Its name in answers: the path in the vault, or the path on this machine. */
  readonly file: string;
  /** The last segment of its path. */
  readonly name: string;
  /** Its path in the vault; null outside the vault. */
  readonly path: VaultPath | null;
  /** Its path on this machine, with all links resolved. */
  readonly full: string;
}

/** A folder within the caller's reach. */
export interface SourceFolder {
  readonly kind: 'folder';
  readonly file: string;
  readonly full: string;
}

/** The port for files of this machine that callers name for ingestion: the only way to files outside the vault's notes. */
export interface SourceFiles {
  /**
   * Finds the file or folder at a path, which is relative to the vault or absolute; nothing in it is decoded. Links are followed,
   * and their targets decide. Rejects with `path_not_allowed` outside the caller's reach, with equal text whether a file exists
   * there or not, and without access to the disk when the path alone decides; with `source_missing` for no file within the reach;
   * with `unsupported_type` for anything that is neither a regular file nor a folder.
   */
  locate(path: string, reach: Reach): Promise<SourceFile | SourceFolder>;
  /**
   * Reads all bytes of a located file. It opens the file without following links or blocking, and counts the bytes while it
   * reads. Rejects with `too_large` beyond `MAX_FILE_BYTES`, `source_missing` when the file is gone or is no regular file any
   * more.
   */
  read(file: SourceFile): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Lists the regular files of a located folder, sorted by path, with those of its subfolders when `recursive`. It ignores hidden
   * files, temporary and conflict files of other programs, links and other non-files, files outside the reach, and processed and
   * quarantined files of the inbox. Rejects with `too_large` for more than `MAX_FOLDER_FILES` files or a tree that is too deep or
   * too wide.
   */
  list(folder: SourceFolder, recursive: boolean, reach: Reach, signal?: StopSignal): Promise<SourceFile[]>;
}

/** A file that a caller has sent, staged on the disk outside the notes. It is gone after a restart. */
export interface Upload {
  /** The SHA-256 of its bytes. */
  readonly hash: Sha;
  /** In bytes. */
  readonly size: number;
  /** Reads its first bytes, at most `maxBytes`. */
  read(maxBytes: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Makes the bytes durable, so that `keepAt` is fast. */
  settle(): Promise<void>;
  /** Gives the file a path in the vault, durably. Resolves false without a change when something is at the path. */
  keepAt(path: VaultPath): Promise<boolean>;
  /** Removes the staged file; a path in the vault that it got stays. */
  discard(): Promise<void>;
}

/** The port that receives files. Bytes go to the disk as they come, so that a file is never in memory as a whole. */
export interface Uploads {
  /**
   * Receives a file. Rejects with `too_large` beyond `maxBytes`, with `busy` when the disk is full, and with the error of
   * `bytes` when the sender leaves; nothing stays on the disk then.
   */
  receive(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Upload>;
  /** Returns the SHA-256 of a file of the vault, read in pieces; null when there is none. */
  hashOf(path: VaultPath): Promise<Sha | null>;
}

/** A file of an export, on the disk of the host. */
export interface ExportFile {
  /** Names it for `ExportFiles`. */
  readonly id: number;
  /** Its path below the export, with `/` between the names; as its sender or its archive named it. */
  readonly place: string;
  /** In bytes. */
  readonly size: number;
  /** When its source last changed it (ms since the epoch), where that is known. */
  readonly modified?: number;
}

/** The disk of the host, for the program that expands exports. No place is a path on that disk, whatever it holds. */
export interface ExportFiles {
  /** The files that came, in order of their places. */
  readonly came: readonly ExportFile[];
  /** Reads the bytes from `from` up to `to` or the end of a file. */
  read(id: number, from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Makes an empty file; `append` gives it its bytes in order. */
  create(place: string, modified?: number): Promise<number>;
  append(id: number, bytes: Uint8Array): Promise<void>;
}

/** A file that an export holds, after its archives were unpacked and the notes of other programs written as Markdown. */
export interface ExpandedFile {
  readonly id: number;
  /** Its path below the import, unique without case. Links of notes lead to it by this path. */
  readonly place: string;
  /** Where it stands in what came: `keep.zip/Takeout/Keep/Milk.json`. */
  readonly from: string;
  /** The program that it comes from, by the name that its users know; absent for a plain file. */
  readonly program?: string;
  /** True for Markdown that was written from another form; the file at `original` is kept beside it when that is given. */
  readonly made: boolean;
  readonly original?: number;
  /** Sentences for a person: what of it was left out, and why. */
  readonly warnings: readonly string[];
}

/** A file that becomes no note and is not kept, with the reason in words. */
export interface LeftOut {
  readonly from: string;
  readonly why: string;
}

/** What an export holds. */
export interface Expanded {
  readonly files: readonly ExpandedFile[];
  readonly left: readonly LeftOut[];
  /** Sentences about the whole: the programs that were recognised. */
  readonly told: readonly string[];
}

/** The port that unpacks archives and turns the exports of other programs into Markdown and attachments. */
export interface Exports {
  /**
   * Expands what came, in a thread of its own. What is damaged, hostile or locked is left out with its reason; nothing of it
   * stops the other files. Rejects with `too_large` beyond the limits of the whole, `busy` when the signal stops it.
   */
  expand(files: ExportFiles, watch: Watch): Promise<Expanded>;
}

/**
 * A folder outside the notes in which the files of one import wait, by numbers. It outlives a restart, so that an import that was
 * cut goes on.
 */
export interface ImportFolder {
  /** Makes the folder, as its first file does: an import that has one goes on at the next start. */
  make(): Promise<void>;
  /**
   * Receives the next bytes of a file, which has `from` bytes so far, and resolves with its size then. Rejects with `hash_mismatch`
   * when it has another number of bytes, with `busy` when the disk is full, and with the error of `bytes`; the file is cut back then.
   */
  receive(file: number, bytes: AsyncIterable<Uint8Array>, from: number): Promise<number>;
  append(file: number, bytes: Uint8Array): Promise<void>;
  /** Reads the bytes from `from` up to `to` or the end; none of a file that is not there. */
  read(file: number, from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads a file once for its hash and its size in bytes; those of an empty one when it is not there. */
  factsOf(file: number): Promise<{ readonly hash: Sha; readonly size: number }>;
  /** Gives the file a path in the vault, durably. Resolves false without a change when something is at the path. */
  keepAt(file: number, path: VaultPath): Promise<boolean>;
  /** Takes a file out of the vault, durably. Resolves false when there is none at the path. */
  takeFrom(path: VaultPath, file: number): Promise<boolean>;
  /** Removes a file, and nothing when it is not there. */
  remove(file: number): Promise<void>;
  /** Removes the folder with all files. */
  discard(): Promise<void>;
}

/** The port for the folders of imports. */
export interface ImportFolders {
  /** Opens the folder of an import, which is made with its first file. `id` is 24 hex digits. */
  open(id: string): Promise<ImportFolder>;
  /** Resolves with the ids of the folders that there are. */
  ids(): Promise<string[]>;
}

/** Returns the error for a file that is larger than may be sent. */
export function uploadTooLarge(maxBytes: number): BrainError {
  const most = maxBytes >= MIB ? `${Math.floor(maxBytes / MIB)} MiB` : `${maxBytes} bytes`;
  return new BrainError(
    'too_large',
    `The file has more than ${most}, the most that may be sent. Split it, or have the owner set BRAIN_MAX_UPLOAD.`,
    { limit_bytes: maxBytes },
  );
}
