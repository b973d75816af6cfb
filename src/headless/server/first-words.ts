import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { stateFolder } from '../../adapters/files/state-folder';
import { becomesOf, countOfFiles, NAMED_FOLDERS } from '../../core/vocabulary/first-start';

/**
 * Returns what the first start of the service in a folder says of it: that the vault is new, or which of the service's folders have
 * files already, and what becomes of each. Empty where the service has been before. Never rejects: what cannot be read is not named.
 */
export async function firstWords(root: string, isNew: boolean): Promise<string[]> {
  if (isNew) return ['This is a new vault: the folder was empty.'];
  if (await wasServed(root)) return [];
  const words: string[] = [];
  for (const folder of NAMED_FOLDERS) {
    const names = (await namesIn(path.join(root, folder), true)) ?? [];
    const files = names.filter((name) => name !== '');
    if (files.length > 0) words.push(`  ${folder}/ has ${countOfFiles(files.length)}: ${becomesOf(folder)}.`);
  }
  return words.length === 0 ? [] : ['Folders that the service uses have files of yours already:', ...words];
}

/** Returns true for a folder in which the service has been before. */
export async function wasServed(root: string): Promise<boolean> {
  return (await namesIn(stateFolder(root))) !== null;
}

/** Returns the names of the files in a folder, those of folders as ''; null when it cannot be read. Hidden ones are left out. */
async function namesIn(folder: string, recursive = false): Promise<string[] | null> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive });
    return entries.map((entry) => {
      const at = path.join(path.relative(folder, entry.parentPath), entry.name);
      return entry.isFile() && !/(?:^|[\\/])\./.test(at) ? at : '';
    });
  } catch {
    return null;
  }
}
