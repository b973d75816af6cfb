import { type FileSystem, orGone } from './file-system';
import { type Folders, join } from './folders';

/** The files of one folder: their paths, and where they stand on the disk. */
export type FolderFiles = readonly { readonly path: string; readonly full: string }[];

/**
 * Told of a folder that cannot be read and why (ENAMETOOLONG: also of a file that cannot be reached); returns to pass it over,
 * throws to end the walk.
 */
export type OnUnreadable = (path: string, error: unknown) => void;

/**
 * Every regular file below a folder, folder by folder. Links are not followed. Nothing when the folder is absent.
 * `skip` says by its name which file or folder is passed over. Without `onUnreadable` a folder that cannot be read is an
 * error.
 */
export async function* walk(
  folders: Folders,
  start: string,
  skip: (name: string) => boolean,
  onUnreadable: OnUnreadable = raise,
): AsyncGenerator<FolderFiles> {
  const top = await folders.find(start);
  const waiting = top === null ? [] : [{ path: start, full: top.full }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entries = await entriesOf(folders, at, onUnreadable);
    const names = new Set(entries.map((entry) => entry.name));
    const files: { path: string; full: string }[] = [];
    for (const entry of entries) {
      const name = entry.name.normalize('NFC');
      if (skip(name)) continue;
      const path = join(at.path, name);
      if (name !== entry.name) {
        // Where both spellings stand side by side, the one in NFC is the note: a path can name only one of them.
        if (names.has(name)) continue;
        folders.spell(path, entry.name);
      }
      const found = { path, full: `${at.full}/${entry.name}` };
      if (entry.isDirectory()) waiting.push(found);
      else if (entry.isFile()) files.push(found);
    }
    if (files.length > 0) yield files;
  }
}

async function entriesOf(
  { fs }: Folders,
  at: { path: string; full: string },
  onUnreadable: OnUnreadable,
): ReturnType<FileSystem['readdir']> {
  try {
    return (await orGone(fs.readdir(at.full))) ?? [];
  } catch (error) {
    onUnreadable(at.path, error);
    return [];
  }
}

function raise(_: string, error: unknown): never {
  throw error;
}
