import { readFile } from 'node:fs/promises';
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

/** The file of a lock is written again this often, in milliseconds, for services on other machines: seldom, as others may sync it. */
const BEAT_MS = 60_000;
/** One that was not written for so long is of a service that has ended, or of a machine that sleeps. */
const STALE_MS = 3 * BEAT_MS;

/** What has a vault open: the plugin inside the app, or `brain serve`. */
type HolderKind = 'obsidian' | 'serve';

const holder = z.object({
  /** Absent in the locks of earlier versions; a kind that a later version has is none for us. */
  kind: z.enum(['obsidian', 'serve']).optional().catch(undefined),
  pid: z.number().int().positive(),
  host: z.string(),
  /** When the lock was taken. */
  started: z.string(),
  /** Tells this process from a later one with the same number; empty where the system does not say. */
  process: z.string(),
  /** When the page of the app, or the program, began: tells it from a later page in the same process. */
  began: z.number().optional(),
  /** The number of the file in its file system: in a copy that a sync program has made it is another one. */
  file: z.string().optional(),
});
type Holder = z.output<typeof holder>;

/** Another service has the vault open. The message says which, and what to do. */
export class VaultInUse extends Error {
  override readonly name = 'VaultInUse';
}

interface VaultLock {
  /**
   * When it was taken over from one that did not let go of the vault, as it was cut or its machine lost power: in milliseconds
   * since the epoch, by our clock or by that of whoever keeps the files, whichever is behind. Null when nobody had left it.
   */
  readonly tookOverAt: number | null;
  /** True while the lock is where it was put: another program may take it away. */
  stands(): Promise<boolean>;
  /** Lets the vault go; another service may open it at once. Leaves alone what somebody else has put in its place. */
  release(): Promise<void>;
}

interface LockOptions {
  readonly device: string;
  readonly clock: Clock;
  /** What takes it: whoever comes second is told. */
  readonly kind?: HolderKind;
  readonly fs?: FileSystem;
  /** How often it is shown that it is still held, in milliseconds. */
  readonly beatMs?: number;
}

/**
 * Takes the vault for this process: one service of a device writes into it, and two would not see each other's queue.
 * A lock whose process has died is taken over. A service of another device on this very folder is met as well, on the same machine
 * or over a network; one on a copy of the folder, which a sync program keeps in step, is none of that.
 *
 * Nobody ever removes a lock that may be alive, so no order of events lets two in: who finds only dead locks makes the
 * one with the next number (which just one can do), then looks again, and steps back when a live one stands beside it.
 * @throws VaultInUse when a live process holds it.
 */
export async function lockVault(root: string, options: LockOptions): Promise<VaultLock> {
  const { device, clock, kind, fs = nodeFileSystem, beatMs = BEAT_MS } = options;
  const folder = localFolder(root, device);
  const self: Holder = {
    ...(kind && { kind }),
    pid: process.pid,
    host: hostname(),
    started: clock.now().toISOString(),
    process: (await processStat(process.pid))?.mark ?? '',
    began: performance.timeOrigin,
  };
  const temp = path.join(tempFolder(root, device), `lock-${process.pid}`);
  await orNull(fs.unlink(temp));
  await writeNew(fs, temp, self);
  try {
    const mine = await takeNumber(fs, folder, temp, self);
    const dead: string[] = [];
    for (const file of await lockFiles(fs, folder)) {
      if (file === mine) continue;
      const live = await liveHolder(fs, file);
      if (live !== null) {
        await orNull(fs.unlink(mine));
        throw inUse(live, file);
      }
      dead.push(file);
    }
    for (const file of dead) await orNull(fs.unlink(file));
    const own = await orNull(fs.lstat(mine));
    try {
      const other = own && (await otherDevice(fs, root, folder, own.mtimeMs));
      if (other !== null) throw sharedBy(other);
    } catch (error) {
      await orNull(fs.unlink(mine));
      throw error;
    }
    const stands = async (): Promise<boolean> => {
      const now = await orNull(fs.lstat(mine));
      return own !== null && now !== null && identityOf(now) === identityOf(own);
    };
    const beating = setInterval(() => void beat(fs, mine).catch(() => undefined), beatMs);
    beating.unref();
    return {
      tookOverAt: dead.length > 0 ? Math.min(clock.now().getTime(), await timeOf(fs, mine)) : null,
      stands,
      release: async () => {
        clearInterval(beating);
        if (await stands()) await orNull(fs.unlink(mine));
      },
    };
  } finally {
    await orNull(fs.unlink(temp));
  }
}

/** Writes the same once more, so that whoever keeps the files notes the time by its own clock. */
async function beat(fs: FileSystem, file: string): Promise<void> {
  const handle = await fs.open(file, 'r+');
  try {
    await writeAll(handle, await readAll(handle, 1024, file));
  } finally {
    await handle.close();
  }
}

/**
 * A live service of another device on this very folder; null when there is none.
 * @param now the time by the clock of whoever keeps the files: a clock of another machine may be wrong
 */
async function otherDevice(fs: FileSystem, root: string, own: string, now: number): Promise<Other | null> {
  const state = stateFolder(root);
  for (const { name } of await fs.readdir(state)) {
    const folder = path.join(state, name);
    if (!name.startsWith('local.') || folder === own) continue;
    for (const file of (await orSkipped(lockFiles(fs, folder))) ?? []) {
      const holder = await orSkipped(liveHolder(fs, file));
      const stat = await orSkipped(fs.lstat(file));
      if (holder === null || stat === null || holder.file !== String(stat.ino)) continue;
      // Of a process of this machine it is known whether it lives.
      const isLive = holder.host === hostname() || Math.abs(now - stat.mtimeMs) < STALE_MS;
      if (isLive) return { holder, device: name.slice('local.'.length), file };
    }
  }
  return null;
}

/** Null where the folder of another user of this machine may not be looked into: then it cannot be told who serves there. */
async function orSkipped<T>(work: Promise<T>): Promise<T | null> {
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

/** Makes the lock file with the number after all that stand there. @throws VaultInUse when one of those is alive. */
async function takeNumber(fs: FileSystem, folder: string, temp: string, self: Holder): Promise<string> {
  for (;;) {
    let next = 0;
    for (const file of await lockFiles(fs, folder)) {
      const live = await liveHolder(fs, file);
      if (live !== null) throw inUse(live, file);
      next = Math.max(next, Number(LOCK_NAME.exec(path.basename(file))?.[1] ?? 0) + 1);
    }
    const mine = path.join(folder, next === 0 ? 'lock' : `lock.${next}`);
    if (await publish(fs, temp, mine, self)) return mine; // Else someone was first: look at what they made.
  }
}

/** Makes the lock file as a whole; resolves false when it is there already. */
async function publish(fs: FileSystem, temp: string, mine: string, self: Holder): Promise<boolean> {
  try {
    await fs.link(temp, mine);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (!hasNoLinks(error)) throw error;
  }
  try {
    // Someone may see it empty and take it for dead. They look again after making theirs, as we do after making ours.
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

/** When a file was changed; in all eternity when that cannot be told. */
async function timeOf(fs: FileSystem, file: string): Promise<number> {
  const stat = await fs.lstat(file).catch(() => null);
  return stat?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

async function lockFiles(fs: FileSystem, folder: string): Promise<string[]> {
  const names = (await fs.readdir(folder)).map((entry) => entry.name);
  return names.filter((name) => LOCK_NAME.test(name)).map((name) => path.join(folder, name));
}

/** Who holds the lock; null when the file is gone, says nothing, or names a process that has ended. */
async function liveHolder(fs: FileSystem, file: string): Promise<Holder | null> {
  const parsed = holder.safeParse(await readJson(fs, file));
  if (!parsed.success) return null;
  const { pid, host, process: mark, began } = parsed.data;
  // The processes of another machine cannot be seen from here: better to ask a person than to guess.
  if (host === hostname()) {
    if (!isRunning(pid)) return null;
    const now = await processStat(pid);
    if (now?.hasEnded === true || (now !== null && now.mark !== mark)) return null;
    // A window that is loaded anew keeps its process, and the page before had no time to take its lock away.
    if (pid === process.pid && began !== performance.timeOrigin) return null;
  }
  return parsed.data;
}

async function readJson(fs: FileSystem, file: string): Promise<unknown> {
  const handle = await orNull(fs.open(file, 'r'));
  if (handle === null) return null;
  try {
    return JSON.parse((await readAll(handle, 1024, file)).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null; // Cut while it was written, so its process has died.
    throw error;
  } finally {
    await handle.close();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // Sends nothing; only asks.
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

/** What the system says of a process. */
interface ProcessStat {
  /**
   * True when only its number is left, until its parent asks how it ended: it holds no files any more. While one of its threads
   * goes on, it does.
   */
  readonly hasEnded: boolean;
  /** Boot and start time, which no other process shares. */
  readonly mark: string;
}

/** Null where the system does not tell (Linux does). */
async function processStat(pid: number): Promise<ProcessStat | null> {
  const stat = await orNull(readFile(`/proc/${pid}/stat`, 'utf8'));
  const boot = await orNull(readFile('/proc/sys/kernel/random/boot_id', 'utf8'));
  if (stat === null) return null;
  // Fields 3, 20 and 22: state, number of threads, start. The second one, the name of the program, may hold spaces and
  // brackets: count from after it.
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
};

function inUse({ kind, pid, host, started }: Holder, file: string): VaultInUse {
  const { name, way } = kind === undefined ? { name: '', way: 'Stop that one' } : KINDS[kind];
  const who = name === '' ? `process ${pid} on ${host}` : `${name} (process ${pid} on ${host})`;
  return new VaultInUse(
    `The vault is in use by ${who} since ${minute(started)}. ${way} first. If it no longer exists, delete ${file}.`,
  );
}

/** `2026-11-20 10:32 UTC`; what is no such time stays as it stands. */
function minute(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z$/, '$1 $2 UTC');
}
