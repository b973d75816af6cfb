import type { Brain } from '../brain';
import { fileName, type VaultPath } from '../rules/paths';
import { PROCESSED, processedNames } from './processed-path';

/**
 * Ends the moves of handled originals that an earlier run was cut off in, where the store left a file under both its paths;
 * resolves with the other files of the inbox. A store that is asked to move a file to where another one stands touches
 * nothing, so that it may be asked for every file of a like name.
 */
export async function finishMoves(
  { vault, catalog, writer, log }: Pick<Brain, 'vault' | 'catalog' | 'writer' | 'log'>,
  paths: readonly VaultPath[],
): Promise<VaultPath[]> {
  const processed = new Map<string, VaultPath[]>();
  for (const path of catalog.pathsBelow(`${PROCESSED}/`)) {
    processed.set(fileName(path), [...(processed.get(fileName(path)) ?? []), path]);
  }
  const others: VaultPath[] = [];
  for (const from of paths) {
    const places = processedNames(fileName(from)).flatMap((name) => processed.get(name) ?? []);
    if (await writer.run(() => isMoved(vault, from, places))) log.info('inbox.settled', { path: from });
    else others.push(from);
  }
  return others;
}

async function isMoved(
  vault: Brain['vault'],
  from: VaultPath,
  places: readonly VaultPath[],
): Promise<boolean> {
  for (const to of places) if (await vault.move(from, to)) return true;
  return false;
}
