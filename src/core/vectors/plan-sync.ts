import type { FileEntry } from '../ports';
import type { VaultPath } from '../rules/paths';
import type { EmbeddedText } from './embedded-texts';
import type { Told } from './told';

export interface SyncPlan {
  /** Files without a row, and files that may say something else than when their row was made. */
  readonly read: readonly FileEntry[];
  /** Rows without a file among those that were listed, but for those of other devices that are younger than was said. */
  readonly unlisted: readonly VaultPath[];
  /** How many of the files have a row. */
  readonly covered: number;
}

/**
 * What there is to do so that the vectors follow the files.
 * @param known the rows with the time at which their file was read
 * @param remembered what this device embedded, which also tells of a file that was put back with its old time
 * @param told files of which an event has said that they changed, whatever their times say
 * @param young rows of other devices that were made after this time stay without a file; in milliseconds
 */
export function planSync(
  files: readonly FileEntry[],
  known: ReadonlyMap<VaultPath, Date>,
  remembered: ReadonlyMap<VaultPath, EmbeddedText>,
  told: Pick<Told, 'has'>,
  young: number,
): SyncPlan {
  const there = new Set(files.map(({ path }) => path));
  return {
    read: files.filter((file) => {
      const at = known.get(file.path)?.getTime();
      if (at === undefined || file.mtime > at || told.has(file.path)) return true;
      const text = remembered.get(file.path);
      // A row that another device has made since says nothing of what this one saw.
      return text?.at === at && (text.mtime !== file.mtime || text.size !== file.size);
    }),
    unlisted: [...known].flatMap(([path, at]) => {
      const isOwn = remembered.get(path)?.at === at.getTime();
      return there.has(path) || (!isOwn && at.getTime() > young) ? [] : [path];
    }),
    covered: files.filter(({ path }) => known.has(path)).length,
  };
}
