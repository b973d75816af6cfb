import type { Store } from '../ports/ports';
import type { Knowledge } from './knowledge';
import type { VaultPath } from '../vocabulary/paths';
/** The first of the numbered paths at which nothing stands, in memory and on the disk. */
export async function freePath(
  brain: Pick<Store & Knowledge, 'catalog' | 'vault'>,
  pathOf: (n: number) => VaultPath,
): Promise<VaultPath> {
  for (let n = 1; ; n += 1) {
    const path = pathOf(n);
    if (brain.catalog.taken(path) === null && (await brain.vault.stat(path)) === null) return path;
  }
}
