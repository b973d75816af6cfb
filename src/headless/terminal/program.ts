import path from 'node:path';
import type { Environment } from '../../adapters/host/config-folder';
import { UsageError } from './io';

export { Disposables } from '../../core/base/concurrency';

/** The names under which the package installs this program. */
const INSTALLED: readonly string[] = ['brain', 'brain-server'];
/** The folder of programs that npx finds, and a shell does not. */
const NPX_ONLY = /[\\/]node_modules[\\/]\.bin$/;

/**
 * Returns the command that starts this program: `brain` or `brain-server` when it was installed under that name, `npx
 * brain-server` when only npx finds it there, else `node` with its path.
 */
export function commandFor(script: string): string {
  const name = path.basename(script);
  // There is no package "brain" of ours, so npx is given the other name.
  if (INSTALLED.includes(name)) return NPX_ONLY.test(path.dirname(script)) ? 'npx brain-server' : name;
  const near = path.relative('', script);
  const shortest = near.startsWith('..') ? script : near;
  return `node ${shellWord(shortest)}`;
}

/**
 * Returns the words with which another program starts this one: absolute paths, since it starts them from its own folder
 * and may not find Node otherwise.
 */
export function absoluteCommand(script: string, node: string): readonly string[] {
  return [node, path.resolve(script)];
}

/**
 * Returns the environment for a program that starts in another folder: a relative path of the folder of settings is made
 * absolute from the folder of this process.
 */
export function absoluteEnvironment(env: Environment): Environment {
  const { BRAIN_CONFIG_DIR: config } = env;
  return { ...env, ...(config && { BRAIN_CONFIG_DIR: path.resolve(config) }) };
}

/** How the program was started, as in `Io`. */
interface Started {
  readonly command: string;
  readonly program: readonly string[];
}

/** Returns the command that starts this program from any folder. */
export function portableCommand(
  { command, program }: Started,
  platform: NodeJS.Platform = process.platform,
): string {
  if (INSTALLED.includes(command)) return command;
  // PowerShell does not start a quoted program, and the path of Node usually holds a space there.
  const [, ...rest] = program;
  const words = platform === 'win32' ? ['node', ...rest] : program;
  return words.map((word) => shellWord(word, platform)).join(' ');
}

/**
 * Returns the configuration of the bridge for clients that start programs, as one line of JSON.
 * @param how the environment of the bridge: BRAIN_TOKEN, or BRAIN_CONFIG_DIR with the token "bridge" when that folder is
 * not the default
 */
export function bridgeEntry(
  program: readonly string[],
  url: string,
  how: { readonly BRAIN_TOKEN?: string; readonly BRAIN_CONFIG_DIR?: string } = {},
): string {
  const [command, ...args] = program;
  return JSON.stringify({ command, args: [...args, 'mcp'], env: { BRAIN_URL: url, ...how } });
}

/** Quotes text as one word of a command for the system's shell. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w@%+=:,./\\-]+$/.test(text)) return text;
  return platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns the absolute path of the vault: the flag, else `BRAIN_VAULT`, else `./brain`.
 * @throws UsageError for an empty flag, as `--vault "$UNSET"` gives: it would mean the current folder.
 */
export function vaultFolder(flag: string | undefined, env: Environment): string {
  if (flag === '')
    throw new UsageError('The folder in --vault is empty. Name the folder of the vault, or leave it out.');
  return path.resolve(flag ?? (env.BRAIN_VAULT || 'brain'));
}

/** The version of plugin, server and command line; a test compares it with package.json and manifest.json. */
export const VERSION = '0.1.0';
