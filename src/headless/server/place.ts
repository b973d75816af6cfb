import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { hasCode } from '../../adapters/files/file-system';
import type { Environment } from '../../adapters/host/config-folder';
import { UsageError } from '../terminal/io';

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
interface Place {
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
): Promise<Place> {
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
