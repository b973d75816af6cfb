import { randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import * as z from 'zod';
import type { Clock } from '../../core/base/host';
import { type FileSystem, hasCode, hasNoLinks, nodeFileSystem, orNull } from './file-system';
import { identityOf } from './folders';
import { localFolder, stateFolder, tempFolder } from './state-folder';
import { readAll, writeAll } from './whole-file';

const LOCK_NAME = /^lock(?:\.(\d{1,9}))?$/;

/**
 * The interval at which a lock file is written again (ms), for services on other machines; long, as the file may be synced.
 */
const BEAT_MS = 60_000;
/** The age of a lock (ms) from which its service has ended, or its machine sleeps. */
const STALE_MS = 3 * BEAT_MS;

/** The program that holds a folder: the plugin inside the app, `brain serve`, or `brain mirror` for the copy that it keeps. */
type HolderKind = 'obsidian' | 'serve' | 'mirror';

const holder = z.object({
  /** Absent in the locks of earlier versions; undefined for a kind of a later version. */
  kind: z.enum(['obsidian', 'serve', 'mirror']).optional().catch(undefined),
  pid: z.number().int().positive(),
  host: z.string(),
  /** The time at which the lock was taken. */
  started: z.string(),
  /** Tells this process from a later one with the same id; empty where the system does not report it. */
  process: z.string(),
  /** The PID namespace of `pid`, such as that of a Flatpak; absent where the system does not report it. */
  namespace: z.string().optional(),
  /** When the program or the window of the app began: tells it from a later window in the same process. */
  began: z.number().optional(),
  /** The inode of the file: a copy that a sync program has made has another one. */
  file: z.string().optional(),
});
type Holder = z.output<typeof holder>;

/** Another service has the vault open. The message says which one, and what to do. */
export class VaultInUse extends Error {
  override readonly name = 'VaultInUse';
}

interface VaultLock {
  /**
   * The time at which the lock was taken over from a service that was cut off or lost power (ms since the epoch): the
   * earlier of this machine's clock and the file server's. Null when no lock was left.
   */
  readonly tookOverAt: number | null;
  /** Returns true while the lock file is in place: another program may remove it. */
  isInPlace(): Promise<boolean>;
  /** Releases the vault; another service may open it at once. A lock file of another service stays. */
  release(): Promise<void>;
}

interface LockOptions {
  readonly device: string;
  readonly clock: Clock;
  /** The kind of this service, for the message that a second service gets. */
  readonly kind?: HolderKind;
  readonly fs?: FileSystem;
  /** The interval at which the lock file is written again (ms). */
  readonly beatMs?: number;
}

/**
 * Takes the vault for this process. Only one service of a device writes into it, as two would not see each other's queue.
 * The lock of a dead process is taken over. A service of another device on this very folder, local or over a network,
 * counts as well; a service on a synced copy of the folder does not.
 *
 * No lock that may be alive is ever removed, so no order of events lets two services in: a process that finds only dead
 * locks makes the one with the next number, which only one process can do, then checks again, and gives up when there is a
 * live one.
 * @throws VaultInUse when a live process holds it.
 */
export async function lockVault(root: string, options: LockOptions): Promise<VaultLock> {
  const { device, clock, kind, fs = nodeFileSystem, beatMs = BEAT_MS } = options;
  const folder = localFolder(root, device);
  const namespace = await readlink('/proc/self/ns/pid').catch(() => null);
  const self: Holder = {
    ...(kind && { kind }),
    pid: process.pid,
    host: hostname(),
    started: clock.now().toISOString(),
    process: (await processStat(process.pid))?.mark ?? '',
    ...(namespace !== null && { namespace }),
    began: performance.timeOrigin,
  };
  const temp = path.join(tempFolder(root, device), `lock-${randomUUID()}`);
  await writeNew(fs, temp, self);
  try {
    const seeker = { self, now: await mtimeOf(fs, temp) };
    const mine = await takeNumber(fs, folder, temp, seeker);
    const dead: string[] = [];
    for (const file of await lockFiles(fs, folder)) {
      if (file === mine) continue;
      const live = await liveHolder(fs, file, seeker);
      if (live !== null) {
        await orNull(fs.unlink(mine));
        throw inUse(live, file);
      }
      dead.push(file);
    }
    for (const file of dead) await orNull(fs.unlink(file));
    const own = await orNull(fs.lstat(mine));
    try {
      const other = own && (await otherDevice(fs, root, folder, seeker));
      if (other !== null) throw sharedBy(other);
    } catch (error) {
      await orNull(fs.unlink(mine));
      throw error;
    }
    const isInPlace = async (): Promise<boolean> => {
      const now = await orNull(fs.lstat(mine));
      return own !== null && now !== null && identityOf(now) === identityOf(own);
    };
    const beating = setInterval(() => void beat(fs, mine).catch(() => undefined), beatMs);
    beating.unref();
    return {
      tookOverAt: dead.length > 0 ? Math.min(clock.now().getTime(), await mtimeOf(fs, mine)) : null,
      isInPlace,
      release: async () => {
        clearInterval(beating);
        if (await isInPlace()) await orNull(fs.unlink(mine));
      },
    };
  } finally {
    await orNull(fs.unlink(temp));
  }
}

/** Writes the same bytes again, so that the file server records the time by its own clock. */
async function beat(fs: FileSystem, file: string): Promise<void> {
  const handle = await fs.open(file, 'r+');
  try {
    await writeAll(handle, await readAll(handle, 1024, file));
  } finally {
    await handle.close();
  }
}

/** The process that wants the lock. */
interface Seeker {
  readonly self: Holder;
  /** The time by the file server's clock (ms since the epoch): the clock of another machine may be wrong. */
  readonly now: number;
}

/** Returns a live service of another device on this very folder; null when there is none. */
async function otherDevice(fs: FileSystem, root: string, own: string, seeker: Seeker): Promise<Other | null> {
  const state = stateFolder(root);
  for (const { name } of await fs.readdir(state)) {
    const folder = path.join(state, name);
    if (!name.startsWith('local.') || folder === own) continue;
    for (const file of (await orInaccessible(lockFiles(fs, folder))) ?? []) {
      const holder = await orInaccessible(liveHolder(fs, file, seeker));
      const stat = await orInaccessible(fs.lstat(file));
      if (holder === null || stat === null || holder.file !== String(stat.ino)) continue;
      // A process of this machine has been checked already.
      const isLive = holder.host === seeker.self.host || Math.abs(seeker.now - stat.mtimeMs) < STALE_MS;
      if (isLive) return { holder, device: name.slice('local.'.length), file };
    }
  }
  return null;
}

/** Resolves null where this user may not read the folder of another user: a service there cannot be recognized. */
async function orInaccessible<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await orNull(work);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) return null;
    throw error;
  }
}

interface Other {
  readonly holder: Holder;
  readonly device: string;
  readonly file: string;
}

function sharedBy({ holder: { kind, pid, host, started }, device, file }: Other): VaultInUse {
  const { name, way } = kind === undefined ? { name: 'a server', way: 'Stop that one' } : KINDS[kind];
  return new VaultInUse(
    `The same folder is in use by ${name} on another device (${device}: process ${pid} on ${host}) since ${minute(started)}. Two servers on one folder lose each other's changes. ${way} first. Of one that has ended without a word this is known after ${STALE_MS / 60_000} minutes, or when you delete ${file}.`,
  );
}

/** Makes the lock file with the next free number. @throws VaultInUse when an existing one is alive. */
async function takeNumber(fs: FileSystem, folder: string, temp: string, seeker: Seeker): Promise<string> {
  for (;;) {
    let next = 0;
    for (const file of await lockFiles(fs, folder)) {
      const live = await liveHolder(fs, file, seeker);
      if (live !== null) throw inUse(live, file);
      next = Math.max(next, Number(LOCK_NAME.exec(path.basename(file))?.[1] ?? 0) + 1);
    }
    const mine = path.join(folder, next === 0 ? 'lock' : `lock.${next}`);
    if (await publish(fs, temp, mine, seeker.self)) return mine; // Else another process has made it: check that one.
  }
}

/** Makes the lock file atomically; resolves false when it exists already. */
async function publish(fs: FileSystem, temp: string, mine: string, self: Holder): Promise<boolean> {
  try {
    await fs.link(temp, mine);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (!hasNoLinks(error)) throw error;
  }
  try {
    // Another process may read the file while it is empty, and take the lock for dead. It checks again after it has made
    // its own, as this one does.
    await writeNew(fs, mine, self);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function writeNew(fs: FileSystem, file: string, self: Holder): Promise<void> {
  const handle = await fs.open(file, 'wx', 0o600);
  try {
    const file = String((await handle.stat()).ino);
    await writeAll(handle, Buffer.from(`${JSON.stringify({ ...self, file })}\n`));
  } finally {
    await handle.close();
  }
}

/** Returns the mtime of a file; infinity when it is unknown. */
async function mtimeOf(fs: FileSystem, file: string): Promise<number> {
  const stat = await fs.lstat(file).catch(() => null);
  return stat?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

async function lockFiles(fs: FileSystem, folder: string): Promise<string[]> {
  const names = (await fs.readdir(folder)).map((entry) => entry.name);
  return names.filter((name) => LOCK_NAME.test(name)).map((name) => path.join(folder, name));
}

/**
 * Returns the holder of a lock; null when the file is gone, is not readable as a lock, or names a process that has ended. The
 * process of a holder in another PID namespace cannot be checked. A holder of the kind of the seeker counts as ended then, as a
 * container or a Flatpak gets a new namespace at every start; one of another kind is alive while it writes its file again.
 */
async function liveHolder(fs: FileSystem, file: string, { self, now }: Seeker): Promise<Holder | null> {
  const parsed = holder.safeParse(await readJson(fs, file));
  if (!parsed.success) return null;
  const { pid, host, process: mark, began, namespace, kind } = parsed.data;
  const isBeaten = async (): Promise<boolean> => Math.abs(now - (await mtimeOf(fs, file))) < STALE_MS;
  if (host !== self.host) {
    // The processes of another machine cannot be checked, so such a lock counts as alive and a person decides. A mirror can be
    // made anew, so nobody has to.
    return kind !== 'mirror' || (await isBeaten()) ? parsed.data : null;
  }
  if (namespace !== undefined && self.namespace !== undefined && namespace !== self.namespace) {
    const isOtherBoot =
      bootOf(mark) !== '' && bootOf(self.process) !== '' && bootOf(mark) !== bootOf(self.process);
    return kind !== self.kind && !isOtherBoot && (await isBeaten()) ? parsed.data : null;
  }
  if (!isRunning(pid)) return null;
  const stat = await processStat(pid);
  if (stat?.hasEnded === true || (stat !== null && stat.mark !== mark)) return null;
  // A reloaded window keeps its process, and the window before had no time to remove its lock.
  if (pid === self.pid && began !== self.began) return null;
  return parsed.data;
}

async function readJson(fs: FileSystem, file: string): Promise<unknown> {
  const handle = await orNull(fs.open(file, 'r'));
  if (handle === null) return null;
  try {
    return JSON.parse((await readAll(handle, 1024, file)).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null; // The write was cut off, so its process has died.
    throw error;
  } finally {
    await handle.close();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // Signal 0 only checks that the process exists.
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

/** The state of a process in /proc. */
interface ProcessStat {
  /** True for a zombie: it holds no files any more, unless one of its threads still runs. */
  readonly hasEnded: boolean;
  /** Boot id and start time, which identify a process. */
  readonly mark: string;
}

function bootOf(mark: string): string {
  return mark.slice(0, mark.lastIndexOf('/'));
}

/** Reads the state of a process; null on systems without /proc. */
async function processStat(pid: number): Promise<ProcessStat | null> {
  const stat = await orNull(readFile(`/proc/${pid}/stat`, 'utf8'));
  const boot = await orNull(readFile('/proc/sys/kernel/random/boot_id', 'utf8'));
  if (stat === null) return null;
  // Fields 3, 20 and 22: state, number of threads, start time. Field 2, the name of the program, may hold spaces and
  // brackets, so the fields are counted from after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', threads, ticks] = [fields[0], Number(fields[17]), fields[19]];
  return ticks === undefined
    ? null
    : { hasEnded: /^[ZXx]$/.test(state) && threads <= 1, mark: `${boot?.trim() ?? ''}/${ticks}` };
}

const KINDS: Readonly<Record<HolderKind, { readonly name: string; readonly way: string }>> = {
  obsidian: {
    name: 'Obsidian',
    way: 'Stop the server in its settings for Brain Server, or close that vault',
  },
  serve: { name: 'brain serve', way: 'Stop that server' },
  mirror: { name: 'brain mirror', way: 'Stop that one' },
};

function inUse({ kind, pid, host, started }: Holder, file: string): VaultInUse {
  const { name, way } = kind === undefined ? { name: '', way: 'Stop that one' } : KINDS[kind];
  const who = name === '' ? `process ${pid} on ${host}` : `${name} (process ${pid} on ${host})`;
  return new VaultInUse(
    `The ${kind === 'mirror' ? 'folder' : 'vault'} is in use by ${who} since ${minute(started)}. ${way} first. If it no longer exists, delete ${file}.`,
  );
}

/** Formats a time as `2026-11-20 10:32 UTC`; returns other text as it is. */
function minute(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z$/, '$1 $2 UTC');
}
