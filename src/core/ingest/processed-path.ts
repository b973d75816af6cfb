import { type VaultPath, vaultPath } from '../rules/paths';
import { isDeviceName, numbered, prefixWithin } from '../rules/slug';
import { extensionOf } from './formats';

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
