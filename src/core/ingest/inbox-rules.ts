import { BrainError } from '../errors';
import { isIgnoredName } from '../rules/ignored-names';
import { fileName, fold, inputPath, type VaultPath, zoneOf } from '../rules/paths';

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
export function isDrop(folder: VaultPath, path: VaultPath): boolean {
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
