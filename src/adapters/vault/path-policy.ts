import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { inboxFolder } from '../../core/documents/paths';
import type { Reach } from '../../core/documents/ports';
import { fold, zoneOf } from '../../core/vocabulary/paths';

/** What a caller may have ingested, and what nobody may. Paths are absolute. */
export interface FenceOptions {
  /** The vault's folder. */
  readonly root: string;
  /** The setting that says into which folder of the vault material is put. */
  readonly watchDir: string;
  /** Further folders that the owner allows; one that is absent allows nothing. */
  readonly allowed: readonly string[];
  /** Folders outside the vault that hold secrets of the service. */
  readonly secret: readonly string[];
}

/**
 * Folders of the vault that hold what has been taken in already. Hidden ones hold the state and the settings of programs, this
 * one among them.
 */
const OWN_FOLDERS = /^(?:\.[^/]*|wiki|knowledge|raw|sessions)(?:\/|$)/;
/** Files here are doors to the system: they have no end, or something happens when they are read. */
const SYSTEM_FOLDERS = process.platform === 'win32' ? [] : ['/proc', '/sys', '/dev'];

/** The vault folder that callers with a token reach: the inbox, unless that is the review queue or a folder nobody watches. */
export function openInbox(watchDir: string): string {
  const folder = inboxFolder(watchDir);
  return folder === null || zoneOf(`${folder}/x`) === 'raw' ? 'inbox' : folder;
}

/** Where everything really is at this moment; links of the owner's own folders are followed. */
export interface PathPolicy {
  /**
   * True when a path may lead inside, judging by its letters alone: of what is outside, the disk is not asked. More paths pass
   * than may be used in the end.
   */
  mayLeadInside(full: string, reach: Reach): boolean;
  /** True when what really is at `real` may be ingested. */
  allows(real: string, reach: Reach): boolean;
  /** The path below the vault, `/`-separated, '' for the vault itself; null outside. */
  inVault(real: string): string | null;
}

/** Looks where the folders of the fence are now: any of them may have been moved or made since the last call. */
export async function fenceOf(options: FenceOptions): Promise<PathPolicy> {
  const root = (await real(options.root)) ?? path.resolve(options.root);
  const folder = openInbox(options.watchDir);
  const inbox = await real(path.join(root, folder));
  const allowed = await Promise.all(options.allowed.map(real));
  const secret = await Promise.all(options.secret.map(real));
  // An inbox that is a link to elsewhere would open that place; whoever wants this can allow the place by its name.
  const open = [inbox !== null && isBelow(inbox, root) ? inbox : null, ...allowed].filter(
    (at) => at !== null,
  );
  const spelled = [path.join(options.root, folder), ...options.allowed].map((at) => path.resolve(at));
  const doors = [...open, ...spelled].map(fold);
  const secrets = secret.filter((at) => at !== null);

  const isOwn = (at: string): boolean => {
    const [folded, foldedRoot] = [fold(at), fold(root)];
    return isIn(folded, foldedRoot) && OWN_FOLDERS.test(slashed(folded.slice(foldedRoot.length + 1)));
  };
  // Where one folder holds the secrets and also, further down, what may be ingested, that part of it is no secret.
  const isSecret = (at: string): boolean =>
    secrets.some(
      (each) => isIn(at, each) && ![root, ...open].some((door) => isBelow(door, each) && isIn(at, door)),
    );
  return {
    mayLeadInside: (full, reach) => reach === 'person' || doors.some((door) => isIn(fold(full), door)),
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

/** Where a path leads, or null when that cannot be told. */
async function real(at: string): Promise<string | null> {
  return realpath(at).catch(() => null);
}

/** `folder` itself counts. A root such as `/` or `C:\` ends in a separator already. */
function isIn(at: string, folder: string): boolean {
  return at === folder || isBelow(at, folder);
}

function isBelow(at: string, folder: string): boolean {
  return at.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

function hasHidden(below: string): boolean {
  return below.split(path.sep).some((segment) => segment.startsWith('.'));
}
