import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode, orNull, syncFolder, SYNCS_FOLDERS } from './file-system';
import { patiently } from './whole-file';

const LOCK_RETRY_MS = 20;
/** A holder writes one small file; one that has not let go after this long has died. */
const LOCK_STALE_MS = 10_000;

/** The text of a file, or null when there is none. */
export function readIfPresent(file: string): Promise<string | null> {
  return orNull(readFile(file, 'utf8'));
}

/** Makes or replaces a file that only its owner may read, atomically and durably, in a folder of the same kind. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temp = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await open(temp, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await patiently(() => rename(temp, file));
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
  // The new name is on disk only once its folder is.
  if (!SYNCS_FOLDERS) return;
  const handle = await open(folder, 'r');
  try {
    await syncFolder(handle);
  } finally {
    await handle.close();
  }
}

/** Runs `work` while no other process is in here with the same `lock` file. */
export async function underLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await mkdir(path.dirname(lock), { recursive: true, mode: 0o700 });
  const owner = `${process.pid} ${randomBytes(8).toString('hex')}\n`;
  while (!(await take(lock, owner))) {
    if (!breakStale(lock)) await wait(LOCK_RETRY_MS);
  }
  try {
    return await work();
  } finally {
    release(lock, owner);
  }
}

/** Makes the lock; resolves false when someone has it. */
async function take(lock: string, owner: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600);
    try {
      await handle.writeFile(owner);
    } catch (error) {
      rmSync(lock, { force: true }); // Just made, so nobody has taken it for stale.
      throw error;
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Removes the lock of a process that has died; true when the lock may be free now. Two who wait can both find it stale,
 * and the slower one must not remove what the faster one has made since. So nothing of this process comes between the
 * steps, and because another process may, the lock is moved aside first, looked at again, and put back if it is alive.
 */
function breakStale(lock: string): boolean {
  const aside = `${lock}.${randomBytes(6).toString('hex')}`;
  try {
    if (!isStale(lock)) return false;
    renameSync(lock, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  try {
    if (!isStale(aside)) writeFileSync(lock, readFileSync(aside), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // A third one took it in that instant.
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return true;
}

function isStale(lock: string): boolean {
  return Date.now() - statSync(lock).mtimeMs > LOCK_STALE_MS;
}

/** Lets go of a lock, unless it was taken for stale meanwhile and is someone else's now. */
function release(lock: string, owner: string): void {
  try {
    if (readFileSync(lock, 'utf8') === owner) rmSync(lock, { force: true });
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
