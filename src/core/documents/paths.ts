import { BrainError } from '../base/errors';
import type { Log } from '../base/host';
import {
  fileName,
  fold,
  inputPath,
  isConflictName,
  isIgnoredName,
  OTHER_ROOT_NOTE,
  type VaultPath,
  vaultPath,
  zoneOf,
} from '../vocabulary/paths';
import { isDeviceName, numbered, prefixWithin } from '../vocabulary/address';
import {
  type AppExclusions,
  MEND_SETTINGS,
  ReadScope,
  type ReadScopeOptions,
  scopeSentence,
} from '../vocabulary/read-scope';
import { extensionOf, isHarmlessKind } from './formats';

/** The folder of failed originals, wherever the inbox is. */
export const QUARANTINE = 'inbox/quarantine';
/** Folders that are never watched, neither as the inbox nor inside it, whatever the setting is. */
const NEVER = ['wiki', 'knowledge', 'sessions', 'raw/rejected', 'inbox/processed', 'inbox/quarantine'];
/** Folders directly below the inbox whose files are not ingested. */
const HANDLED = ['processed', 'quarantine', 'rejected'];
/** Names of incomplete downloads. */
const UNFINISHED = /\.(?:tmp|part|crdownload)$/i;
/** Names of conflict copies, in any spelling. Each would become a page. */
const SYNC_CONFLICT = /sync-conflict/i;

/** Returns the folder of the setting `watchDir`; null when it may not be watched. */
export function inboxFolder(watchDir: string): VaultPath | null {
  try {
    const folder = inputPath(watchDir.replace(/\/$/, ''));
    return isNever(folder) || zoneOf(folder) === 'hidden' ? null : folder;
  } catch (error) {
    if (error instanceof BrainError) return null;
    throw error;
  }
}

/** The settings that decide what is read of a vault. */
interface ScopeSettings extends Pick<ReadScopeOptions, 'exclude'> {
  readonly readScope: ReadScopeOptions['scope'];
  readonly rootNote: string;
  readonly watchDir: string;
}

/**
 * Returns what is read of a vault with these settings.
 * @param app what the app's own settings leave out
 */
export function readScopeOf(
  { readScope, exclude, rootNote, watchDir }: ScopeSettings,
  app?: AppExclusions,
): ReadScope {
  const inbox = inboxFolder(watchDir);
  const own = [rootNote, OTHER_ROOT_NOTE, ...(inbox === null ? [] : [inbox])];
  return new ReadScope({ scope: readScope, exclude, own, ...(app && { app }) });
}

/** Logs the files of the app's settings that cannot be read, and what becomes of that. */
export function logUnread(scope: ReadScope, log: Pick<Log, 'warn'>): void {
  if (scope.unread.length === 0) return;
  log.warn('scope.unreadable', { message: `${scopeSentence(scope)} ${MEND_SETTINGS}` });
}

/** Returns the sentence for a setting for which `inboxFolder` is null. */
export function unwatchable(watchDir: string): string {
  return `"${watchDir}" cannot be watched: it is no folder of the vault, or one of the service's own.`;
}

/**
 * Returns true when a file of the inbox `folder` is to be ingested by its path. Handled, incomplete and hidden files and
 * conflict copies are not; neither are notes when the folder is in the review queue.
 */
export function isInboxFile(folder: VaultPath, path: VaultPath): boolean {
  if (!path.startsWith(`${folder}/`) || isNever(path)) return false;
  const below = path.slice(folder.length + 1).split('/');
  if (below.some((name) => isIgnoredName(name) || SYNC_CONFLICT.test(name))) return false;
  if (UNFINISHED.test(fileName(path))) return false;
  if (below.length > 1 && HANDLED.includes(fold(below[0] ?? ''))) return false;
  // A note in the queue waits for a person. Ingesting it would take it out of the queue without one.
  return zoneOf(`${fold(folder)}/x`) !== 'raw' || !/\.md$/i.test(path);
}

function isNever(path: string): boolean {
  const folded = `${fold(path)}/`;
  return NEVER.some((folder) => folded.startsWith(`${folder}/`));
}

/** The folder of handled originals, which are kept for ever. */
export const PROCESSED = 'inbox/processed';

/** Characters that a link to the file or some file system cannot hold. */
export const UNUSABLE = /[[\]|#^\\/:*?"<>\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\ufeff]+/gu;
/** The longest stem (bytes): with a number and extensions it stays below the 255 of file systems. */
const MAX_BYTES = 200;

/**
 * Returns the n-th path to try for a handled original, in the folder of the local day: its own name, then with a number before
 * its extension. A file that a program could run gets `.txt` appended, and so does Markdown: as a note it would be shown, run, and
 * found next to its own pages. Some kinds have to be looked at first (`standingName`).
 */
export function processedPath(date: string, name: string, n: number): VaultPath {
  return vaultPath(`${PROCESSED}/${date}/${processedName(name, n)}`);
}

/** Returns the last segment of `processedPath`. */
export function processedName(name: string, n: number): string {
  const usable = findable(name.normalize('NFC').replace(UNUSABLE, '-')).replace(/(?<![.\s])[.\s]+$/, '');
  const extension = extensionOf(usable);
  const ending = extension === '' ? '' : usable.slice(-extension.length - 1);
  const seen = usable.slice(0, usable.length - ending.length).replace(/^(?:[.\s]|~\$)+/, '');
  const stem = prefixWithin(seen, Infinity, MAX_BYTES).trim();
  // A device name of Windows could not be synced there.
  const safe = isDeviceName(stem + ending) ? `file-${stem}` : stem;
  return numbered(safe || 'file', n) + ending + (isHarmlessKind(usable) ? '' : '.txt');
}

/** Changes the name of a conflict copy, which listings ignore, so that an ingested one is listed. */
function findable(name: string): string {
  const known = name.replace(/\.(?=sync-conflict-)/gi, '-').replace(/(conflicted) (?=copy)/gi, '$1-');
  // The marks of other programs stand in brackets, or behind a "_" or a dot.
  return isConflictName(known) ? known.replace(/[()[\]（）_]|\.(?=conflict)/gi, '-') : known;
}

/** The files of one name on one day that a search for an original considers. */
const MAX_NUMBER = 20;

/** Returns the last segments that an original of this name may have. */
export function processedNames(name: string): string[] {
  return Array.from({ length: MAX_NUMBER }, (_, n) => processedName(name, n + 1));
}
