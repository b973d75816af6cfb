import type { Vault } from 'obsidian';
import type { VaultPath } from '../../core/rules/paths';
import type { Folders } from './folders';

/**
 * Gives a file another path, durably, by the app's own rename, which leaves links alone; resolves false, with nothing made,
 * when there is no such file. The caller has seen that the path is free.
 */
export async function moveFile(
  vault: Pick<Vault, 'getFileByPath' | 'rename' | 'adapter'>,
  folders: Folders,
  from: VaultPath,
  to: VaultPath,
): Promise<boolean> {
  const file = vault.getFileByPath(from);
  if (file === null) return false;
  const made = await folders.make(to);
  try {
    await vault.rename(file, to);
  } catch (error) {
    await folders.giveBack(made);
    if (!(await vault.adapter.exists(from))) return false; // Gone, and the app has not heard of it yet.
    throw error;
  }
  await folders.sync(to);
  await folders.sync(from);
  return true;
}

/** The bytes as the app takes them: alone, for they may be a part of a larger memory. */
export function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? bytes.buffer : bytes.slice().buffer;
}
