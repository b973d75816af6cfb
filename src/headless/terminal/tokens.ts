import { homedir } from 'node:os';
import { systemClock } from '../../adapters/host/device';
import { configFolder, type Environment } from '../../adapters/host/config-folder';
import type { OwnToken } from '../../adapters/host/token-contents';
import { savedToken, TokenFile } from '../../adapters/host/token-file';
import type { Log } from '../../core/base/host';
import { CommandError, folderProblem, UsageError } from './io';

export const UNSENDABLE =
  'BRAIN_TOKEN cannot be sent in a header: use letters, digits and any of - . _ ~ + / only, such as `openssl rand -hex 32` gives.';

/** Returns true for a token that is valid after `Bearer` (RFC 6750, section 2.1). */
export function isSendable(token: string): boolean {
  return /^[\w.~+/-]+=*$/.test(token);
}

/**
 * Returns the client's token, if its environment has one, without the line break at the end of a file. A desktop client
 * leaves the name of an empty setting in its place (`${user_config.token}`), which counts as none.
 * @throws UsageError when it cannot be sent.
 */
export function clientTokenOf(env: Environment): string | undefined {
  const token = env.BRAIN_TOKEN?.trim() ?? '';
  if (token === '' || /^\$\{[\w.]+\}$/.test(token)) return undefined;
  if (!isSendable(token)) throw new UsageError(UNSENDABLE);
  return token;
}

/**
 * Opens the tokens of this user, which are made the first time.
 * @throws CommandError when their folder cannot be used, TokenFileError when the file is damaged.
 */
export function openTokens(env: Environment, log: Log): Promise<TokenFile> {
  return inFolder(env, (folder) => TokenFile.open(folder, systemClock, log));
}

/** Returns the text of one of this user's own tokens, or null when no server has started yet. @throws as `openTokens`. */
export function userToken(env: Environment, name: OwnToken): Promise<string | null> {
  return inFolder(env, (folder) => savedToken(folder, name));
}

/**
 * Returns the folder of the tokens when only this environment names it, so that a program with another environment would
 * look elsewhere; null when it is the default.
 */
export function customTokenFolder(env: Environment): string | null {
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
