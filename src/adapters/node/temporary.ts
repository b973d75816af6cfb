import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type FileSystem, hasCode, hasNoLinks, type OpenFile, orNull } from './file-system';
import { isStill } from './standing-file';
import { patiently, quietly, writeAll } from './whole-file';

/** What a new file may be used for; the user's umask takes away from it. */
export const NEW_MODE = 0o666;

/** How a new file is written. */
export interface WriteOptions {
  readonly sync: boolean;
  /** Permission bits; what the umask leaves of NEW_MODE when undefined. */
  readonly mode?: number | undefined;
  /** Work to be done while the sync is under way. */
  readonly meanwhile?: readonly (() => void)[];
}

/** Where temporary files are made. */
export interface Temps {
  /** Absolute path of the folder. Closed to other users, so that the files are too whatever their mode. */
  readonly folder: string;
  /** Makes the folder again when another program has taken it away, or rejects where that may not be; else does nothing. */
  readonly restore?: (() => Promise<void>) | undefined;
}

/**
 * Writes a file in the folder of `temps` and lets `publish` put it at `final`; `publish` resolves false when it did not. When
 * that place is on another device than the temporary files, one beside it is used, hidden by its name.
 */
export async function throughTemporary(
  fs: FileSystem,
  temps: Temps,
  final: string,
  bytes: Uint8Array,
  as: WriteOptions,
  publish: (temp: string) => Promise<boolean>,
): Promise<boolean> {
  const mode = as.mode === undefined ? undefined : as.mode & 0o777;
  const attempt = async (temp: string): Promise<boolean> => {
    const handle = await openNew(fs, temp, mode ?? NEW_MODE, temps);
    // From here on the file is ours, to be removed when anything fails.
    try {
      await fill(handle, bytes, { ...as, mode });
      const published = await publish(temp);
      if (!published) await quietly(fs.unlink(temp));
      return published;
    } catch (error) {
      await quietly(fs.unlink(temp));
      throw error;
    }
  };
  try {
    // Not a number that counts: what a crash has left must never be in the way of a later process.
    return await attempt(path.join(temps.folder, randomUUID()));
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    const beside = path.join(path.dirname(final), `.~${path.basename(final)}`);
    await orNull(fs.unlink(beside)); // Left by a crash: the name is the same each time, so there is one at most.
    return attempt(beside);
  }
}

/** Makes a new file. Its folder may have been taken away, as by a sync program: then it is made again first. */
async function openNew(fs: FileSystem, file: string, mode: number, { restore }: Temps): Promise<OpenFile> {
  try {
    return await fs.open(file, 'wx', mode);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    await restore?.();
    return fs.open(file, 'wx', mode);
  }
}

/** Writes the whole of a new file and closes it. */
async function fill(
  handle: OpenFile,
  bytes: Uint8Array,
  { sync, mode, meanwhile }: WriteOptions,
): Promise<void> {
  try {
    await writeAll(handle, bytes);
    const stat = await handle.stat();
    // A full disk must not pass for a written note, whatever the calls before have said.
    if (stat.size !== bytes.length)
      throw new Error(`Only ${stat.size} of ${bytes.length} bytes were written.`);
    if (mode !== undefined && (stat.mode & 0o777) !== mode) await handle.chmod(mode);
    if (sync) await syncFile(handle, meanwhile);
  } finally {
    await handle.close();
  }
}

async function syncFile(handle: OpenFile, meanwhile: readonly (() => void)[] = []): Promise<void> {
  const synced = handle.sync();
  for (const piece of meanwhile) piece();
  await synced;
}

/**
 * Gives the file at `from` the name `to`, unless that is taken: then false. Where the file system has hard links it has the
 * name `from` as well afterwards; where it has none, it has `to` alone, and that not before `noted` has resolved.
 */
export async function takeName(
  fs: FileSystem,
  from: string,
  to: string,
  noted?: Promise<unknown>,
): Promise<boolean> {
  try {
    await fs.link(from, to);
    return true;
  } catch (error) {
    if (hasNoLinks(error)) {
      await noted;
      return renameIntoFree(fs, from, to);
    }
    // A network drive that lost the answer says of a link that it has made that it failed, or that the name is taken.
    if (await isSame(fs, from, to)) return true;
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** True when both names are of one file; false also when that cannot be told. */
async function isSame(fs: FileSystem, one: string, other: string): Promise<boolean> {
  const stat = await orNull(fs.lstat(one)).catch(() => null);
  return stat !== null && (await isStill(fs, { full: other, stat }).catch(() => false));
}

/** Without hard links: an empty file takes the name, which only one can do, and the whole one replaces it at once. */
async function renameIntoFree(fs: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await (await fs.open(to, 'wx', NEW_MODE)).close();
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    await quietly(removeEmpty(fs, to));
    throw error;
  }
  try {
    await patiently(() => fs.rename(from, to));
    return true;
  } catch (error) {
    // It may have been done all the same, and then the only name of the file must not go.
    if ((await orNull(fs.lstat(from))) === null) return true;
    await quietly(removeEmpty(fs, to));
    throw error;
  }
}

async function removeEmpty(fs: FileSystem, file: string): Promise<void> {
  if ((await fs.lstat(file))?.size === 0) await fs.unlink(file);
}
