import { type FileStats, TFile, TFolder } from 'obsidian';
import { isIgnoredName } from '../../core/rules/ignored-names';
import type { FileEntry, FileStat } from '../../core/ports';
import { vaultPath } from '../../core/rules/paths';

/** Every file below a folder of the app's tree, without hidden, temporary and conflict files. */
export function* filesBelow(folder: TFolder): Generator<TFile> {
  for (const child of [...folder.children]) {
    if (isIgnoredName(child.name)) continue;
    if (child instanceof TFile) yield child;
    else if (child instanceof TFolder) yield* filesBelow(child);
  }
}

/** The same as the core's listings show them. */
export function* entriesBelow(folder: TFolder): Generator<FileEntry> {
  for (const { path, stat } of filesBelow(folder)) yield { path: vaultPath(path), ...toStat(stat) };
}

/** What the app tells of a file. Its `ctime` is when the file was made, or 0 where the system does not say. */
export function toStat({ mtime, ctime, size }: FileStats): FileStat {
  return { mtime, size, ...(ctime > 0 && { born: ctime }) };
}
