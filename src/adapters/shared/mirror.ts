import { randomBytes } from 'node:crypto';
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BrainError } from '../../core/base/errors';
import type { Log } from '../../core/base/host';
import { hasCode, orNull } from '../files/file-system';
import { lockVault, VaultInUse, type VaultLock } from '../files/lock';
import { prepareState } from '../files/state-folder';
import { retryWhileBusy } from '../files/whole-file';
import { systemClock } from '../host/device';
import { bytesOf, type Sql, textOf } from '../postgres/sql';
import { SharedFeed } from './feed';
import { checkVersion } from './schema';
import { batches, hashOf, placeIn } from './transfer';

/** What a mirror did in one round; paths are relative to its folder. */
export interface Mirrored {
  readonly written: number;
  readonly removed: number;
  /** Files that somebody changed in the folder. They stay as they are. */
  readonly left: readonly string[];
  /** Files whose name the disk cannot have. */
  readonly refused: readonly string[];
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
export async function mirrorFolder(
  sql: Sql,
  root: string,
  { log, isOnce, signal, onRound, onAway }: MirrorOptions,
): Promise<void> {
  await checkVersion(sql);
  const lock = await lockMirror(root);
  try {
    const mirror = await Mirror.open(sql, root, () => lock.holds());
    await follow(sql, mirror, { log, isOnce, signal, onRound, onAway });
  } finally {
    await lock.release();
  }
}

async function follow(
  sql: Sql,
  mirror: Mirror,
  { log, isOnce, signal, onRound, onAway }: MirrorOptions,
): Promise<void> {
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
        if (!(await mirror.holds())) throw error;
        if (!isAway) onAway(error);
        isAway = true;
      }
    }
  } finally {
    unsubscribe();
    await feed.close();
  }
}

/** Where a mirror keeps what is its own, below its folder. */
const OWN = '.brain-mirror';
/** The database is asked about so many files at a time. */
const ASKED = 1_000;
/** Nobody writes to a mirror; programs of people should say so. Windows replaces no file that is read-only. */
const MODE = process.platform === 'win32' ? 0o666 : 0o444;

/**
 * A folder that follows the notes and files of a shared vault. It replaces and removes what it wrote itself, and nothing else: it
 * keeps a log of the hashes of its files, each line of which is on the disk before the file is. It can be cut at any time.
 */
export class Mirror {
  readonly #sql: Pick<Sql, 'statement'>;
  readonly #base: string;
  /** The hashes of the texts that the mirror gave each of its files, as far back as its log goes. */
  readonly #known: Map<string, Set<string>>;
  /** Looks whether the folder is still this mirror's. */
  readonly holds: () => Promise<boolean>;

  private constructor(
    sql: Pick<Sql, 'statement'>,
    base: string,
    known: Map<string, Set<string>>,
    holds: () => Promise<boolean>,
  ) {
    this.#sql = sql;
    this.#base = base;
    this.#known = known;
    this.holds = holds;
  }

  /**
   * Opens the mirror in the folder `root`, which is made when it is absent. It changes nothing once `holds` tells that the folder
   * is another mirror's.
   * @throws BrainError `destination_exists` for a folder with files that no mirror wrote
   */
  static async open(
    sql: Pick<Sql, 'statement'>,
    root: string,
    holds: () => Promise<boolean> = async () => true,
  ): Promise<Mirror> {
    const { base, log } = await foundIn(root);
    await rm(path.join(base, OWN, 'tmp'), { recursive: true, force: true });
    await mkdir(path.join(base, OWN, 'tmp'), { recursive: true });
    const known = new Map<string, Set<string>>();
    for (const line of (log ?? '').split('\n')) {
      const [at, hash] = partsOf(line);
      if (at !== undefined && hash !== undefined) remember(known, at, hash);
    }
    const mirror = new Mirror(sql, base, known, holds);
    await mirror.#shortenLog();
    return mirror;
  }

  /** Brings every file in step, also those that were removed in the folder. */
  async syncAll(): Promise<Mirrored> {
    const rows = await this.#sql.statement('SELECT path FROM brain.files', [], true);
    const wanted = rows.map((row) => textOf(row.path));
    const mirrored = await this.sync([...new Set([...this.#known.keys(), ...wanted])]);
    await this.#shortenLog();
    return mirrored;
  }

  /** Brings the files at these paths in step. */
  async sync(paths: readonly string[]): Promise<Mirrored> {
    const total = { written: 0, removed: 0, left: [] as string[], refused: [] as string[] };
    const shown = paths.filter((at) => !isHidden(at)).sort();
    for (let from = 0; from < shown.length; from += ASKED) {
      const asked = shown.slice(from, from + ASKED);
      const rows = await this.#sql.statement(
        "SELECT path, octet_length(body) AS size, encode(sha256(body), 'hex') AS hash FROM brain.files WHERE path = ANY($1::text[])",
        [asked],
        true,
      );
      const found = new Map(rows.map((row) => [textOf(row.path), row]));
      // What is gone may stand where a folder has to be.
      for (const at of asked) if (!found.has(at)) await this.#remove(at, total);
      const differ: { at: string; size: number }[] = [];
      for (const [at, { size, hash }] of found)
        if ((await this.#place(at, textOf(hash), total)) !== null) differ.push({ at, size: Number(size) });
      for (const batch of batches(differ)) await this.#fetch(batch, total);
    }
    return total;
  }

  /** Writes files as the database has them now. */
  async #fetch(
    files: readonly { readonly at: string }[],
    total: { written: number; left: string[]; refused: string[] },
  ): Promise<void> {
    const rows = await this.#sql.statement(
      'SELECT path, body, extract(epoch FROM mtime) AS mtime FROM brain.files WHERE path = ANY($1::text[])',
      [files.map(({ at }) => at)],
      true,
    );
    const ready: { at: string; target: string; bytes: Buffer; hash: string; mtime: number }[] = [];
    for (const { path: found, body, mtime } of rows) {
      const [at, bytes] = [textOf(found), bytesOf(body)];
      const hash = hashOf(bytes);
      // Once more: somebody may have come to the file while the database answered.
      const target = await this.#place(at, hash, total);
      if (target !== null) ready.push({ at, target, bytes, hash, mtime: Number(mtime) });
    }
    await this.#log(ready.map(({ at, hash }) => [at, hash]));
    for (const { target, bytes, mtime } of ready) await this.#write(target, bytes, mtime);
    total.written += ready.length;
  }

  /** Resolves where a file has to be written; null when it is there already, or when it must not, which is noted. */
  async #place(
    at: string,
    hash: string,
    { left, refused }: { left: string[]; refused: string[] },
  ): Promise<string | null> {
    const target = await placeIn(this.#base, at);
    if (target === null) {
      refused.push(at);
      return null;
    }
    if ((await orNull(lstat(target))) === null) return target;
    const is = await this.#hashAt(at);
    // A file with the same bytes that the log does not have is somebody else's, and stays so.
    if (is === hash) return null;
    if (is !== null && this.#known.get(at)?.has(is) === true) return target;
    left.push(at);
    return null;
  }

  /** Returns the hash of a file; null where none is, or where its folder is a link. */
  async #hashAt(at: string): Promise<string | null> {
    const target = path.join(this.#base, at);
    const folder = path.dirname(target);
    if ((await orNull(realpath(folder))) !== folder) return null;
    return (await orNull(lstat(target)))?.isFile() === true ? hashOf(await readFile(target)) : null;
  }

  async #remove(at: string, total: { removed: number; left: string[] }): Promise<void> {
    const hashes = this.#known.get(at);
    const target = path.join(this.#base, at);
    if (hashes === undefined) return;
    const is = await this.#hashAt(at);
    if (is !== null && !hashes.has(is)) {
      total.left.push(at);
      return;
    }
    if (is !== null) {
      await this.#check();
      await retryWhileBusy(() => rm(target, { force: true }));
    }
    // Not before: the next round has to ask for a file that the disk does not let go.
    this.#known.delete(at);
    if (is === null) return;
    total.removed += 1;
    for (let folder = path.dirname(target); folder !== this.#base; folder = path.dirname(folder)) {
      try {
        await rmdir(folder);
      } catch (error) {
        if (hasCode(error, 'ENOENT')) continue;
        if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EBUSY', 'ENOTDIR')) return;
        throw error;
      }
    }
  }

  async #write(target: string, bytes: Buffer, mtime: number): Promise<void> {
    const temp = path.join(this.#base, OWN, 'tmp', randomBytes(6).toString('hex'));
    await writeFile(temp, bytes, { mode: MODE, flag: 'wx' });
    await utimes(temp, mtime, mtime);
    await this.#check();
    await retryWhileBusy(() => rename(temp, target));
  }

  /** @throws BrainError `busy` once another mirror has taken the folder over, as this one stood still. */
  async #check(): Promise<void> {
    if (await this.holds()) return;
    throw new BrainError(
      'busy',
      `Another mirror took ${this.#base} over while this one stood still. Stop one.`,
    );
  }

  /** Adds lines to the log, which are on the disk when it resolves. */
  async #log(lines: readonly (readonly [at: string, hash: string])[]): Promise<void> {
    if (lines.length === 0) return;
    await this.#check();
    for (const [at, hash] of lines) remember(this.#known, at, hash);
    const handle = await open(path.join(this.#base, OWN, 'files.jsonl'), 'a');
    try {
      await handle.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  /** Leaves only the newest hash of each file in the log, where the file has it. */
  async #shortenLog(): Promise<void> {
    const lines: string[] = [];
    for (const [at, hashes] of this.#known) {
      const is = await this.#hashAt(at);
      if (is !== null && hashes.has(is)) this.#known.set(at, new Set([is]));
      for (const hash of this.#known.get(at) ?? []) lines.push(`${JSON.stringify([at, hash])}\n`);
    }
    const temp = path.join(this.#base, OWN, 'tmp', 'files.jsonl');
    const handle = await open(temp, 'w');
    try {
      await handle.writeFile(lines.join(''));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await this.#check();
    await retryWhileBusy(() => rename(temp, path.join(this.#base, OWN, 'files.jsonl')));
  }
}

/**
 * Returns the real path of a mirror's folder, which is made when it is absent, and the log in it.
 * @throws BrainError `destination_exists` for a folder with files that no mirror wrote
 */
async function foundIn(root: string): Promise<{ base: string; log: string | null }> {
  await mkdir(root, { recursive: true });
  const base = await realpath(root);
  const log = await orNull(readFile(path.join(base, OWN, 'files.jsonl'), 'utf8'));
  if (log === null && (await readdir(base)).some((name) => !name.startsWith('.'))) {
    throw new BrainError(
      'destination_exists',
      `${root} has files that no mirror wrote, and a mirror changes none of those. Name an empty folder with --vault.`,
    );
  }
  return { base, log };
}

/** Takes the folder for this mirror: of two, each would take the other's files for those of a person. */
async function lockMirror(root: string): Promise<VaultLock> {
  const { base } = await foundIn(root);
  const own = path.join(base, OWN);
  await mkdir(own, { recursive: true });
  await prepareState(own, { device: 'mirror' });
  try {
    return await lockVault(own, { device: 'mirror', clock: systemClock, kind: 'mirror' });
  } catch (error) {
    throw error instanceof VaultInUse ? new BrainError('busy', error.message) : error;
  }
}

function remember(known: Map<string, Set<string>>, at: string, hash: string): void {
  const hashes = known.get(at);
  if (hashes === undefined) known.set(at, new Set([hash]));
  else hashes.add(hash);
}

/** Returns path and hash of a line of the log; nothing for a line that was cut. */
function partsOf(line: string): readonly [at?: string, hash?: string] {
  try {
    const parts: unknown = JSON.parse(line);
    if (!Array.isArray(parts)) return [];
    const [at, hash] = parts as readonly unknown[];
    return typeof at === 'string' && typeof hash === 'string' ? [at, hash] : [];
  } catch {
    return [];
  }
}

/** Returns true for what Obsidian does not show, such as its own settings: those of the folder are its owner's. */
function isHidden(at: string): boolean {
  return at.split('/').some((name) => name.startsWith('.'));
}
