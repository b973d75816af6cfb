import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { inboxFolder } from '../../core/documents/paths';
import type { Reach } from '../../core/documents/ports';
import { fold, zoneOf } from '../../core/vocabulary/paths';

/** The folders that callers may ingest from, and those that nobody may. Paths are absolute. */
export interface FenceOptions {
  /** The vault's folder. */
  readonly root: string;
  /** The setting of the inbox folder. */
  readonly watchDir: string;
  /** Further folders that the owner allows; a missing one allows nothing. */
  readonly allowed: readonly string[];
  /** Folders outside the vault that hold the service's secrets. */
  readonly secret: readonly string[];
}

/**
 * The folders of the vault whose files are ingested already, and hidden ones, which hold the state and the settings of
 * programs, this one's among them.
 */
const OWN_FOLDERS = /^(?:\.[^/]*|wiki|knowledge|raw|sessions)(?:\/|$)/;
/** The folders of system files, which may never end, or have an effect when they are read. */
const SYSTEM_FOLDERS = process.platform === 'win32' ? [] : ['/proc', '/sys', '/dev'];

/**
 * Returns the vault folder that callers with a token may ingest from: the inbox; the default one when the setting names the
 * review queue or a folder that may not be watched.
 */
export function openInbox(watchDir: string): string {
  const folder = inboxFolder(watchDir);
  return folder === null || zoneOf(`${folder}/x`) === 'raw' ? 'inbox' : folder;
}

/** The fence, with the real paths of its folders at this moment; links of the owner's own folders are followed. */
export interface PathPolicy {
  /**
   * Returns true when a path may lead inside, by its text alone: the disk is not asked about paths outside. `allows` may
   * still refuse it.
   */
  mayLeadInside(full: string, reach: Reach): boolean;
  /** Returns true when the file or folder at this real path may be ingested. */
  allows(real: string, reach: Reach): boolean;
  /** Returns the path below the vault, `/`-separated, '' for the vault itself; null outside. */
  inVault(real: string): string | null;
}

/** Resolves the folders of the fence: any of them may have been moved or made since the last call. */
export async function resolveFence(options: FenceOptions): Promise<PathPolicy> {
  const root = (await real(options.root)) ?? path.resolve(options.root);
  const folder = openInbox(options.watchDir);
  const inbox = await real(path.join(root, folder));
  const allowed = await Promise.all(options.allowed.map(real));
  const secret = await Promise.all(options.secret.map(real));
  // An inbox that is a link would open its target; an owner who wants that can allow the target by its path.
  const open = [inbox !== null && isBelow(inbox, root) ? inbox : null, ...allowed].filter(
    (at) => at !== null,
  );
  const spelled = [path.join(options.root, folder), ...options.allowed].map((at) => path.resolve(at));
  const openPaths = [...open, ...spelled].map(fold);
  const secrets = secret.filter((at) => at !== null);

  const isOwn = (at: string): boolean => {
    const [folded, foldedRoot] = [fold(at), fold(root)];
    return isIn(folded, foldedRoot) && OWN_FOLDERS.test(slashed(folded.slice(foldedRoot.length + 1)));
  };
  // A folder that may be ingested from and is below a secret folder is not secret.
  const isSecret = (at: string): boolean =>
    secrets.some(
      (each) =>
        isIn(at, each) && ![root, ...open].some((openPath) => isBelow(openPath, each) && isIn(at, openPath)),
    );
  return {
    mayLeadInside: (full, reach) =>
      reach === 'person' || openPaths.some((openPath) => isIn(fold(full), openPath)),
    allows(at, reach) {
      if (isOwn(at) || isSecret(at) || SYSTEM_FOLDERS.some((each) => isIn(at, each))) return false;
      if (reach === 'person') return true;
      return open.some((each) => isIn(at, each) && !hasHidden(at.slice(each.length)));
    },
    inVault: (at) => (isIn(at, root) ? slashed(at.slice(root.length + 1)) : null),
  };
}

function slashed(at: string): string {
  return at.split(path.sep).join('/');
}

/** Returns the real path, or null when it is unknown. */
async function real(at: string): Promise<string | null> {
  return realpath(at).catch(() => null);
}

/** Returns true for `folder` itself and everything below it. A root such as `/` or `C:\` ends in a separator already. */
function isIn(at: string, folder: string): boolean {
  return at === folder || isBelow(at, folder);
}

function isBelow(at: string, folder: string): boolean {
  return at.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

function hasHidden(below: string): boolean {
  return below.split(path.sep).some((segment) => segment.startsWith('.'));
}
