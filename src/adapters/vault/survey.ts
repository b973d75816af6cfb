import { access, constants } from 'node:fs/promises';
import { BrainError } from '../../core/base/errors';
import { compareText } from '../../core/base/text';
import { isConflictName, isIgnoredName } from '../../core/vocabulary/paths';
import { codeOf, type FileSystem, hasCode, nodeFileSystem, orGone } from '../files/file-system';
import { Folders, walk } from '../files/folders';

/** A folder of a vault by its path there, and where it stands: absolute, without links, as the disk spells it. */
export interface SurveyedFolder {
  readonly path: string;
  /** Null when the rights on the way to it keep it from being known. */
  readonly full: string | null;
}

/** What stands in the folders of a vault that its listings pass over, or that this user may not do; all is sorted by path. */
export interface Survey {
  /** Folders whose files this user may not read. What lies below them is not known. */
  readonly closed: readonly SurveyedFolder[];
  /** Folders in which this user may not make, replace or remove files. */
  readonly locked: readonly SurveyedFolder[];
  /** True when one of these lies on a disk that takes no changes from anybody. */
  readonly isReadOnly: boolean;
  /** Where a folder belongs and no folder of the vault is: a file, or a link that leads outside, nowhere or into a hidden one. */
  readonly misplaced: readonly string[];
  /** Folders that could not be looked into for a reason other than rights, and the system's word for it (`EIO`). */
  readonly failed: readonly { readonly path: string; readonly code: string }[];
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
 * told of. Never rejects: what cannot be looked at is told of with the reason.
 */
export async function survey(
  root: string,
  tops: readonly string[],
  { fs = nodeFileSystem, access: mayI = access }: SurveyOptions = {},
): Promise<Survey> {
  const folders = new Folders(fs, await fs.realpath(root).catch(() => root));
  const found = { closed: new Set<string>(), locked: new Set<string>() };
  const misplaced: string[] = [];
  const failed = new Map<string, string>();
  const copies: string[] = [];
  const tooLong = new Set<string>();
  const passedOver = { 'not-utf8': new Array<string>(), twin: new Array<string>() };
  const seen = new Map<string, string>();
  const skip = (name: string, path: string): boolean => {
    if (isConflictName(name)) copies.push(path);
    return isIgnoredName(name);
  };
  const onUnreadable = (path: string, error: unknown): void => {
    if (hasCode(error, 'ENAMETOOLONG')) tooLong.add(path);
    else if (hasCode(error, 'EACCES', 'EPERM')) found.closed.add(path);
    else failed.set(path, codeOf(error) ?? 'unknown');
  };
  const listener = {
    onFolder: (path: string, full: string) => void seen.set(path, full),
    onPassedOver: (path: string, why: keyof typeof passedOver) => void passedOver[why].push(path),
    onUnreadable,
  };
  for (const top of tops) {
    try {
      const files = walk(folders, top, skip, listener);
      while ((await files.next()).done !== true);
    } catch (error) {
      // A link is not told of with the folders that lack rights: whoever changes those of a link changes what it leads to.
      if (error instanceof BrainError) misplaced.push(top);
      else onUnreadable(top, error);
    }
  }
  let isReadOnly = false;
  const ask = async (kind: keyof typeof found, [path, full]: readonly [string, string]): Promise<void> => {
    try {
      // It may have gone or become something else since it was seen.
      await orGone(mayI(full, kind === 'closed' ? READING : WRITING));
    } catch (error) {
      if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return onUnreadable(path, error);
      found[kind].add(path);
      isReadOnly ||= hasCode(error, 'EROFS');
    }
  };
  const all = [...seen];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    await Promise.all(some.flatMap((folder) => [ask('closed', folder), ask('locked', folder)]));
  }
  const placed = (paths: ReadonlySet<string>): SurveyedFolder[] =>
    [...paths].sort(compareText).map((path) => ({ path, full: seen.get(path) ?? null }));
  return {
    closed: placed(found.closed),
    locked: placed(found.locked),
    isReadOnly,
    misplaced: misplaced.sort(compareText),
    failed: [...failed].map(([path, code]) => ({ path, code })).sort((a, b) => compareText(a.path, b.path)),
    copies: copies.sort(compareText),
    unnamed: passedOver['not-utf8'].sort(compareText),
    twins: passedOver.twin.sort(compareText),
    tooLong: [...tooLong].sort(compareText),
  };
}
