import path from 'node:path';
import { prepareState } from '../../src/adapters/files/state-folder';
import { type NodeVault, openNodeVault } from '../../src/adapters/vault/vault';
import { layOut } from './disk-image';
import { faultyFileSystem, type FaultyFileSystem } from './faulty-file-system';
import { withTempFolder } from './temp-folder';

export type { NodeVault };

const device = 'test';

/** Opens the vault of a folder on a disk, whose state is prepared first. */
export async function openVault(
  root: string,
  options: Partial<Parameters<typeof openNodeVault>[1]> = {},
): Promise<NodeVault> {
  const given = { device, ...options };
  await prepareState(root, given);
  return openNodeVault(root, given);
}

/** A vault on the real disk with everything around it. */
export interface Subject {
  readonly vault: NodeVault;
  readonly fs: FaultyFileSystem;
  /** The vault's folder; beside it lies `outside/` with `secret.md`. */
  readonly root: string;
  readonly outside: string;
}

/** Runs `work` with a vault that holds `files` (names with a trailing slash are folders). */
export function withVault(
  files: Record<string, string>,
  work: (subject: Subject) => Promise<void>,
): Promise<void> {
  return withTempFolder(async (top) => {
    const [root, outside] = [path.join(top, 'vault'), path.join(top, 'outside')];
    await layOut(top, { 'vault/': '', 'outside/facts/': '', 'outside/secret.md': 'secret' });
    await layOut(root, files);
    const fs = faultyFileSystem();
    const vault = await openVault(root, { fs });
    try {
      await work({ vault, fs, root, outside });
    } finally {
      fs.arm();
      await vault.close();
    }
  });
}

/** The paths that the vault lists below a folder, sorted. */
export async function listed(vault: NodeVault, folder = ''): Promise<string[]> {
  const paths = [];
  for await (const entry of vault.list(folder)) paths.push(entry.path);
  return paths.sort();
}
