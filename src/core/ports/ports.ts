import { BrainError } from '../base/errors';
import type { Clock, Log, StopSignal, Unsubscribe } from '../base/host';
import type { TextCall } from '../base/steps';
import type { VaultPath } from '../vocabulary/paths';

/** A file of the vault in a listing. Times are epoch milliseconds, `size` is in bytes. */
export interface FileEntry {
  readonly path: VaultPath;
  readonly mtime: number;
  readonly size: number;
  /**
   * The last change of the file, its name or its permissions, where the host knows it. No program can set it, so it also reveals
   * an older file that replaced this one.
   */
  readonly ctime?: number;
  /** The creation of the file, where the host knows it. */
  readonly born?: number;
}

export type FileStat = Omit<FileEntry, 'path'>;

/** A change of a file of the vault by anyone. A rename is reported as removed and changed. */
export interface VaultChange {
  readonly kind: 'changed' | 'removed';
  readonly path: VaultPath;
}

/** The base of a derived file's new text, and the durability of its write. */
interface DerivedFrom {
  /** The file's text when the new text was made, or null when there was no file. */
  readonly was: string | null;
  /** True for a durable write. Every write is atomic. Pass true as soon as the file has a person's own text. */
  readonly durable: boolean;
}

/**
 * The port of one vault's files. Text is UTF-8 and is returned exactly as on the disk, a BOM included. A method resolves when its
 * change is durable: it survives a crash of the process and a power cut.
 */
export interface VaultStore {
  /**
   * True when a crash leaves a file that was being written either old or new. When false it may also be left empty or cut off, so
   * that even a change of one file is written into the journal first.
   */
  readonly atomicWrites: boolean;
  /**
   * Runs changes of files and of the state as one: all of them are durable when it resolves, and none was made when it rejects,
   * unless it is with Uncertain. `work` may run again, and uses nothing but the stores that it gets.
   * Absent where every change stands alone.
   */
  readonly together?: (<T>(work: (stores: Stores) => Promise<T>) => Promise<T>) | undefined;
  /**
   * Yields every file below `folder`, recursively and in any order, without hidden, temporary and conflict files; nothing for an
   * absent folder.
   * @param skip returns true for a file to leave out, and for a folder to leave out with everything below it, which is not
   * visited then
   */
  list(folder: string, skip?: (path: string) => boolean): AsyncIterable<FileEntry>;
  /** Resolves with the times and the size of a regular file; null when there is none at the path. */
  stat(path: VaultPath): Promise<FileStat | null>;
  /**
   * Reads the whole text; null when there is no file. Rejects with `unsupported_type` when the bytes are not UTF-8, and, without
   * reading them, when they are more than `maxTextBytes`.
   */
  read(path: VaultPath): Promise<string | null>;
  /**
   * Reads many texts at a time: resolves with those that `read` would resolve with, by path. Absent where reading one by one is
   * as quick.
   */
  readonly readMany?: ((paths: readonly VaultPath[]) => Promise<ReadonlyMap<VaultPath, string>>) | undefined;
  /**
   * Reads the bytes, which the caller may change; null when there is no regular file in the vault. Links are not followed. Rejects
   * with `too_large` beyond `maxBytes`.
   */
  readBytes(path: VaultPath, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Creates the file and its folders. Resolves false without a change when the path exists, and makes the existing file durable.
   * A reader never sees a part of the new file.
   * @param meanwhile work in pieces that can run while the disk is busy: each piece is called at most once, in order and before
   * the promise settles; none may throw
   * @param like a file whose rights the new one gets, where files have rights
   */
  create(
    path: VaultPath,
    text: string,
    meanwhile?: readonly (() => void)[],
    like?: VaultPath,
  ): Promise<boolean>;
  /** Creates a file of any kind, as `create` does. The bytes must not change meanwhile. */
  createBytes(path: VaultPath, bytes: Uint8Array<ArrayBuffer>): Promise<boolean>;
  /**
   * Moves a file to another path and creates its folders. Resolves false without a change when there is no file or `to` exists. A
   * crash leaves the file at one of the paths, or at both; an equal call then removes the first. The first path is removed only
   * after `noted` has resolved. When `noted` rejects, the call rejects too, unless it resolves false anyway, and the file stays at
   * `from`.
   */
  move(from: VaultPath, to: VaultPath, noted?: Promise<unknown>): Promise<boolean>;
  /**
   * Replaces the text by the result of `change`, atomically. `change` gets the text right before the replacement and returns null
   * to keep it. Resolves false when the file is absent or was kept.
   * @param like a file whose rights, where files have them, bound those that this one keeps
   */
  edit(path: VaultPath, change: (old: string) => string | null, like?: VaultPath): Promise<boolean>;
  /**
   * Removes the file, into the user's trash where the host has one. Resolves true when the file is durably absent, also when it
   * never existed. With `expected` it removes only a file with that text, compared right before, and resolves false for any other.
   */
  remove(path: VaultPath, expected?: string): Promise<boolean>;
  /**
   * Writes a file that can be derived again from others (a wing's map) when its text is still `derived.was`. Resolves false
   * without a change when it is not.
   */
  putDerived(path: VaultPath, text: string, derived: DerivedFrom): Promise<boolean>;
  /** Appends whole lines in one durable write, and creates the file and its folders when absent (session records). */
  append(path: VaultPath, text: string): Promise<void>;
  /** Resolves with the folders that `create` would make for the path, outermost first; empty when all exist. */
  missingFolders(path: VaultPath): Promise<string[]>;
  /**
   * Resolves with the names of the folders directly below `folder`, empty ones included, in any order, without hidden and other
   * ignored ones and without links, which listings do not follow; none for an absent folder.
   */
  subfolders(folder: string): Promise<string[]>;
  /** Removes those of the folders (a result of `missingFolders`) that are empty. */
  removeEmptyFolders(folders: readonly string[]): Promise<void>;
  /** Calls `listener` for every later change by anyone below the folders that the service reads, until unsubscribed. */
  changes(listener: (change: VaultChange) => void): Unsubscribe;
}

/**
 * How far this server has read the changes of a vault that several servers share. A position is a whole number, the same for all
 * of them, and grows with every change. Changes that can be seen are told before it gets to them.
 */
export interface ChangeFeed {
  /** A position at which all is known that this server has written or been told. */
  readonly position: number;
  /** Reads on, for at most `ms` milliseconds, until it knows all up to a position; resolves with the position that it has read. */
  reach(position: number, ms: number): Promise<number>;
  /** The time since the database last answered (ms). It is asked several times a second. */
  readonly silentMs: number;
  /** The time for which no change has been acknowledged (ms), though one was asked for; 0 when the last one was. */
  readonly unconfirmedMs: number;
}

/** How a job of a shared vault stands. */
export interface JobRecord {
  readonly id: string;
  /** Whose job it is. */
  readonly owner: string;
  readonly isEnded: boolean;
  /** What its server tells of it, for servers of this version. */
  readonly told: unknown;
}

/** The jobs of all servers of a shared vault. */
export interface JobRecords {
  /** Creates or replaces the record of a job of this server. Those that ended an hour ago are forgotten. */
  save(record: JobRecord): Promise<void>;
  /** Resolves with a record, and whether the server that works on it lives; null when there is none. */
  find(id: string): Promise<(JobRecord & { readonly isHeld: boolean }) | null>;
  /** Asks the server of a job to stop it. */
  askToStop(id: string): Promise<void>;
  /** Resolves true when a server was asked to stop a job. */
  isAskedToStop(id: string): Promise<boolean>;
}

/**
 * The servers that hold a vault: this one alone, or several that share it. What they do differently is said here and by the
 * stores, so that nobody else has to ask which of the two it is.
 */
export interface Servers {
  /** What messages call the place of the vault. */
  readonly store: 'disk' | 'database';
  /**
   * Returns the name under which a server on this device keeps what every server of the vault finds: the snapshot of the catalog, and
   * texts as they were sent.
   */
  localOf(device: string): string;
  /** Takes or keeps a duty that one of the servers has; resolves true when this one has it. */
  duty(name: string): Promise<boolean>;
  /**
   * Says when the map of a wing is made: `with` each change, by the server that makes the change, or `after` the changes of all
   * servers, by the one with the duty `maps`.
   */
  readonly maps: 'with' | 'after';
  /** The changes of the other servers; null without any. */
  readonly feed: ChangeFeed | null;
  /** Where the servers keep their jobs for one another; null without others. */
  readonly jobs: JobRecords | null;
}

/** One server that nobody shares the vault with: every duty is its own. */
export const alone: Servers = {
  store: 'disk',
  localOf: (device) => device,
  duty: async () => true,
  maps: 'with',
  feed: null,
  jobs: null,
};

/** The error of a text that ended the thread that read it: out of memory, out of computing time, or a fault. */
export class TextFailed extends Error {
  override readonly name = 'TextFailed';
}

/** Threads that do tasks on long texts, one for a caller at a time. */
export interface TextThreads {
  /** Resolves with the result of the task. Rejects with TextFailed, or with `starting` when the threads are closed. */
  run(call: TextCall, caller: string): Promise<unknown>;
}

/** A database that was silent for this long (ms) is out of reach. */
export const SILENT_MS = 5_000;

/** The error of a change whose answer was lost on its way: it may have been made. */
export class Uncertain extends BrainError {}

/** The error of a store that cannot be reached now, such as a database that restarts: nothing of it can be read or changed. */
export class Away extends BrainError {}

/** The stores of one vault. */
interface Stores {
  readonly vault: VaultStore;
  readonly state: StateStore;
}

/** A file of the state in a listing; `size` is in bytes. */
export interface StateFile {
  readonly path: string;
  readonly size: number;
  /** Another text after each change of the file, whoever made it and whatever its size, as far as the host can tell. */
  readonly stamp: string;
}

/** The largest binary file of the state (bytes): every host can read this much into one buffer. */
export const MAX_STATE_BYTES = 1024 ** 3;

/** The port of the service's own state below `.brain/`. Paths are relative to it, `/`-separated. */
export interface StateStore {
  /**
   * Reads a text; null when there is no file. Invalid UTF-8 becomes U+FFFD, because one damaged byte must not prevent a start;
   * callers detect damage by lines that do not parse and by hashes.
   */
  read(path: string): Promise<string | null>;
  /** Creates or replaces a file atomically and durably, and creates its folders. */
  write(path: string, text: string): Promise<void>;
  /**
   * As `write`, when the text is still `was` (null: there is no file); else resolves false without a change. Absent where nobody
   * else writes meanwhile.
   */
  readonly replace?: (path: string, text: string, was: string | null) => Promise<boolean>;
  /** Reads the bytes, which the caller may change; null when there is no file. */
  readBytes(path: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Reads bytes of a file, from one offset to before another, which the caller may change. They are fewer where the file ends before;
   * null when there is no file.
   */
  readPart(path: string, from: number, to: number): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Creates or replaces a derived file, and creates its folders. A reader never sees a part of it, but after a power cut it may be
   * absent, old or cut off, so readers have to check it. The bytes must not change meanwhile; there are at most `MAX_STATE_BYTES`.
   */
  writeBytes(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /**
   * Replaces the bytes of a file by those that `change` resolves with, atomically and durably; null keeps them. What this program
   * appends meanwhile comes behind them. Resolves false when there is no file or it is kept. `change` may run again.
   */
  rewrite(
    path: string,
    change: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer> | null>,
  ): Promise<boolean>;
  /** Creates a file durably. Resolves false without a change when it exists, and makes the existing one durable. */
  create(path: string, text: string): Promise<boolean>;
  /** Appends `text` in one write, and creates the file and its folders when absent; durable when `sync` is true. */
  append(path: string, text: string, sync: boolean): Promise<void>;
  /** Resolves with the paths of all files below a folder, sorted; empty for an absent folder. */
  list(folder: string): Promise<string[]>;
  /** Yields all files below a folder, in any order, each as it is at that moment; nothing for an absent folder. */
  stats(folder: string): AsyncIterable<StateFile>;
  /** Resolves with the names of the folders directly below a folder, sorted; empty for an absent folder. */
  folders(folder: string): Promise<string[]>;
  /**
   * Removes a file; resolves also when there is none. With `sync` false it waits for no copy of the state, and the file may stand
   * there again after a failure.
   */
  remove(path: string, sync?: boolean): Promise<void>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8. */
  readonly body?: string;
  /** The timeout of the whole exchange (ms). */
  readonly timeoutMs: number;
  /** The largest response body (bytes). */
  readonly maxBytes: number;
  /** Follows one redirect with status 307 or 308 to the same origin, and no other one. */
  readonly redirects?: 'same-origin-once';
  readonly signal?: StopSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded as UTF-8. */
  readonly body: string;
}

/**
 * The error of an exchange without a complete response. `code` is the system's (`ECONNREFUSED` …) or one of the four below;
 * `status` is that of a response that was refused.
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';

  constructor(
    readonly code: 'timeout' | 'too_large' | 'stopped' | 'redirect' | (string & {}),
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** The port for HTTP requests to services that the owner has configured. */
export interface HttpClient {
  /**
   * Sends one request. Resolves with any status that is no redirect. Rejects with HttpFailure when the connection fails, the time
   * is over, the body is too large, the signal stops, or the response is a redirect (`redirect`), because the request may be
   * private. The app's own client follows redirects, which no plugin can prevent; use another client to send a secret.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** A request to a language model. */
export interface ModelRequest {
  /** The system prompt: the model's role and rules. */
  readonly system: string;
  readonly user: string;
  /** The JSON Schema of the reply. A model may violate it, so the caller checks the reply. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The longest reply (tokens). */
  readonly maxTokens: number;
  readonly signal?: StopSignal;
}

/** A model's reply. `truncated` when it reached the limit of its length, so that its end is missing. */
export interface ModelReply {
  readonly text: string;
  readonly truncated: boolean;
}

/** The port of a language model. Its replies are guesses, and text that it reads may manipulate them. */
export interface LanguageModel {
  /** The model's name at its service. */
  readonly name: string;
  /**
   * Asks for one reply, without memory of earlier ones. Rejects with `llm_error`, whose details have the `host`, and the `status`
   * of a response; never the text that was sent or received.
   */
  complete(request: ModelRequest): Promise<ModelReply>;
}

/** The role of an embedded text: a note, or a query. */
export type EmbedKind = 'document' | 'query';

/** The port that embeds texts: the angle of two vectors measures the similarity of their meanings. */
export interface Embedder {
  /** The model and the prefixes that make a vector. Vectors of different makers cannot be compared. */
  readonly maker: string;
  /** A warning about the model's vectors in a sentence that is safe to show; absent or null when there is none. */
  readonly caveat?: string | null;
  /**
   * Resolves with one vector of 768 finite numbers for each text, in order. Rejects with `embed_error`: its details have the
   * `host`, the `status` of a response, `too_long` when a text is longer than the model reads, and `serves_nobody` for a response
   * that no other text would change. Rejects with `empty_content`, without a request, when a text is empty.
   */
  embed(texts: readonly string[], kind: EmbedKind, signal?: StopSignal): Promise<Float32Array[]>;
}

/** A filter of a vector search; a vector must match every given part. */
export interface VectorFilter {
  /** The prefixes of which the path has one. */
  readonly prefixes?: readonly string[];
  /** The third segment of the path: the hall of a note below `wiki/`. */
  readonly hall?: string;
  /** The allowed paths. */
  readonly only?: readonly VaultPath[];
  /** The excluded paths. */
  readonly except?: readonly VaultPath[];
}

/** The ports of one vault: its files, the service's state, the clock and the log. */
export interface Store {
  readonly vault: VaultStore;
  readonly state: StateStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Eight hex digits that identify this machine and user among those that share the vault. */
  readonly device: string;
}

/** Returns true when two stats have equal times and sizes, so that the file was probably not written in between. */
export function sameStat(a: FileStat | null | undefined, b: FileStat | null | undefined): boolean {
  return a?.mtime === b?.mtime && a?.size === b?.size && a?.ctime === b?.ctime;
}

/** Returns the last change of a file that the host knows (epoch milliseconds). */
export function lastChanged({ mtime, ctime }: FileStat): number {
  return Math.max(mtime, ctime ?? mtime);
}

/**
 * Checks a path in a store, in addition to the checks at the doors: it is relative, has no `.` or `..`, and no hidden segment.
 * @throws BrainError `path_not_allowed`.
 */
export function checkStorePath(at: string, isWindows: boolean): void {
  if (at.includes('\0') || (isWindows && /[\\:]/.test(at))) {
    throw notAllowed(at, 'contains a character that no note can have in its name');
  }
  // Every empty segment, `.`, `..` and hidden name is at a separator.
  if (at === '' || /^\/|^\.|\/\/|\/\.|\/$/.test(at)) throw notAllowed(at, 'is no path of a note');
}

/** Returns the error for a path, with its problem. */
export function notAllowed(at: string, problem: string): BrainError {
  return new BrainError('path_not_allowed', `"${at}" ${problem}. Give the path of a note inside the vault.`, {
    path: at,
  });
}

/** Returns the error for a file that is larger than the caller can read. */
export function tooLarge(at: string, maxBytes: number): BrainError {
  const limit = maxBytes < 1024 * 1024 ? `${maxBytes} bytes` : `${Math.floor(maxBytes / 1024 / 1024)} MiB`;
  return new BrainError('too_large', `"${at}" is larger than ${limit}. Split it, or make it smaller.`, {
    path: at,
    limit: maxBytes,
  });
}
