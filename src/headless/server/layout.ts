import { mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../adapters/files/file-system';
import { foldedTwins, LAYOUT } from '../../core/vocabulary/paths';
import { CommandError, folderProblem } from '../terminal/io';

/** What `makeLayout` asks of the disk, as `node:fs/promises` has it. */
export interface LayoutFiles {
  /** Resolves with the first folder that was made, and with undefined when there was one already. */
  mkdir(path: string, options: { recursive: true }): Promise<string | undefined>;
  readdir(path: string): Promise<string[]>;
  /** Rejects with ENOENT when nothing has the path. */
  stat(path: string): Promise<unknown>;
}

/**
 * Makes the folder of a vault with the missing folders of its layout; existing files stay. Resolves with the names of the
 * new ones.
 * @throws CommandError when the path cannot be a folder, and when the disk folds case and has a folder of the layout in another
 * spelling. Nothing is made then.
 */
export async function makeLayout(
  root: string,
  files: LayoutFiles = { mkdir, readdir, stat },
): Promise<string[]> {
  const made: string[] = [];
  try {
    await refuseTwins(root, files);
    for (const folder of LAYOUT) {
      if ((await files.mkdir(path.join(root, folder), { recursive: true })) !== undefined) made.push(folder);
    }
    return made;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (folderProblem(error) === 'taken') {
      throw new CommandError(`${root} cannot be a vault: a file stands where a folder is needed.`);
    }
    if (folderProblem(error) === 'forbidden') {
      throw new CommandError(`${root} cannot be written. Choose another folder, or change its rights.`);
    }
    throw error;
  }
}

/**
 * Refuses a folder of the owner that the disk takes for one of the service's, such as `Inbox`: its notes would be the owner's in
 * a listing, and the service's by their path.
 */
async function refuseTwins(root: string, files: LayoutFiles): Promise<void> {
  for (const { name, of } of foldedTwins(await orNone(files.readdir(root), []))) {
    // A disk that tells the two apart has nothing by the name of the service's folder.
    if ((await orNone(files.stat(path.join(root, of)), null)) === null) continue;
    const setting =
      of === 'inbox'
        ? ' BRAIN_WATCH_DIR does not replace it, because handled originals are kept in inbox/processed.'
        : '';
    throw new CommandError(
      `This disk takes the folder ${name} in ${root} for ${of}, a folder of the service, and nothing was made. If it holds notes of yours, rename it in your app, to "My ${name}" for example: the links follow, and its notes stay yours. If the service may use it, rename it to ${of}.${setting}`,
    );
  }
}

/** Resolves with `none` when there is no such file or folder. */
async function orNone<T, N>(asked: Promise<T>, none: N): Promise<T | N> {
  try {
    return await asked;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return none;
    throw error;
  }
}
