import type { Brain } from '../brain';
import { sha256 } from '../rules/hash';
import { fileName, type VaultPath } from '../rules/paths';
import { ledgerOf } from './ledger';
import { isOneFile } from './original-file';
import { PROCESSED, processedNames } from './processed-path';
import { MAX_FILE_BYTES } from './source-files';

/**
 * Ends the moves of handled originals that an earlier run was cut off in, where the store left a file under both its paths;
 * resolves with the other files of the inbox.
 */
export async function finishMoves(
  brain: Pick<Brain, 'vault' | 'catalog' | 'writer' | 'log' | 'state' | 'clock' | 'device'>,
  paths: readonly VaultPath[],
): Promise<VaultPath[]> {
  const { catalog, writer, log } = brain;
  const processed = new Map<string, VaultPath[]>();
  for (const path of catalog.pathsBelow(`${PROCESSED}/`)) {
    processed.set(fileName(path), [...(processed.get(fileName(path)) ?? []), path]);
  }
  const others: VaultPath[] = [];
  for (const from of paths) {
    const places = processedNames(fileName(from)).flatMap((name) => processed.get(name) ?? []);
    if (await writer.run(() => isMoved(brain, from, places))) log.info('inbox.settled', { path: from });
    else others.push(from);
  }
  return others;
}

/** What the ledger has not been told of is not moved away: whoever takes the file in next does both. */
async function isMoved(
  brain: Pick<Brain, 'vault' | 'catalog' | 'state' | 'clock' | 'device'>,
  from: VaultPath,
  places: readonly VaultPath[],
): Promise<boolean> {
  for (const to of places) {
    if (!(await isOneFile(brain, from, to))) continue;
    const bytes = await brain.vault.readBytes(from, MAX_FILE_BYTES);
    if (bytes === null || (await ledgerOf(brain).find(sha256(bytes))) === null) return false;
    return brain.vault.move(from, to);
  }
  return false;
}
