import path from 'node:path';
import type { Environment } from '../../adapters/host/config-folder';
import { UsageError } from './io';

export { Disposables } from '../../core/base/concurrency';

/** How a person starts this program again: `brain` when it was installed under that name, else `node` with its path. */
export function startedAs(script: string): string {
  if (path.basename(script) === 'brain') return 'brain';
  const near = path.relative('', script);
  const shortest = near.startsWith('..') ? script : near;
  return `node ${shellWord(shortest)}`;
}

/**
 * What another program starts to start this one: the program and its first arguments as whole paths, since it starts them
 * from a folder of its own and may know no other place to look for Node.
 */
export function startedByOthers(script: string, node: string): readonly string[] {
  return [node, path.resolve(script)];
}

/** How the program was started, as `Io` has it. */
interface Started {
  readonly command: string;
  readonly program: readonly string[];
}

/** The same as a command that can be pasted in any folder. */
export function startedAnywhere(
  { command, program }: Started,
  platform: NodeJS.Platform = process.platform,
): string {
  if (command === 'brain') return command;
  // PowerShell starts no program that stands in quotes, and the path of Node mostly holds a space there.
  const [, ...rest] = program;
  const words = platform === 'win32' ? ['node', ...rest] : program;
  return words.map((word) => shellWord(word, platform)).join(' ');
}

/**
 * What a client that starts programs is told of this server, as one line of JSON.
 * @param how what the bridge sends: BRAIN_TOKEN, or the token "bridge" out of BRAIN_CONFIG_DIR, where that is no usual folder
 */
export function bridgeEntry(
  program: readonly string[],
  url: string,
  how: { readonly BRAIN_TOKEN?: string; readonly BRAIN_CONFIG_DIR?: string } = {},
): string {
  const [command, ...args] = program;
  return JSON.stringify({ command, args: [...args, 'mcp'], env: { BRAIN_URL: url, ...how } });
}

/** Text as one word of a command that can be pasted into the shell of the system. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w@%+=:,./\\-]+$/.test(text)) return text;
  return platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Absolute path of the vault that a command means: the flag, else `BRAIN_VAULT`, else `./brain`.
 * @throws UsageError for an empty flag, as `--vault "$UNSET"` gives: it would mean the folder where the person happens to be.
 */
export function vaultFolder(flag: string | undefined, env: Environment): string {
  if (flag === '')
    throw new UsageError('The folder in --vault is empty. Name the folder of the vault, or leave it out.');
  return path.resolve(flag ?? (env.BRAIN_VAULT || 'brain'));
}

/** The one version of plugin, server and command line; a test holds it to package.json and manifest.json. */
export const VERSION = '0.1.0';
