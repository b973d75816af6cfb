import { access, constants } from 'node:fs/promises';
import { BrainError } from '../../core/base/errors';
import { compareText } from '../../core/base/text';
import { isConflictName, isIgnoredName, LAYOUT } from '../../core/vocabulary/paths';
import { codeOf, type FileSystem, hasCode, nodeFileSystem, orGone } from '../files/file-system';
import { Folders, walk } from '../files/folders';

/** A folder of a vault: its path there, and its real absolute path as the disk spells it. */
export interface SurveyedFolder {
  readonly path: string;
  /** Null when missing rights keep it from being found. */
  readonly full: string | null;
}

/** The files and folders of a vault that its listings leave out or that this user may not use; all sorted by path. */
export interface Survey {
  /** The folders whose files this user may not read. What is below them is unknown. */
  readonly closed: readonly SurveyedFolder[];
  /** The folders in which this user may not make, replace or remove files. */
  readonly locked: readonly SurveyedFolder[];
  /** True when one of these is on a read-only file system. */
  readonly isReadOnly: boolean;
  /**
   * Paths where a folder of the vault belongs and there is none: a file, or a link that leads outside, nowhere or into a
   * hidden folder.
   */
  readonly misplaced: readonly string[];
  /** The folders that could not be read for a reason other than rights, with the system's code (`EIO`). */
  readonly failed: readonly { readonly path: string; readonly code: string }[];
  /** The copies that sync programs have left beside a note. */
  readonly copies: readonly string[];
  /** The paths with a name that is not UTF-8; U+FFFD replaces its invalid bytes. */
  readonly unnamed: readonly string[];
  /** The paths that exist in a second Unicode spelling as well. */
  readonly twins: readonly string[];
  /** The paths that are too long for the system in the vault's present location. */
  readonly tooLong: readonly string[];
}

export interface SurveyOptions {
  readonly fs?: FileSystem;
  /** Rejects when this user lacks the right; `mode` is that of the system call. */
  readonly access?: (full: string, mode: number) => Promise<void>;
}

const READING = constants.R_OK | constants.X_OK;
const WRITING = constants.W_OK;
/** The number of folders whose rights are checked at the same time. */
const AT_ONCE = 64;

/**
 * Surveys the service's folders of the vault in the folder `root` without reading a file. A missing folder is not reported.
 * Never rejects: what cannot be surveyed is reported with its reason.
 */
export async function survey(
  root: string,
  { fs = nodeFileSystem, access: checkAccess = access }: SurveyOptions = {},
): Promise<Survey> {
  const folders = new Folders(fs, await fs.realpath(root).catch(() => root));
  const found = { closed: new Set<string>(), locked: new Set<string>() };
  const misplaced: string[] = [];
  const failed = new Map<string, string>();
  const copies: string[] = [];
  const tooLong = new Set<string>();
  const leftOut = { 'not-utf8': new Array<string>(), twin: new Array<string>() };
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
    onPassedOver: (path: string, why: keyof typeof leftOut) => void leftOut[why].push(path),
    onUnreadable,
  };
  for (const top of LAYOUT) {
    try {
      const files = walk(folders, top, skip, listener);
      while ((await files.next()).done !== true);
    } catch (error) {
      // A link is not reported with the folders that lack rights: changing the rights of a link changes those of its
      // target.
      if (error instanceof BrainError) misplaced.push(top);
      else onUnreadable(top, error);
    }
  }
  let isReadOnly = false;
  const check = async (kind: keyof typeof found, [path, full]: readonly [string, string]): Promise<void> => {
    try {
      // The folder may be gone or replaced since it was seen.
      await orGone(checkAccess(full, kind === 'closed' ? READING : WRITING));
    } catch (error) {
      if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return onUnreadable(path, error);
      found[kind].add(path);
      isReadOnly ||= hasCode(error, 'EROFS');
    }
  };
  const all = [...seen];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const batch = all.slice(at, at + AT_ONCE);
    await Promise.all(batch.flatMap((folder) => [check('closed', folder), check('locked', folder)]));
  }
  const located = (paths: ReadonlySet<string>): SurveyedFolder[] =>
    [...paths].sort(compareText).map((path) => ({ path, full: seen.get(path) ?? null }));
  return {
    closed: located(found.closed),
    locked: located(found.locked),
    isReadOnly,
    misplaced: misplaced.sort(compareText),
    failed: [...failed].map(([path, code]) => ({ path, code })).sort((a, b) => compareText(a.path, b.path)),
    copies: copies.sort(compareText),
    unnamed: leftOut['not-utf8'].sort(compareText),
    twins: leftOut.twin.sort(compareText),
    tooLong: [...tooLong].sort(compareText),
  };
}
