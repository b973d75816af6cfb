import { readdir } from 'node:fs/promises';
import { hasCode } from '../adapters/node/file-system';

/** True when nothing stands in the folder, or there is none yet; false when that cannot be told. Rejects never. */
export async function isEmptyFolder(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
}
