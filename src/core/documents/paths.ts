import { BrainError } from '../base/errors';
import {
  fileName,
  fold,
  inputPath,
  isIgnoredName,
  type VaultPath,
  vaultPath,
  zoneOf,
} from '../vocabulary/paths';
import { isDeviceName, numbered, prefixWithin } from '../vocabulary/slug';
import { extensionOf } from './formats';

/** Handled originals and failed ones, wherever the inbox is. */
export const QUARANTINE = 'inbox/quarantine';
/** Folders that are never watched, as the top of the inbox or anywhere in it, whatever the setting says. */
const NEVER = ['wiki', 'knowledge', 'sessions', 'raw/rejected', 'inbox/processed', 'inbox/quarantine'];
/** Folders directly below the inbox that are none of it. */
const HANDLED = ['processed', 'quarantine', 'rejected'];
/** What browsers and other programs write to while a file is still coming. */
const UNFINISHED = /\.(?:tmp|part|crdownload)$/i;
/** What a sync program has left, however it spells the rest: taken in, it would make a page of every conflict. */
const SYNC_CONFLICT = /sync-conflict/i;

/** The folder that is watched, by the setting `watchDir`; null when nobody may watch that one. */
export function inboxFolder(watchDir: string): VaultPath | null {
  try {
    const folder = inputPath(watchDir.replace(/\/$/, ''));
    return isNever(folder) || zoneOf(folder) === 'hidden' ? null : folder;
  } catch (error) {
    if (error instanceof BrainError) return null;
    throw error;
  }
}

/** What to say where `inboxFolder` is null. */
export function unwatchable(watchDir: string): string {
  return `"${watchDir}" cannot be watched: it is no folder of the vault, or one of the service's own.`;
}

/**
 * True for a file of the inbox `folder` that wants to be ingested, going by its path: nothing that was handled, that a
 * program is still writing, that a sync program has left, or that is hidden; in the review queue nothing that is a note.
 */
export function isInboxFile(folder: VaultPath, path: VaultPath): boolean {
  if (!path.startsWith(`${folder}/`) || isNever(path)) return false;
  const below = path.slice(folder.length + 1).split('/');
  if (below.some((name) => isIgnoredName(name) || SYNC_CONFLICT.test(name))) return false;
  if (UNFINISHED.test(fileName(path))) return false;
  if (below.length > 1 && HANDLED.includes(fold(below[0] ?? ''))) return false;
  // A note in the queue waits for a person. Taking it in would empty the queue without one.
  return zoneOf(`${fold(folder)}/x`) !== 'raw' || !/\.md$/i.test(path);
}

function isNever(path: string): boolean {
  const folded = `${fold(path)}/`;
  return NEVER.some((folder) => folded.startsWith(`${folder}/`));
}

/** Where handled originals are kept for ever. */
export const PROCESSED = 'inbox/processed';

/** Characters that no link to the file, or no file system, can hold. */
const UNUSABLE = /[[\]|#^\\/:*?"<>\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\ufeff]+/gu;
/** Bytes of a name that leave room for a number and extensions below the 255 of file systems. */
const MAX_BYTES = 200;
/** In the vault these would be shown as notes, and what they hold would run. */
const NOTES = new Set(['md', 'markdown', 'mdown', 'mkd', 'canvas', 'base']);

/**
 * The n-th name to try for a handled original, in the folder of the local day: its own name, then numbered before its
 * extension. Markdown gets `.txt` appended: as a note it would be shown, run, and found beside the pages made of it.
 */
export function processedPath(date: string, name: string, n: number): VaultPath {
  return vaultPath(`${PROCESSED}/${date}/${processedName(name, n)}`);
}

/** The last segment of that path. */
export function processedName(name: string, n: number): string {
  const usable = findable(name.normalize('NFC').replace(UNUSABLE, '-')).trimEnd();
  const extension = extensionOf(usable);
  const ending = extension === '' ? '' : usable.slice(-extension.length - 1);
  const seen = usable.slice(0, usable.length - ending.length).replace(/^(?:[.\s]|~\$)+/, '');
  const stem = prefixWithin(seen, Infinity, MAX_BYTES).trim();
  // What Windows takes for a device could not be synced there.
  const safe = isDeviceName(stem + ending) ? `file-${stem}` : stem;
  return numbered(safe || 'file', n) + ending + (NOTES.has(extension) ? '.txt' : '');
}

/** Listings pass over the copies of sync programs. Who has had one ingested wants to find it. */
function findable(name: string): string {
  return name.replace(/\.(?=sync-conflict-)/gi, '-').replace(/(conflicted) (?=copy)/gi, '$1-');
}

/** Files of one name on one day that are thought of when an original is looked for. */
const MAX_NUMBER = 20;

/** The last segments under which an original of this name may be kept. */
export function processedNames(name: string): string[] {
  return Array.from({ length: MAX_NUMBER }, (_, n) => processedName(name, n + 1));
}
