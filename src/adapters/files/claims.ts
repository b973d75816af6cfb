import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { parsedJson } from '../../core/base/json';
import type { Claim, OwnClaims } from '../../core/lease/lease';
import { type FileSystem, hasCode, hasNoLinks, orNull } from './file-system';
import { ignoreErrors, readAll, retryWhileBusy, writeAll } from './whole-file';

/** The age of the lock of an earlier version (ms), which is written again every minute, from which its service has ended. */
const OLD_STALE_MS = 180_000;

/** The lock of the tokens as earlier versions wrote it. */
const OLD_TOKENS = /^\d+ [0-9a-f]{16}\n/;

/** The program that holds a folder: the plugin inside the app, `brain serve`, or `brain store mirror` for the copy that it keeps. */
export type HolderKind = 'obsidian' | 'serve' | 'mirror';

const holder = z.object({
  /** Absent in the locks of versions that answer no question. */
  id: z.string().optional(),
  /** Absent in the locks of earlier versions; undefined for a kind of a later version. */
  kind: z.enum(['obsidian', 'serve', 'mirror']).optional().catch(undefined),
  pid: z.number().int().positive(),
  host: z.string(),
  /** The time at which the lock was taken. */
  started: z.string(),
  /** Tells this process from a later one with the same id; empty where the system does not report it. */
  process: z.string(),
  /** The PID namespace of `pid`, such as that of a container; absent where the system does not report it. */
  namespace: z.string().optional(),
  /** When the program or the window of the app began: tells it from a later window in the same process. */
  began: z.number().optional(),
  /** The inode of the file: a copy that a sync program has made has another one. */
  file: z.string().optional(),
});
type Holder = z.output<typeof holder>;

/** Waits by a clock that never jumps; rejects when it is aborted. An idle pause keeps no process alive. */
export function pause(ms: number, isIdle: boolean, signal?: AbortSignal): Promise<void> {
  return wait(ms, undefined, { ref: !isIdle, ...(signal && { signal }) });
}

/** This process, as its claims tell of it. */
type Self = Omit<Holder, 'id' | 'file'>;

/** Returns what a claim that this process makes now says. */
export async function selfAt(now: Date, kind?: HolderKind): Promise<Self> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => null);
  return {
    ...(kind && { kind }),
    pid: process.pid,
    host: hostname(),
    started: now.toISOString(),
    process: (await processStat(process.pid))?.mark ?? '',
    ...(namespace !== null && { namespace }),
    began: performance.timeOrigin,
  };
}

interface ClaimFolder {
  readonly folder: string;
  /** The name of the first claim; a number is added to the others. */
  readonly name: string;
  readonly self: Self;
  /** The folder of temporary files, where a claim is written before it gets its name. */
  readonly temps: string;
  /** The other device whose folder it is; undefined for the folder of this one. */
  readonly other?: string;
}

/** The ids of the claims that this program made and uses. A plugin that is loaded anew in one page begins with none. */
const used = new Set<string>();

/** Opens a file that must be there. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

/** The claims on a lease in a folder: the files `lock`, `lock.1` and so on. */
export class ClaimFiles implements OwnClaims {
  constructor(
    private readonly fs: FileSystem,
    private readonly place: ClaimFolder,
  ) {}

  /** Returns the claims of another device. */
  ofOther(other: string, folder: string): ClaimFiles {
    return new ClaimFiles(this.fs, { ...this.place, folder, other });
  }

  get other(): string | undefined {
    return this.place.other;
  }

  at(number: number): string {
    const { folder, name } = this.place;
    return path.join(folder, number === 0 ? name : `${name}.${number}`);
  }

  async list(): Promise<number[]> {
    const { folder, name: first, other } = this.place;
    const entries = await this.#orNone(this.fs.readdir(folder));
    if (entries === null && other === undefined) await this.fs.readdir(path.dirname(folder));
    const names = (entries ?? []).map(({ name }) => name);
    const others = names
      .filter((name) => name.startsWith(`${first}.`))
      .map((name) => name.slice(first.length + 1));
    const numbers = others.filter((number) => /^\d{1,9}$/.test(number)).map(Number);
    return names.includes(first) ? [0, ...numbers] : numbers;
  }

  async read(number: number): Promise<string | null> {
    const file = this.at(number);
    // Opening it makes a network drive ask its server what is in it, and by this flag holds nobody up meanwhile.
    const handle = await this.#orNone(retryWhileBusy(() => this.fs.open(file, 'r')));
    if (handle === null) return null;
    try {
      return (await readAll(handle, 1024, file)).toString('utf8');
    } finally {
      await handle.close();
    }
  }

  async append(number: number, mark: string): Promise<void> {
    const handle = await this.#orNone(this.fs.open(this.at(number), APPEND));
    if (handle === null) return;
    try {
      await writeAll(handle, Buffer.from(mark));
    } finally {
      await handle.close();
    }
  }

  async create(number: number): Promise<string | null> {
    const { fs } = this;
    const { name, temps } = this.place;
    const [temp, final] = [path.join(temps, `${name}-${randomUUID()}`), this.at(number)];
    const text = await this.#write(temp);
    try {
      await fs.link(temp, final);
      return text;
    } catch (error) {
      // A network drive may have lost the answer to an earlier try.
      if (hasCode(error, 'EEXIST') && (await this.read(number)) === text) return text;
      used.delete(holderOf(text)?.id ?? '');
      if (hasCode(error, 'EEXIST')) return null;
      if (!hasNoLinks(error)) throw error;
    } finally {
      await orNull(fs.unlink(temp));
    }
    try {
      // Who reads the file while it is empty looks once more after it has made its own.
      return await this.#write(final);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return null;
      throw error;
    }
  }

  async remove(number: number): Promise<void> {
    await this.#orNone(retryWhileBusy(() => this.fs.unlink(this.at(number))));
  }

  async withdraw({ number, text }: Claim): Promise<void> {
    try {
      const isOwn = (await this.read(number))?.startsWith(text) === true;
      if (isOwn) await this.remove(number);
    } finally {
      used.delete(holderOf(text)?.id ?? '');
    }
  }

  async judge({ number, text }: Claim): Promise<'running' | 'ended' | 'unknown'> {
    const made = holderOf(text);
    if (made === null && !OLD_TOKENS.test(text)) return 'ended'; // The write was cut off, so its process has died.
    const stat = await orNull(this.fs.lstat(this.at(number)));
    if (stat === null) return 'ended';
    // A copy that a sync program made of what stands on another machine.
    if (this.other !== undefined && made?.file !== String(stat.ino)) return 'ended';
    const known = made === null ? 'unknown' : await stateOf(made, this.place.self);
    if (known !== 'unknown' || made?.id !== undefined) return known;
    return Math.abs((await this.#now()) - stat.mtimeMs) < OLD_STALE_MS ? 'running' : 'ended';
  }

  /** Resolves null when there is nothing; also where the folder is of another user, whose service cannot be recognized. */
  async #orNone<T>(work: Promise<T>): Promise<T | null> {
    try {
      return await orNull(work);
    } catch (error) {
      if (this.other !== undefined && hasCode(error, 'EACCES', 'EPERM', 'busy')) return null;
      throw error;
    }
  }

  /** Returns the time of the disk, which may be a file server with a clock of its own (ms since the epoch). */
  async #now(): Promise<number> {
    const temp = path.join(this.place.temps, `${this.place.name}-${randomUUID()}`);
    const handle = await this.fs.open(temp, 'wx', 0o600);
    try {
      return (await handle.stat()).mtimeMs;
    } finally {
      await handle.close();
      await orNull(this.fs.unlink(temp));
    }
  }

  /** Makes a file with a new claim of this process. */
  async #write(file: string): Promise<string> {
    const handle = await this.fs.open(file, 'wx', 0o600);
    const id = randomUUID();
    used.add(id);
    try {
      const made: Holder = { ...this.place.self, id, file: String((await handle.stat()).ino) };
      const text = `${JSON.stringify(made)}\n`;
      await writeAll(handle, Buffer.from(text));
      return text;
    } catch (error) {
      used.delete(id);
      await ignoreErrors(this.fs.unlink(file));
      throw error;
    } finally {
      await handle.close();
    }
  }
}

/** Returns who made a claim; null for one that was cut off. */
export function holderOf(text: string): Holder | null {
  return holder.safeParse(parsedJson(text)).data ?? null;
}

/**
 * Tells by the processes of this machine whether a holder runs. That is unknown of the process of another machine or another
 * namespace, of one from before this machine was started, of one that somebody has stopped, and where the system does not tell
 * a process from a later one with the same number.
 */
async function stateOf(made: Holder, self: Self): Promise<'running' | 'ended' | 'unknown'> {
  const { pid, process: mark, began, id = '' } = made;
  // Where the system tells neither start nor namespace of a process, the name of the host has to do.
  const isHere =
    self.process === ''
      ? mark === '' && made.host === self.host
      : bootOf(mark) !== '' && bootOf(mark) === bootOf(self.process) && made.namespace === self.namespace;
  if (!isHere) return 'unknown';
  // A reloaded window keeps its process, and the window before had no time to remove its lock.
  if (pid === self.pid && began !== self.began) return 'ended';
  // A claim that could not be removed answers nothing; that of a plugin which was loaded anew answers while it is used.
  if (pid === self.pid) return used.has(id) ? 'running' : 'unknown';
  if (!isRunning(pid)) return 'ended';
  const stat = await processStat(pid);
  if (stat === null) return 'unknown';
  if (stat.hasEnded || stat.mark !== mark) return 'ended';
  return stat.isStopped ? 'unknown' : 'running';
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
  /** True for a process that somebody has stopped: it goes on when it is told to. */
  readonly isStopped: boolean;
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
  if (ticks === undefined) return null;
  const hasEnded = /^[ZXx]$/.test(state) && threads <= 1;
  return { hasEnded, isStopped: /^[Tt]$/.test(state), mark: `${boot?.trim() ?? ''}/${ticks}` };
}
