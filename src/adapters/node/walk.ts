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
 * Why a file or folder is passed over that is not skipped: `not-utf8`, its name is no text, so that no call reaches it; `twin`,
 * another name stands beside it that is the same in NFC.
 */
export type PassedOver = 'not-utf8' | 'twin';

/** Who is told of what on the way. */
export interface WalkListener {
  /** Without it a folder that cannot be read is an error. */
  readonly onUnreadable?: OnUnreadable;
  /** Told of each folder before it is read, the first one included. */
  readonly onFolder?: (path: string, full: string) => void;
  /** Told of what is passed over, at the path that it would have. */
  readonly onPassedOver?: (path: string, why: PassedOver) => void;
}

/**
 * Every regular file below a folder, folder by folder. Links are not followed. Nothing when the folder is absent.
 * `skip` says by its name, and where it stands, which file or folder is passed over.
 */
export async function* walk(
  folders: Folders,
  start: string,
  skip: (name: string, path: string) => boolean,
  { onUnreadable = raise, onFolder, onPassedOver }: WalkListener = {},
): AsyncGenerator<FolderFiles> {
  const top = await folders.find(start);
  const waiting = top === null ? [] : [{ path: start, full: top.full }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    onFolder?.(at.path, at.full);
    const entries = await entriesOf(folders, at, onUnreadable);
    const names = new Set(entries.map((entry) => entry.name));
    const files: { path: string; full: string }[] = [];
    for (const entry of entries) {
      const name = entry.name.normalize('NFC');
      const path = join(at.path, name);
      if (skip(name, path)) continue;
      if (name !== entry.name) {
        // Where both spellings stand side by side, the one in NFC is the note: a path can name only one of them.
        if (names.has(name)) {
          onPassedOver?.(path, 'twin');
          continue;
        }
        names.add(name);
        folders.spell(path, entry.name);
      }
      const found = { path, full: `${at.full}/${entry.name}` };
      if (onPassedOver !== undefined && (await isOutOfReach(folders, entry.name, found.full))) {
        onPassedOver(path, 'not-utf8');
        continue;
      }
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

/** True when a name that was listed leads to nothing: Node puts U+FFFD in the place of bytes that are no UTF-8. */
async function isOutOfReach({ fs }: Folders, name: string, full: string): Promise<boolean> {
  if (!name.includes('\uFFFD')) return false;
  try {
    return (await orGone(fs.lstat(full))) === null;
  } catch {
    return false; // It stands there, whatever else is wrong with it.
  }
}

function raise(_: string, error: unknown): never {
  throw error;
}
