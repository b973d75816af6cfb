import { readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { hasCode } from '../../adapters/files/file-system';
import type { Environment } from '../../adapters/host/config-folder';
import { likeness } from '../../core/base/text';
import { UsageError } from '../terminal/io';
import { shellWord } from '../terminal/program';

/** Folders of the system in which nothing belongs but what the system puts there. */
const SYSTEM = [
  ...['/proc', '/sys', '/dev', '/boot', '/etc', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/libexec', '/usr/include', '/lost+found'],
  ...['/System', '/Library', '/private/etc', '/private/var/db', '/cores'],
];
/** Folders that hold those of programs and people: a folder below is a place for a vault, the folder itself is none. */
const SHARED = [
  ...[
    '/usr',
    '/usr/local',
    '/usr/share',
    '/usr/local/bin',
    '/usr/local/lib',
    '/usr/local/share',
    '/opt',
    '/run',
  ],
  ...[
    '/var',
    '/var/lib',
    '/var/log',
    '/var/cache',
    '/var/spool',
    '/var/tmp',
    '/tmp',
    '/home',
    '/snap',
    '/dev/shm',
  ],
  ...['/Users', '/Volumes', '/Applications', '/private', '/private/var', '/private/tmp'],
];
const SHARED_MEMORY = '/dev/shm';

/** A folder that may be a vault: its real path, and whether it is the home folder of the user. */
interface ServedFolder {
  readonly real: string;
  readonly isHome: boolean;
}

/**
 * Checks a folder before anything is made in it. A link counts as the folder that it leads to.
 * @throws UsageError for the top of a file system or a drive and for folders of the system
 */
export async function checkPlace(
  folder: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<ServedFolder> {
  const real = await realPlace(folder);
  const fault = [folder, real].map((each) => faultOf(each, env, platform)).find((each) => each !== null);
  if (fault !== undefined) {
    throw new UsageError(
      `${folder} ${fault}, which is no place for a vault. Name a folder of your own, such as: --vault ${path.join(homedir(), 'brain')}`,
    );
  }
  const home = await realPlace(homedir());
  return { real, isHome: real === home };
}

/** Returns what is wrong with a folder as a vault; null for nothing. */
function faultOf(folder: string, env: Environment, platform: NodeJS.Platform): string | null {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const at = paths.normalize(folder).replace(/(?<=.)[\\/]$/, '');
  if (paths.dirname(folder) === folder)
    return platform === 'win32' ? 'is a whole drive' : 'is the top of the file system';
  if (platform === 'win32') {
    const own = [env.SystemRoot, env.ProgramFiles, env['ProgramFiles(x86)'], env.ProgramData];
    const lower = at.toLowerCase();
    const isOwn = own.some((each) => each !== undefined && isInside(lower, each.toLowerCase(), '\\'));
    return isOwn ? 'is a folder of the system' : null;
  }
  if (SHARED.includes(at)) return 'is a folder that programs and people share';
  if (isInside(at, SHARED_MEMORY, '/')) return null;
  return SYSTEM.some((each) => isInside(at, each, '/')) ? 'is a folder of the system' : null;
}

function isInside(folder: string, outer: string, separator: string): boolean {
  return folder === outer || folder.startsWith(outer + separator);
}

/** Returns the real path of a folder; of one that does not exist, that of its nearest existing parent with the rest. */
async function realPlace(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    const parent = path.dirname(folder);
    if (parent === folder || !hasCode(error, 'ENOENT', 'ENOTDIR')) return folder;
    return path.join(await realPlace(parent), path.basename(folder));
  }
}

/**
 * Refuses a folder that is not there: a mistyped name must not become a vault.
 * @param command the command that starts this program
 * @throws UsageError that names the nearest folder that is there, and the way to make a new vault
 */
export async function refuseMissing(folder: string, command: string): Promise<void> {
  if (!(await isMissing(folder))) return;
  throw new UsageError(
    `There is no folder ${folder}, so there is no vault to serve, and nothing was made. The nearest folder that is there: ${await nearestFolder(folder)}. To make a new vault: ${command} init ${shellWord(folder)}`,
  );
}

/** Returns true when nothing has the path. What cannot be seen is taken to be there. */
async function isMissing(folder: string): Promise<boolean> {
  try {
    await stat(folder);
    return false;
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
}

/** The least likeness of two names of which one may be the other mistyped. */
const MISTYPED = 0.4;

/** Returns the folder whose name is most like the missing one, beside it or beside its first missing parent; else the existing parent. */
async function nearestFolder(folder: string): Promise<string> {
  const parent = path.dirname(folder);
  if (parent !== folder && (await isMissing(parent))) return nearestFolder(parent);
  const wanted = path.basename(folder).toLowerCase();
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  const [best] = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => ({ name, score: likeness(wanted, name.toLowerCase()) }))
    .sort((one, other) => other.score - one.score);
  return best !== undefined && best.score >= MISTYPED ? path.join(parent, best.name) : parent;
}
