import { isIgnoredName } from '../../core/rules/ignored-names';
import { orGone } from './file-system';
import type { Folders } from './folders';

/**
 * Names of the folders directly below a folder, empty ones too, without ignored ones. Links are passed over, as a listing
 * passes over what lies behind them. None when the folder is absent.
 */
export async function subfolders(folders: Folders, folder: string): Promise<string[]> {
  const found = await folders.find(folder);
  const entries = found === null ? null : await orGone(folders.fs.readdir(found.full));
  const names = (entries ?? []).flatMap((entry) => (entry.isDirectory() ? entry.name.normalize('NFC') : []));
  return [...new Set(names)].filter((name) => !isIgnoredName(name));
}
