import { homedir } from 'node:os';
import { configFolder, type Environment } from '../adapters/node/config-folder';
import { systemClock } from '../adapters/node/system-clock';
import type { OwnToken } from '../adapters/node/token-contents';
import { savedToken, TokenFile } from '../adapters/node/token-file';
import type { Log } from '../core/host';
import { CommandError } from './io';
import { folderProblem } from './unreadable';

/**
 * The tokens of this user, made the first time.
 * @throws CommandError when their folder cannot be had, TokenFileError when what stands there is damaged.
 */
export function openTokens(env: Environment, log: Log): Promise<TokenFile> {
  return inFolder(env, (folder) => TokenFile.open(folder, systemClock, log));
}

/** The text of one of this user's own tokens, or null when no server has started yet. @throws as `openTokens` does. */
export function userToken(env: Environment, name: OwnToken): Promise<string | null> {
  return inFolder(env, (folder) => savedToken(folder, name));
}

/**
 * The folder where tokens are kept when the environment alone says so, so that a program which a client starts, with another
 * environment, would look elsewhere; null when it is the usual one.
 */
export function unusualFolder(env: Environment): string | null {
  const folder = configFolder(env, process.platform, homedir());
  const usual = configFolder({ APPDATA: env.APPDATA }, process.platform, homedir());
  return folder === usual ? null : folder;
}

async function inFolder<T>(env: Environment, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = configFolder(env, process.platform, homedir());
  try {
    return await use(folder);
  } catch (error) {
    if (folderProblem(error) === 'taken') {
      throw new CommandError(
        `${folder} cannot keep tokens: a file stands where a folder is needed. ${REMEDY}`,
      );
    }
    if (folderProblem(error) === 'forbidden') {
      throw new CommandError(`${folder}, where tokens are kept, cannot be read and written. ${REMEDY}`);
    }
    throw error;
  }
}

const REMEDY = 'Set BRAIN_CONFIG_DIR to a folder of yours.';
