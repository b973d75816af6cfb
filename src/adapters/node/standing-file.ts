import { type FileInfo, type FileSystem, orNull } from './file-system';

/** A file as it was found: where, and which. */
export interface StandingFile {
  readonly full: string;
  readonly stat: FileInfo;
}

/** True when this very file still stands there. */
export async function isStill(fs: FileSystem, { full, stat: { dev, ino } }: StandingFile): Promise<boolean> {
  const now = await orNull(fs.lstat(full));
  return now !== null && now.dev === dev && now.ino === ino;
}
