import type { Brain } from '../brain';
import { sha256 } from '../rules/hash';
import { fileName, type VaultPath } from '../rules/paths';
import { ledgerOf } from './ledger';
import { hasBytesOf, isOneFile } from './original-file';
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

/**
 * Ends a move of which both names are left. One that the ledger has not been told of is begun anew: the new name goes, and
 * whoever takes the file in next does both.
 */
async function isMoved(
  brain: Pick<Brain, 'vault' | 'catalog' | 'state' | 'clock' | 'device'>,
  from: VaultPath,
  places: readonly VaultPath[],
): Promise<boolean> {
  for (const to of places) {
    if (!(await isOneFile(brain, from, to))) continue;
    if (((await brain.vault.stat(from))?.size ?? Infinity) > MAX_FILE_BYTES) return false;
    const bytes = await brain.vault.readBytes(from, MAX_FILE_BYTES);
    if (bytes === null) return false;
    const hash = sha256(bytes);
    if ((await ledgerOf(brain).find(hash)) !== null) return brain.vault.move(from, to);
    if (!(await hasBytesOf(brain, to, hash))) return false;
    await brain.vault.remove(to);
    brain.catalog.drop(to);
    return false;
  }
  return false;
}
