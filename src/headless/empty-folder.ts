import { readdir } from 'node:fs/promises';
import { hasCode } from '../adapters/node/file-system';

/** What systems put into a folder of themselves: looking at it is enough. */
const OF_SYSTEMS = new Set(['.DS_Store', '.localized', 'Thumbs.db', 'desktop.ini', 'lost+found']);

/**
 * True when nobody has put anything into the folder, or there is none yet; false when that cannot be told. Rejects never.
 */
export async function isEmptyFolder(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).every((name) => OF_SYSTEMS.has(name));
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
}
