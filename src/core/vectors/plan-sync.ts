import type { FileEntry } from '../ports';
import type { VaultPath } from '../rules/paths';
import type { EmbeddedText } from './embedded-texts';

export interface SyncPlan {
  /** Files without a row, and files that may say something else than when their row was made. */
  readonly read: readonly FileEntry[];
  /** Rows without a file. */
  readonly remove: readonly VaultPath[];
}

/**
 * What there is to do so that the vectors follow the files.
 * @param known the rows with the time at which their file was read
 * @param remembered what this device embedded, which also tells of a file that was put back with its old time
 */
export function planSync(
  files: readonly FileEntry[],
  known: ReadonlyMap<VaultPath, Date>,
  remembered: ReadonlyMap<VaultPath, EmbeddedText>,
): SyncPlan {
  const there = new Set(files.map(({ path }) => path));
  return {
    read: files.filter((file) => {
      const at = known.get(file.path)?.getTime();
      if (at === undefined || file.mtime > at) return true;
      const text = remembered.get(file.path);
      // A row that another device has made since says nothing of what this one saw.
      return text?.at === at && (text.mtime !== file.mtime || text.size !== file.size);
    }),
    remove: [...known.keys()].filter((path) => !there.has(path)),
  };
}
