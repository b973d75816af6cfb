import { statSync } from 'node:fs';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { type Credential, findToken, hashToken, type Scope, type TokenStore } from '../../core/access/tokens';
import type { Clock, Log } from '../../core/base/host';
import { type Timestamp, timestamp } from '../../core/base/time';
import { writeWhole } from '../files/disk';
import { orNull } from '../files/file-system';
import { underLock } from '../files/under-lock';
import {
  isOwnToken,
  newToken,
  type OwnToken,
  parseTokens,
  printTokens,
  type SavedToken,
  type TokenContents,
  TokenFileError,
  type TokenGrant,
  withOwnTokens,
} from './token-contents';

/** Returns the text of a file, or null when there is none. */
function readIfPresent(file: string): Promise<string | null> {
  return orNull(readFile(file, 'utf8'));
}

/**
 * Makes or replaces a file that only its owner may read, atomically and durably, in a folder of the same mode.
 * @param check rejects when the file must not be changed any more
 */
export async function writePrivate(file: string, text: string, check?: () => Promise<void>): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeWhole(file, Buffer.from(text), { mode: 0o600, check });
}

/** The time for which a running server trusts the tokens that it has read (ms). */
const CHECK_EVERY_MS = 250;
const SAVE_LAST_USED_EVERY_MS = 60_000;

/** A token in a list; its text is not stored. */
interface ListedToken extends Pick<SavedToken, 'name' | 'scopes' | 'created_at' | 'limits' | 'human'> {
  readonly last_used: Timestamp | null;
}

/** Returns the text of an own token in the folder; null when no server has started there yet. */
export async function savedToken(folder: string, name: OwnToken): Promise<string | null> {
  const contents = await readTokens(folder);
  return contents?.tokens.find((token) => token.name === name)?.token ?? null;
}

/** Returns the key of the folder, by which its servers prove what they are; null when no server has started there yet. */
export async function savedKey(folder: string): Promise<Uint8Array | null> {
  return (await readTokens(folder))?.sessionKey ?? null;
}

/**
 * Returns the own tokens of a folder that other servers keep, for a server that makes no files there. A file that is missing or
 * damaged has none.
 */
export function ownTokensIn(folder: string): TokenStore {
  return {
    async verify(token) {
      const contents = await readTokens(folder).catch(() => null);
      const own = contents?.tokens.filter(({ name }) => isOwnToken(name)) ?? [];
      const found = findToken(hashToken(token), own);
      return found === null ? null : { name: found.name, scopes: new Set(found.scopes), page: false };
    },
  };
}

/**
 * The user's named tokens: `tokens.json` in a folder outside every vault, shared by the server and the command line. A
 * server sees changes of the command line without a restart. A second file holds the times of last use, so that serving a
 * request never rewrites the first.
 */
export class TokenFile implements TokenStore {
  readonly #file: string;
  readonly #lastUsedFile: string;
  #version = '';
  #checkedAt = Number.NEGATIVE_INFINITY;
  #contents: TokenContents;
  #used = new Map<string, Timestamp>();
  #savedAt = Number.NEGATIVE_INFINITY;
  /** True while a use is in memory and not on the disk. */
  #unsaved = false;
  /** The timer of the next save, for uses that came too soon after the last one. */
  #later: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  private constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    private readonly log: Log,
    contents: TokenContents,
  ) {
    this.#file = tokensPath(folder);
    this.#lastUsedFile = path.join(folder, 'last-used.json');
    this.#contents = contents;
  }

  /**
   * Opens the file; the first time, makes it with the own tokens and the session key.
   * @throws TokenFileError when it is damaged; it is never overwritten then.
   */
  static async open(folder: string, clock: Clock, log: Log): Promise<TokenFile> {
    const read = await readTokens(folder);
    const contents =
      read !== null && withOwnTokens(read, clock.now()) === read ? read : await complete(folder, clock);
    await makePrivate(tokensPath(folder), log);
    return new TokenFile(folder, clock, log, contents);
  }

  /**
   * The 32 bytes that sign ids of MCP sessions and the proofs of servers; they are stored, so that clients stay connected over a
   * restart.
   */
  get sessionKey(): Uint8Array {
    return this.#contents.sessionKey;
  }

  /** Returns the text of an own token. @throws TokenFileError when the file does not hold it. */
  textOf(name: OwnToken): string {
    const text = this.#contents.tokens.find((token) => token.name === name)?.token;
    if (text === undefined)
      throw new TokenFileError(`${this.#file} does not keep the text of the token "${name}".`);
    return text;
  }

  /** Returns the credential of a token, or null. Reads the file at most every 250 ms, and always before it refuses. */
  async verify(token: string): Promise<Credential | null> {
    const hash = hashToken(token);
    const now = this.clock.now().getTime();
    if (Math.abs(now - this.#checkedAt) >= CHECK_EVERY_MS) await this.#refresh();
    const lookUp = () => findToken(hash, this.#contents.tokens);
    let found = lookUp();
    if (found === null) {
      await this.#refresh();
      found = lookUp();
    }
    if (found === null) return null;
    this.#used.set(found.name, timestamp(this.clock.now()));
    this.#unsaved = true;
    this.#saveLastUsedSometimes(now);
    const { name, scopes, limits, human } = found;
    return {
      ...{ name, scopes: new Set(scopes), page: false },
      ...(human && { human }),
      ...(limits && { limits }),
    };
  }

  /** Lists the tokens by name, with the time of their last use. */
  async list(): Promise<ListedToken[]> {
    await this.#refresh();
    const times = await this.#lastUsed();
    // A use older than the token belongs to an earlier token of the same name.
    const lastUse = (name: string, made: Timestamp): Timestamp | null => {
      const at = times[name] ?? null;
      return at !== null && at >= made ? at : null;
    };
    return this.#contents.tokens
      .map(({ name, scopes, created_at, limits, human }) => ({
        name,
        scopes,
        created_at,
        ...(human && { human }),
        ...(limits && { limits }),
        last_used: lastUse(name, created_at),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Makes a token and returns its text, which cannot be shown again; null when the name is in use. */
  async add(name: string, scopes: readonly Scope[], grant: TokenGrant = {}): Promise<string | null> {
    const { text, saved } = newToken(name, scopes, this.clock.now(), grant);
    const added = await this.#change((tokens) =>
      tokens.some((token) => token.name === name) ? null : [...tokens, saved],
    );
    return added ? text : null;
  }

  /** Removes a token; an own token is replaced by a new one. Resolves false when there is none of that name. */
  async revoke(name: string): Promise<boolean> {
    return this.#change((tokens) => {
      const left = tokens.filter((token) => token.name !== name);
      if (left.length === tokens.length) return null;
      return isOwnToken(name)
        ? withOwnTokens({ ...this.#contents, tokens: left }, this.clock.now()).tokens
        : left;
    });
  }

  /** Saves the uses that are only in memory. Call it at the end of a run. */
  async close(): Promise<void> {
    clearTimeout(this.#later);
    this.#later = undefined;
    await this.#saving;
    if (this.#unsaved) await this.#saveLastUsed();
  }

  /** Reads the file again if it has changed. A missing file holds no tokens. */
  async #refresh(): Promise<void> {
    this.#checkedAt = this.clock.now().getTime();
    const version = versionOf(this.#file);
    if (version === this.#version) return;
    const read = await readTokens(this.folder);
    this.#contents = read ?? { sessionKey: this.sessionKey, tokens: [] };
    this.#version = version;
  }

  /** Changes the list on the disk, under the lock of all processes. */
  #change(change: (tokens: readonly SavedToken[]) => readonly SavedToken[] | null): Promise<boolean> {
    return underLock(lockPath(this.folder), async (check) => {
      await this.#refresh();
      const tokens = change(this.#contents.tokens);
      if (tokens === null) return false;
      await writePrivate(this.#file, printTokens({ ...this.#contents, tokens }), check);
      await this.#refresh();
      return true;
    });
  }

  /** Saves at once when the last save is long ago, else when the interval is over: every use reaches the disk. */
  #saveLastUsedSometimes(now: number): void {
    if (this.#later !== undefined) return;
    const since = Math.abs(now - this.#savedAt);
    if (since >= SAVE_LAST_USED_EVERY_MS) return this.#saveInBackground(now);
    const save = (): void => {
      this.#later = undefined;
      this.#saveInBackground(this.clock.now().getTime());
    };
    this.#later = setTimeout(save, SAVE_LAST_USED_EVERY_MS - since).unref();
  }

  #saveInBackground(now: number): void {
    this.#savedAt = now;
    this.#saving = this.#saving
      .then(() => this.#saveLastUsed())
      .catch((error: unknown) => this.log.warn('last_used_not_saved', { error: String(error) }));
  }

  /** Adds the times to the file, under the lock of all processes: another server's save is never overwritten unread. */
  #saveLastUsed(): Promise<void> {
    return underLock(lockPath(this.folder), async (check) => {
      this.#unsaved = false; // Uses from here on may belong to the next save.
      try {
        const times = await this.#lastUsed();
        await writePrivate(this.#lastUsedFile, `${JSON.stringify(times, null, 2)}\n`, check);
      } catch (error) {
        this.#unsaved = true;
        throw error;
      }
    });
  }

  /** Joins the times on the disk and those in memory, the later one winning; RFC 3339 in one zone sorts as text. */
  async #lastUsed(): Promise<Record<string, Timestamp>> {
    const times = await this.#readLastUsed();
    for (const [name, time] of this.#used) if (time > (times[name] ?? '')) times[name] = time;
    return times;
  }

  /** Reads the times of last use. A damaged file reads as empty: it holds nothing else. */
  async #readLastUsed(): Promise<Record<string, Timestamp>> {
    const text = await readIfPresent(this.#lastUsedFile);
    try {
      const data: unknown = JSON.parse(text ?? '{}');
      const entries = Object.entries(data ?? {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      );
      return Object.fromEntries(entries);
    } catch (error) {
      this.log.warn('last_used_unreadable', { file: this.#lastUsedFile, error: String(error) });
      return {};
    }
  }
}

function tokensPath(folder: string): string {
  return path.join(folder, 'tokens.json');
}

function lockPath(folder: string): string {
  return path.join(folder, 'tokens.lock');
}

async function readTokens(folder: string): Promise<TokenContents | null> {
  const file = tokensPath(folder);
  const text = await readIfPresent(file);
  return text === null ? null : parseTokens(text, file);
}

/**
 * Makes the missing tokens under the lock: of several processes that start together, one makes them and the others read
 * them.
 */
function complete(folder: string, clock: Clock): Promise<TokenContents> {
  return underLock(lockPath(folder), async (check) => {
    const read = await readTokens(folder);
    const completed = withOwnTokens(read, clock.now());
    if (completed !== read) await writePrivate(tokensPath(folder), printTokens(completed), check);
    return completed;
  });
}

/** Returns a key of the state of the file: every write of this program makes a new inode with a new time. */
function versionOf(file: string): string {
  // Synchronous: every request with a token that the file lacks asks, and the thread pool takes ten times longer than a stat.
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? 'absent' : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/**
 * Makes the file private: a copy or a restored backup may be readable to others. Windows keeps the profile's own rights.
 */
async function makePrivate(file: string, log: Log): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return;
  await chmod(file, 0o600);
  log.warn('token_file_was_open_to_others', { file });
}
