import { BrainError } from '../base/errors';
import type { Clock, Log, StopSignal, Unsubscribe } from '../base/host';
import type { VaultPath } from '../vocabulary/paths';

/** A file of the vault as a listing shows it. Times are in milliseconds since the epoch, `size` is in bytes. */
export interface FileEntry {
  readonly path: VaultPath;
  readonly mtime: number;
  readonly size: number;
  /**
   * When the file, its name or its rights last changed. Where the host tells, no program can set it, so that it also gives away
   * an older file that was put in the place of this one.
   */
  readonly ctime?: number;
  /** When the file was made, where the host tells. */
  readonly born?: number;
}

export type FileStat = Omit<FileEntry, 'path'>;

/** Something happened to a file of the vault, whoever did it. A rename arrives as removed and changed. */
export interface VaultChange {
  readonly kind: 'changed' | 'removed';
  readonly path: VaultPath;
}

/** What the new text of a derived file was made from, and how it is written. */
interface DerivedFrom {
  /** The text that stood there when it was read, or null when there was no file. */
  readonly was: string | null;
  /** Written atomically in any case, but durably only when true: pass true as soon as it holds a person's own words. */
  readonly durable: boolean;
}

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
  /**
   * Every file below `folder` (recursive, in no promised order), without hidden, temporary and conflict files. Nothing when
   * the folder is absent.
   */
  list(folder: string): AsyncIterable<FileEntry>;
  /** Time and size of a regular file, or null when there is none at the path. */
  stat(path: VaultPath): Promise<FileStat | null>;
  /**
   * The whole text, or null when there is no file. Rejects with `unsupported_type` when the bytes are not UTF-8, and, without
   * reading them, when they are more than `maxTextBytes` says.
   */
  read(path: VaultPath): Promise<string | null>;
  /**
   * The bytes, which are the caller's own, or null when there is no regular file that lies in the vault; a link is not
   * followed. Rejects with `too_large` beyond `maxBytes`.
   */
  readBytes(path: VaultPath, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Makes the file and its folders; resolves false, touching nothing, when the path is taken: what has it is durable then,
   * whoever made it. A reader never sees a part of it.
   * `meanwhile` is work, in pieces, that may as well be done while the disk is busy. Each piece is called at most once, in
   * their order and before the promise settles; none may throw.
   */
  create(path: VaultPath, text: string, meanwhile?: readonly (() => void)[]): Promise<boolean>;
  /** The same for a file of any kind. The bytes must not change meanwhile. */
  createBytes(path: VaultPath, bytes: Uint8Array<ArrayBuffer>): Promise<boolean>;
  /**
   * Gives a file another path, its bytes unchanged, making the folders; resolves false, touching nothing, when there is none
   * or `to` is taken. A crash leaves it under one of the paths, or under both: then the same call takes the first away. The
   * first is not given up before `noted` has resolved; when that rejects, so does the call, unless it resolves false anyhow,
   * and the file stays where it was.
   */
  move(from: VaultPath, to: VaultPath, noted?: Promise<unknown>): Promise<boolean>;
  /**
   * Replaces the text by what `change` makes of it, atomically; `change` runs against the text as it is right before the
   * replacement and returns null to leave the file alone. Resolves false when the file is absent or was left alone.
   */
  edit(path: VaultPath, change: (old: string) => string | null): Promise<boolean>;
  /**
   * Removes the file, into the user's trash where the host has one. Resolves true when it is durably gone, also when it never
   * was there. With `expected` only as long as it holds that text, which is looked at right before; else it resolves false.
   */
  remove(path: VaultPath, expected?: string): Promise<boolean>;
  /**
   * Replaces or makes a file that can be derived again from others (a wing index), as long as it is still what the text was
   * made from; resolves false, touching nothing, when it is not.
   */
  putDerived(path: VaultPath, text: string, derived: DerivedFrom): Promise<boolean>;
  /** Appends whole lines in one durable write, making file and folders when absent (session records). */
  append(path: VaultPath, text: string): Promise<void>;
  /** The folders that `create` would have to make for the path, outermost first; empty when they all stand. */
  missingFolders(path: VaultPath): Promise<string[]>;
  /**
   * Names of the folders directly below `folder`, empty ones too, in no promised order: without hidden and other ignored ones,
   * and without links, as listings do not follow them. None when it is absent.
   */
  subfolders(folder: string): Promise<string[]>;
  /** Removes those of the folders (as `missingFolders` gave them) that stand empty; never one that holds anything. */
  removeEmptyFolders(folders: readonly string[]): Promise<void>;
  /** Calls `listener` for every later change below the folders that the service reads, from anyone, until unsubscribed. */
  changes(listener: (change: VaultChange) => void): Unsubscribe;
}

/** No file of bytes in the state may be larger, in bytes: every host can read so much into one memory. */
export const MAX_STATE_BYTES = 1024 ** 3;

/** The service's own state, rooted at `.brain/`. Paths are relative to it, `/`-separated. */
export interface StateStore {
  /**
   * The text of a state file, or null when there is none. What is no UTF-8 in a damaged one reads as U+FFFD: readers know
   * damage by lines that they cannot parse and by hashes, and one bad byte must not stop a start.
   */
  read(path: string): Promise<string | null>;
  /** Makes or replaces a file, atomically and durably, with its folders. */
  write(path: string, text: string): Promise<void>;
  /** The bytes of a state file, or null when there is none. They are the caller's own. */
  readBytes(path: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Makes or replaces a file, with its folders. For what can be made again: a reader never sees a part of it, but after a
   * loss of power it may be gone, old or cut off, so what is read has to be checked. The bytes must not change meanwhile,
   * and be no more than `MAX_STATE_BYTES`.
   */
  writeBytes(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Makes a file durably; resolves false, touching nothing, when it exists: that one is durable then. */
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

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8. */
  readonly body?: string;
  /** Longest time for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Most bytes of the answer's body. */
  readonly maxBytes: number;
  /** Follows one answer that sends the same request on (307, 308) to the same origin, and no other. */
  readonly redirects?: 'same-origin-once';
  readonly signal?: StopSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Read as UTF-8. */
  readonly body: string;
}

/**
 * No whole answer came back. `code` is short and says why: the system's (`ECONNREFUSED` …), or one of the four below. `status`
 * is that of an answer that came but is not taken.
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

/** How the core asks the web: services that the owner has configured, and nothing else. */
export interface HttpClient {
  /**
   * One exchange. Resolves with any status that is no redirect. Rejects with HttpFailure when the connection fails, the
   * time is over, the body is too large, the signal stops it, or the answer sends to another address (`redirect`): what is
   * sent may be private, so it is sent nowhere else. The app's own client follows by itself, which no plugin can prevent;
   * whoever sends a secret that must not travel on takes another one.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** What a language model is asked. */
export interface ModelRequest {
  /** What it is and has to keep to. */
  readonly system: string;
  readonly user: string;
  /** JSON Schema that the reply is to fit. A model may not keep to it: whoever asks checks the reply. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Most tokens of the reply. */
  readonly maxTokens: number;
  readonly signal?: StopSignal;
}

/** The text that a model answered. `truncated` when it ran into the limit of its length, so that its end is missing. */
export interface ModelReply {
  readonly text: string;
  readonly truncated: boolean;
}

/** A language model that the owner has configured. What it says is a guess, and what it read may have steered it. */
export interface LanguageModel {
  /** As its service calls it. */
  readonly name: string;
  /**
   * One reply, without a memory of earlier ones. Rejects with `llm_error`, whose details name the `host`, and its `status`
   * if it answered with one; never with what was sent or what came back.
   */
  complete(request: ModelRequest): Promise<ModelReply>;
}

/** What a text is embedded as: a note to be found, or the question that finds it. */
export type EmbedKind = 'document' | 'query';

/** Turns texts into vectors whose angles tell how near their meanings are. */
export interface Embedder {
  /** What made a vector: model and prefixes. Vectors of different makers cannot be compared. */
  readonly maker: string;
  /**
   * One vector of 768 finite numbers for each text, in order. Rejects with `embed_error`: its details name the `host`, its
   * `status` if it answered, `too_long` when a text is longer than the model reads, and `serves_nobody` when it answered what
   * no text would change. Rejects with `empty_content`, asking nobody, when a text is empty.
   */
  embed(texts: readonly string[], kind: EmbedKind, signal?: StopSignal): Promise<Float32Array[]>;
}

/** What a search for near vectors is limited to; every part that is given must hold. */
export interface VectorFilter {
  /** The path begins with one of these. */
  readonly prefixes?: readonly string[];
  /** The third part of the path, which below `wiki/` is the hall. */
  readonly hall?: string;
  /** The path is one of these. */
  readonly only?: readonly VaultPath[];
  /** The path is none of these. */
  readonly except?: readonly VaultPath[];
}

/** The files of one vault and of the service beside them, and what every step around them needs. */
export interface Store {
  readonly vault: VaultStore;
  readonly state: StateStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Eight hex digits that tell this machine and user from the others that share the vault. */
  readonly device: string;
}

/** True when both are of a file that has not been written or replaced in between, as far as its times and size tell. */
export function sameStat(a: FileStat | null | undefined, b: FileStat | null | undefined): boolean {
  return a?.mtime === b?.mtime && a?.size === b?.size && a?.ctime === b?.ctime;
}

/** When a file last changed in any way that the host tells of, in milliseconds since the epoch. */
export function lastChanged({ mtime, ctime }: FileStat): number {
  return Math.max(mtime, ctime ?? mtime);
}

/**
 * The second line behind the checks at the doors, for every store: whatever the core asks for, a path is relative, has no
 * `.` or `..`, and leads into nothing hidden.
 * @throws BrainError `path_not_allowed`.
 */
export function checkStorePath(at: string, isWindows: boolean): void {
  if (at.includes('\0') || (isWindows && /[\\:]/.test(at))) {
    throw notAllowed(at, 'contains a character that no note can have in its name');
  }
  // Every empty segment, `.`, `..` and hidden name shows at a separator.
  if (at === '' || /^\/|^\.|\/\/|\/\.|\/$/.test(at)) throw notAllowed(at, 'is no path of a note');
}

/** The refusal of a path, with what is wrong with it. */
export function notAllowed(at: string, problem: string): BrainError {
  return new BrainError('path_not_allowed', `"${at}" ${problem}. Give the path of a note inside the vault.`, {
    path: at,
  });
}

/** The refusal to read a file that is larger than whoever asks can take. */
export function tooLarge(at: string, maxBytes: number): BrainError {
  const limit = maxBytes < 1024 * 1024 ? `${maxBytes} bytes` : `${Math.floor(maxBytes / 1024 / 1024)} MiB`;
  return new BrainError('too_large', `"${at}" is larger than ${limit}. Split it, or make it smaller.`, {
    path: at,
    limit: maxBytes,
  });
}
