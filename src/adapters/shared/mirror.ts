import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BrainError } from '../../core/base/errors';
import type { Log } from '../../core/base/host';
import { appendLines, valuesOf } from '../../core/storage/lines';
import { Disk, type Keeper } from '../files/disk';
import { type FileSystem, hasCode, nodeFileSystem, orNull } from '../files/file-system';
import { parentOf } from '../files/folders';
import { lockVault, VaultInUse, type VaultLock } from '../files/lock';
import { makeFolder, prepareState } from '../files/state-folder';
import { ignoreErrors } from '../files/whole-file';
import { systemClock } from '../host/device';
import { bytesOf, type Sql, textOf } from '../postgres/sql';
import { SharedFeed } from './feed';
import { checkVersion } from './schema';
import { batches, hashOf, isNoName, isPlain } from './transfer';

/** What a mirror did in one round; paths are relative to its folder. */
export interface Mirrored {
  written: number;
  removed: number;
  /** Files that somebody changed in the folder. They stay as they are. */
  readonly left: string[];
  /** Files whose name the disk cannot have. */
  readonly refused: string[];
}

interface MirrorOptions {
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** True to bring the folder in step and end. */
  readonly isOnce: boolean;
  /** Ends the mirror after its round. */
  readonly signal: AbortSignal;
  readonly onRound: (round: Mirrored, isFirst: boolean) => void;
  /** Called once when a round fails after the first; it is tried again until it succeeds. */
  readonly onAway: (error: unknown) => void;
}

/** The wait between two looks (ms). */
const LOOK_MS = 1_000;
/** After so many looks every file is compared: somebody may have removed some in the folder. */
const LOOKS = 600;

/**
 * Keeps the folder `root` in step with the vault in the tables of `sql`, until the signal.
 * @throws BrainError `destination_exists` for a folder with files that no mirror wrote, `busy` for one that another mirror keeps in
 *   step, or the error of the first round; Error for a database without a vault, or with one of another version
 */
export async function mirrorFolder(sql: Sql, root: string, options: MirrorOptions): Promise<void> {
  await checkVersion(sql);
  let isLost = false;
  const lock = await lockMirror(root, () => (isLost = true));
  try {
    const mirror = await Mirror.open(sql, root, { holds: () => lock.holds() });
    try {
      await follow(sql, mirror, () => isLost, options);
    } finally {
      await mirror.close();
    }
  } finally {
    await lock.release();
  }
}

async function follow(sql: Sql, mirror: Mirror, isLost: () => boolean, options: MirrorOptions) {
  const { log, isOnce, signal, onRound, onAway } = options;
  const own = randomBytes(8).toString('hex');
  const sleep = (ms: number): Promise<void> => wait(ms, undefined, { ref: false });
  const feed = await SharedFeed.open(sql, { own, log, sleep, everyMs: LOOK_MS });
  const changed = new Set<string>();
  const unsubscribe = feed.subscribe(({ path: at }) => changed.add(at));
  try {
    onRound(await mirror.syncAll(), true);
    let isAway = false;
    for (let looks = 1; !isOnce; looks += 1) {
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const isWhole = isAway || looks % LOOKS === 0;
      if (!isWhole && changed.size === 0) continue;
      const paths = [...changed];
      changed.clear();
      try {
        onRound(isWhole ? await mirror.syncAll() : await mirror.sync(paths), false);
        isAway = false;
      } catch (error) {
        if (isLost()) throw error;
        if (!isAway) onAway(error);
        isAway = true;
      }
    }
  } finally {
    unsubscribe();
    await feed.close();
  }
}

/** Where a mirror keeps what is its own, below its folder, and the log of hashes in it. */
const OWN = '.brain-mirror';
const RECORD = 'files.jsonl';
/** The database is asked about so many files at a time. */
const ASKED = 1_000;
/** Nobody writes to a mirror; programs of people should say so. Windows replaces no file that is read-only. */
const MODE = process.platform === 'win32' ? 0o666 : 0o444;
/** The largest file that is compared (bytes): one buffer can hold it. */
const MAX_BYTES = 2 ** 31;

/** A file of the database. */
interface Wanted {
  readonly at: string;
  readonly hash: string;
  /** Seconds since the epoch. */
  readonly mtime: number;
}

/** A file of the database, and what the folder has at its path. */
interface Ready extends Wanted {
  readonly was: Buffer | null;
  readonly bytes: Buffer;
}

interface MirrorFolder {
  /** Tells whether the folder is still this mirror's; by default it is. */
  readonly holds?: () => Promise<boolean>;
  readonly fs?: FileSystem;
}

/**
 * A folder that follows the notes and files of a shared vault. It replaces and removes what it wrote itself, and nothing else: it
 * keeps a log of the hashes of its files, each line of which is on the disk before the file is. It can be cut at any time.
 */
export class Mirror {
  /** The hashes of the texts that the mirror gave each of its files, as far back as its log goes. */
  readonly #known = new Map<string, Set<string>>();

  private constructor(
    private readonly sql: Pick<Sql, 'statement'>,
    private readonly base: string,
    private readonly notes: Disk,
    private readonly own: Disk,
  ) {}

  /**
   * Opens the mirror in the folder `root`. It changes nothing once `holds` tells that the folder is another mirror's.
   * @throws BrainError `destination_exists` for a folder with files that no mirror wrote
   */
  static async open(
    sql: Pick<Sql, 'statement'>,
    root: string,
    { holds = async () => true, fs = nodeFileSystem }: MirrorFolder = {},
  ): Promise<Mirror> {
    const base = await fs.realpath(root);
    await refuseForeign(fs, base);
    const own = path.join(base, OWN);
    const temps = path.join(own, 'tmp');
    for (const folder of [own, temps]) await makeFolder(fs, folder);
    for (const { name } of await fs.readdir(temps)) await ignoreErrors(fs.unlink(path.join(temps, name)));
    const check = async (): Promise<void> => {
      if (await holds()) return;
      throw new BrainError('busy', `Another mirror has ${base} now, or its disk is away.`);
    };
    const keeper: Keeper = { check, restore: () => makeFolder(fs, temps) };
    const modes = { file: MODE, folder: 0o777 };
    const notes = new Disk(fs, base, { folder: temps, keeper, modes });
    const mirror = new Mirror(sql, base, notes, new Disk(fs, own, { folder: temps, keeper }));
    const record = (await mirror.own.read(RECORD))?.toString('utf8') ?? null;
    for (const [at, hash] of valuesOf(record, partsOf)) mirror.#remember(at, hash);
    await mirror.#shortenLog();
    return mirror;
  }

  /** Closes the folders that it keeps open. */
  async close(): Promise<void> {
    await this.notes.folders.close();
    await this.own.folders.close();
  }

  /** Brings every file in step, also those that were removed in the folder. */
  async syncAll(): Promise<Mirrored> {
    const rows = await this.sql.statement('SELECT path FROM brain.files', [], true);
    const wanted = rows.map((row) => textOf(row.path));
    const mirrored = await this.sync([...new Set([...this.#known.keys(), ...wanted])]);
    await this.#shortenLog();
    return mirrored;
  }

  /** Brings the files at these paths in step. */
  async sync(paths: readonly string[]): Promise<Mirrored> {
    const round: Mirrored = { written: 0, removed: 0, left: [], refused: [] };
    const shown = paths.filter((at) => !isHidden(at)).sort();
    for (let from = 0; from < shown.length; from += ASKED) {
      const asked = shown.slice(from, from + ASKED);
      const rows = await this.sql.statement(
        "SELECT path, octet_length(body) AS size, encode(sha256(body), 'hex') AS hash, extract(epoch FROM mtime) AS mtime FROM brain.files WHERE path = ANY($1::text[])",
        [asked],
        true,
      );
      const found = new Map(rows.map((row) => [textOf(row.path), row]));
      // What is gone may stand where a folder has to be.
      for (const at of asked) if (!found.has(at)) await this.#remove(at, round);
      const differ: { at: string; size: number }[] = [];
      for (const [at, row] of found) {
        const size = Number(row.size);
        const mayBeTorn = (was: Buffer): boolean => endOf(was) <= size;
        const wanted = { at, hash: textOf(row.hash), mtime: Number(row.mtime) };
        if ((await this.#find(wanted, mayBeTorn, round)) !== undefined) differ.push({ at, size });
      }
      for (const batch of batches(differ)) await this.#fetch(batch, round);
    }
    return round;
  }

  /** Writes files as the database has them now. */
  async #fetch(files: readonly { readonly at: string }[], round: Mirrored): Promise<void> {
    const rows = await this.sql.statement(
      'SELECT path, body, extract(epoch FROM mtime) AS mtime FROM brain.files WHERE path = ANY($1::text[])',
      [files.map(({ at }) => at)],
      true,
    );
    const ready: Ready[] = [];
    for (const { path: found, body, mtime } of rows) {
      const bytes = bytesOf(body);
      const wanted = { at: textOf(found), hash: hashOf(bytes), mtime: Number(mtime) };
      // Once more: somebody may have come to the file while the database answered.
      const was = await this.#find(wanted, (torn) => isTorn(torn, bytes), round);
      if (was !== undefined) ready.push({ ...wanted, was, bytes });
    }
    await this.#log(ready.map(({ at, hash }) => [at, hash]));
    // Together, as the disk syncs many files as quickly as one. All have ended before an error is told.
    const written = await Promise.allSettled(ready.map((each) => this.#write(each, round)));
    for (const each of written) if (each.status === 'rejected') throw each.reason;
  }

  async #write({ at, was, bytes, mtime }: Ready, round: Mirrored): Promise<void> {
    try {
      const as = { sync: true, expected: was, bound: MODE, mtime };
      if (await this.notes.replace(at, bytes, as)) round.written += 1;
      else round.left.push(at);
    } catch (error) {
      if (!isNoName(error)) throw error;
      round.refused.push(at);
    }
  }

  /**
   * Finds what the folder has where a file has to be written: its bytes, or null for nothing. Undefined when the file is there
   * already, or when it must not be written, which is noted.
   */
  async #find(
    { at, hash, mtime }: Wanted,
    mayBeTorn: (was: Buffer) => boolean,
    round: Mirrored,
  ): Promise<Buffer | null | undefined> {
    if (!(await this.#makeFolder(at))) {
      round.refused.push(at);
      return undefined;
    }
    const was = await this.#read(at);
    if (was === null && (await orNull(this.notes.fs.lstat(path.join(this.base, at)))) === null) return null;
    const is = was && hashOf(was);
    const hashes = this.#known.get(at);
    if (is === hash) {
      // The log has lost its line when the file has the rights and the time that a mirror gives; any other is somebody else's.
      if (hashes?.has(is) !== true && (await this.#isMarked(at, mtime))) await this.#log([[at, is]]);
      return undefined;
    }
    if (was !== null && is !== null && hashes !== undefined && (hashes.has(is) || mayBeTorn(was))) return was;
    round.left.push(at);
    return undefined;
  }

  async #isMarked(at: string, mtime: number): Promise<boolean> {
    const stat = await this.notes.stat(at);
    return stat !== null && (stat.mode & 0o777 & ~MODE) === 0 && Math.abs(stat.mtimeMs - mtime * 1000) < 1;
  }

  /** Makes the folder of a file; resolves false when the disk cannot have it, or has a link in its place. */
  async #makeFolder(at: string): Promise<boolean> {
    if (!isPlain(at)) return false;
    const full = path.dirname(path.join(this.base, at));
    try {
      await this.notes.folders.make(parentOf(at));
      // The disk may have the folder under another spelling.
      return (await orNull(this.notes.fs.realpath(full))) === full;
    } catch (error) {
      if (isNotAllowed(error) || isNoName(error) || hasCode(error, 'EEXIST', 'ENOTDIR')) return false;
      throw error;
    }
  }

  /** Returns the bytes of a file; null where none is, or where its folder is a link. */
  async #read(at: string): Promise<Buffer | null> {
    const folder = path.dirname(path.join(this.base, at));
    try {
      if ((await orNull(this.notes.fs.realpath(folder))) !== folder) return null;
      return await this.notes.read(at, MAX_BYTES);
    } catch (error) {
      if (isNotAllowed(error)) return null;
      throw error;
    }
  }

  async #remove(at: string, round: Mirrored): Promise<void> {
    const hashes = this.#known.get(at);
    if (hashes === undefined) return;
    const was = await this.#read(at);
    const isOwn = was === null || hashes.has(hashOf(was)) || endOf(was) === 0;
    if (!isOwn || (was !== null && !(await this.notes.remove(at, was)))) {
      round.left.push(at);
      return;
    }
    // Not before: the next round has to ask for a file that the disk does not let go.
    this.#known.delete(at);
    if (was === null) return;
    round.removed += 1;
    const above = at.split('/').slice(0, -1);
    // A folder that a program has open, as on Windows, stays.
    await ignoreErrors(this.notes.folders.removeEmpty(above.map((_, n) => above.slice(0, n + 1).join('/'))));
  }

  /** Adds lines to the log, which are on the disk when it resolves. */
  async #log(lines: readonly (readonly [at: string, hash: string])[]): Promise<void> {
    if (lines.length === 0) return;
    for (const [at, hash] of lines) this.#remember(at, hash);
    const append = (file: string, text: string, sync: boolean): Promise<void> =>
      this.own.append(file, Buffer.from(text), sync);
    await appendLines({ append }, RECORD, lines, true);
  }

  #remember(at: string, hash: string): void {
    this.#known.set(at, (this.#known.get(at) ?? new Set()).add(hash));
  }

  /** Leaves only the newest hash of each file in the log, where the file has it. */
  async #shortenLog(): Promise<void> {
    const lines: string[] = [];
    for (const [at, hashes] of this.#known) {
      const was = await this.#read(at);
      const is = was && hashOf(was);
      if (is !== null && hashes.has(is)) this.#known.set(at, new Set([is]));
      for (const hash of this.#known.get(at) ?? []) lines.push(`${JSON.stringify([at, hash])}\n`);
    }
    await this.own.replace(RECORD, Buffer.from(lines.join('')), { sync: true });
  }
}

/** @throws BrainError `destination_exists` for a folder with files that no mirror wrote */
async function refuseForeign(fs: FileSystem, base: string): Promise<void> {
  const isMirror = (await orNull(fs.lstat(path.join(base, OWN, RECORD)))) !== null;
  if (isMirror || (await fs.readdir(base)).every(({ name }) => name.startsWith('.'))) return;
  throw new BrainError(
    'destination_exists',
    `${base} has files that no mirror wrote, and a mirror changes none of those. Name an empty folder with --vault.`,
  );
}

/** Makes the folder and takes it for this mirror: of two, each would take the other's files for those of a person. */
async function lockMirror(root: string, onLost: () => void): Promise<VaultLock> {
  await mkdir(root, { recursive: true });
  const base = await nodeFileSystem.realpath(root);
  await refuseForeign(nodeFileSystem, base);
  const own = path.join(base, OWN);
  await makeFolder(nodeFileSystem, own);
  await prepareState(own, { device: 'mirror' });
  try {
    return await lockVault(own, { device: 'mirror', clock: systemClock, kind: 'mirror', onLost });
  } catch (error) {
    throw error instanceof VaultInUse ? new BrainError('busy', error.message) : error;
  }
}

/** Returns path and hash of a line of the log. */
function partsOf(value: unknown): readonly [at: string, hash: string] | null {
  if (!Array.isArray(value)) return null;
  const [at, hash] = value as readonly unknown[]; // The elements are checked here.
  return typeof at === 'string' && typeof hash === 'string' ? [at, hash] : null;
}

/**
 * Returns true for what a cut may leave of a file: its beginning, and zeros for the rest. A person may have cut it off as well, who
 * wrote nothing then that the vault does not have.
 */
function isTorn(was: Buffer, whole: Buffer): boolean {
  const end = endOf(was);
  return was.subarray(0, end).equals(whole.subarray(0, end));
}

/** Returns where the zeros at the end of bytes begin. */
function endOf(bytes: Buffer): number {
  return bytes.findLastIndex((byte) => byte !== 0) + 1;
}

function isNotAllowed(error: unknown): boolean {
  return error instanceof BrainError && error.code === 'path_not_allowed';
}

/** Returns true for what Obsidian does not show, such as its own settings: those of the folder are its owner's. */
function isHidden(at: string): boolean {
  return at.split('/').some((name) => name.startsWith('.'));
}
