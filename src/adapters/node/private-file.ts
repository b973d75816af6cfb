import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode, orNull } from './file-system';
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
  // The new name is on disk only once its folder is; Windows neither needs this nor allows it.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Runs `work` while no other process is in here with the same `lock` file. */
export async function underLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await mkdir(path.dirname(lock), { recursive: true, mode: 0o700 });
  for (;;) {
    try {
      await (await open(lock, 'wx', 0o600)).close();
      break;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      const held = await orNull(stat(lock));
      if (held !== null && Date.now() - held.mtimeMs > LOCK_STALE_MS) await rm(lock, { force: true });
      else await wait(LOCK_RETRY_MS);
    }
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}
