import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { LAYOUT } from '../core/rules/paths';
import { CommandError } from './io';
import { folderProblem } from './unreadable';

/**
 * Makes the folder of a vault with the folders of its layout where they are missing; files that stand there are left alone.
 * Resolves with the names of those that it has made.
 * @throws CommandError when the path cannot be a folder.
 */
export async function makeLayout(root: string): Promise<string[]> {
  const made: string[] = [];
  try {
    for (const folder of LAYOUT) {
      if ((await mkdir(path.join(root, folder), { recursive: true })) !== undefined) made.push(folder);
    }
    return made;
  } catch (error) {
    if (folderProblem(error) === 'taken') {
      throw new CommandError(`${root} cannot be a vault: a file stands where a folder is needed.`);
    }
    if (folderProblem(error) === 'forbidden') {
      throw new CommandError(`${root} cannot be written. Choose another folder, or change its rights.`);
    }
    throw error;
  }
}
