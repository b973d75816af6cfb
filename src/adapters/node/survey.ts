import { access, constants } from 'node:fs/promises';
import { isConflictName, isIgnoredName } from '../../core/rules/ignored-names';
import { compareText } from '../../core/rules/text';
import { type FileSystem, hasCode, nodeFileSystem } from './file-system';
import { Folders } from './folders';
import { walk } from './walk';

/** What stands in the folders of a vault that its listings pass over, or that this user may not do; all paths are sorted. */
export interface Survey {
  /** Folders whose files this user may not read. What lies below them is not known. */
  readonly closed: readonly string[];
  /** Folders in which this user may not make, replace or remove files. */
  readonly locked: readonly string[];
  /** True when one of these lies on a disk that takes no changes from anybody. */
  readonly isReadOnly: boolean;
  /** Copies that sync programs have left beside a note. */
  readonly copies: readonly string[];
  /** What has a name that is no UTF-8, which stands here with U+FFFD for what cannot be read of it. */
  readonly unnamed: readonly string[];
  /** What has a second spelling of the same name, in another Unicode form, beside it. */
  readonly twins: readonly string[];
  /** What has a longer path than the system takes, where the vault is now. */
  readonly tooLong: readonly string[];
}

export interface SurveyOptions {
  readonly fs?: FileSystem;
  /** Rejects when this user may not do that with a file or folder; `mode` as the system's call has it. */
  readonly access?: (full: string, mode: number) => Promise<void>;
}

const READING = constants.R_OK | constants.X_OK;
const WRITING = constants.W_OK;
/** Folders whose rights are asked for at the same time. */
const AT_ONCE = 64;

/**
 * Looks through the folders `tops` of the vault in the folder `root`, reading no file. One that is absent has nothing to be
 * told of. Never rejects: what cannot be looked at is told of as closed.
 */
export async function survey(
  root: string,
  tops: readonly string[],
  { fs = nodeFileSystem, access: mayI = access }: SurveyOptions = {},
): Promise<Survey> {
  const folders = new Folders(fs, await fs.realpath(root).catch(() => root));
  const found = { closed: new Set<string>(), locked: new Set<string>() };
  const copies: string[] = [];
  const tooLong: string[] = [];
  const passedOver = { 'not-utf8': new Array<string>(), twin: new Array<string>() };
  const seen: { path: string; full: string }[] = [];
  const skip = (name: string, path: string): boolean => {
    if (isConflictName(name)) copies.push(path);
    return isIgnoredName(name);
  };
  const listener = {
    onFolder: (path: string, full: string) => void seen.push({ path, full }),
    onPassedOver: (path: string, why: keyof typeof passedOver) => void passedOver[why].push(path),
    onUnreadable: (path: string, error: unknown) =>
      void (hasCode(error, 'ENAMETOOLONG') ? tooLong.push(path) : found.closed.add(path)),
  };
  for (const top of tops) {
    try {
      const files = walk(folders, top, skip, listener);
      while ((await files.next()).done !== true);
    } catch {
      // It is no folder, or a link that leads outside the vault.
      found.closed.add(top);
      found.locked.add(top);
    }
  }
  let isReadOnly = false;
  const ask = async (kind: keyof typeof found, { path, full }: (typeof seen)[number]): Promise<void> => {
    try {
      await mayI(full, kind === 'closed' ? READING : WRITING);
    } catch (error) {
      if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return; // It has gone, or stands with the others.
      found[kind].add(path);
      isReadOnly ||= hasCode(error, 'EROFS');
    }
  };
  for (let at = 0; at < seen.length; at += AT_ONCE) {
    const some = seen.slice(at, at + AT_ONCE);
    await Promise.all(some.flatMap((folder) => [ask('closed', folder), ask('locked', folder)]));
  }
  return {
    closed: [...found.closed].sort(compareText),
    locked: [...found.locked].sort(compareText),
    isReadOnly,
    copies: copies.sort(compareText),
    unnamed: passedOver['not-utf8'].sort(compareText),
    twins: passedOver.twin.sort(compareText),
    tooLong: tooLong.sort(compareText),
  };
}
