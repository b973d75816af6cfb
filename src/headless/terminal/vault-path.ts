import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from './io';

/** The fields that name a note or a folder of the vault. */
const FIELDS = ['path', 'replaces', 'under'] as const;
/** The folder that the service keeps in every vault. */
const STATE_FOLDER = '.brain';

/**
 * Returns the fields of a call with paths of the vault where the shell has given paths of this machine, such as `notes/raw/a.md`
 * for `raw/a.md`: for a file or folder that exists in the vault that is served, and no other.
 * @param servedVault returns the folder of that vault; null when it is not known
 * @throws UsageError for a file of a vault that is not the one that is served, as far as that is known
 */
export async function withVaultPaths(
  ask: object,
  servedVault: () => Promise<string | null>,
): Promise<object> {
  const given = new Map<string, unknown>(Object.entries(ask));
  for (const field of FIELDS) {
    const text = given.get(field);
    if (typeof text !== 'string') continue;
    const found = await placeOf(text);
    if (found === null || found.below === text) continue;
    const served = await servedVault();
    if (served === null || (await realpath(served).catch(() => served)) !== found.vault) {
      throw new UsageError(
        `"${text}" is a path of this machine, in the vault ${found.vault}; the server ${served === null ? 'does not say whether it serves that one' : `serves ${served}`}. Give the path inside the vault, such as ${found.below}.`,
      );
    }
    given.set(field, found.below);
  }
  return Object.fromEntries(given);
}

/** Returns the vault of this machine that holds a file or folder, and the path in it; null when there is none. */
async function placeOf(text: string): Promise<{ readonly vault: string; readonly below: string } | null> {
  const full = text === '' ? null : await realpath(text).catch(() => null);
  if (full === null) return null;
  for (let vault = path.dirname(full); ; vault = path.dirname(vault)) {
    const info = await stat(path.join(vault, STATE_FOLDER)).catch(() => null);
    if (info?.isDirectory() === true) {
      return { vault, below: path.relative(vault, full).split(path.sep).join('/').normalize('NFC') };
    }
    if (vault === path.dirname(vault)) return null;
  }
}
