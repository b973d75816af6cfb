import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BrainError } from '../../core/base/errors';
import { takeLease } from '../../core/lease/lease';
import { ClaimFiles, pause, selfAt } from './claims';
import { nodeFileSystem } from './file-system';
import { ignoreErrors } from './whole-file';

const RETRY_MS = 20;

/**
 * Runs `work` while no other process runs work with the same `lock` file. The work calls `check` right before it changes something:
 * that rejects with `busy` when another process took the lock over, as this one stood still.
 */
export async function underLock<T>(
  lock: string,
  work: (check: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const [folder, name] = [path.dirname(lock), path.basename(lock)];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = new ClaimFiles(nodeFileSystem, {
    folder,
    name,
    temps: folder,
    self: await selfAt(new Date()),
  });
  for (;;) {
    const taken = await takeLease(files, { sleep: pause });
    if ('holder' in taken) {
      await wait(RETRY_MS);
      continue;
    }
    const { lease } = taken;
    try {
      return await work(async () => {
        if (await lease.holds()) return;
        throw new BrainError(
          'busy',
          `Another process took ${lock} over while this one stood still, and nothing was changed. Repeat it.`,
        );
      });
    } finally {
      // The work is done. A claim that stays is judged by the next one.
      await ignoreErrors(lease.release());
    }
  }
}
