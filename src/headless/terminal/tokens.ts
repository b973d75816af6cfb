import { homedir } from 'node:os';
import { systemClock } from '../../adapters/host/device';
import { configFolder, type Environment } from '../../adapters/host/config-folder';
import type { OwnToken } from '../../adapters/host/token-contents';
import { type Channel, NotOurs, openChannel, type OwnServers } from '../../adapters/host/own-server';
import { savedKey, savedToken, TokenFile } from '../../adapters/host/token-file';
import type { Log } from '../../core/base/host';
import { CommandError, folderProblem, Unreachable, UsageError } from './io';

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

/** Returns the servers of this user, or null when none has started yet. @throws as `openTokens`. */
export function ownServers(env: Environment): Promise<OwnServers | null> {
  return inFolder(env, async (folder) => {
    const key = await savedKey(folder);
    return key === null ? null : { folder, key };
  });
}

/** What a client sends to say who it is, and to whom. */
export interface ClientToken {
  readonly token: string | null;
  /** The servers that the token is for, which have to prove that they are; null for a token that a person has given. */
  readonly servers: OwnServers | null;
}

/**
 * Returns the token of a client: `BRAIN_TOKEN`, else the user's own one of this name.
 * @throws as `clientTokenOf` and `openTokens`
 */
export async function tokenOf(env: Environment, name: OwnToken): Promise<ClientToken> {
  const given = clientTokenOf(env);
  if (given !== undefined) return { token: given, servers: null };
  const token = await userToken(env, name);
  return { token, servers: token === null ? null : await ownServers(env) };
}

/**
 * Opens the connection for a request with a token: one to a server that has proven to be one of these. Null when there are none, and
 * any connection will do.
 * @throws Unreachable when what listens there has not proven that, ConnectionError when nothing answers
 */
export async function channelTo(
  url: URL,
  servers: OwnServers | null,
  signal?: AbortSignal,
): Promise<Channel | null> {
  if (servers === null) return null;
  try {
    return await openChannel(url, servers, { ...(signal && { signal }) });
  } catch (error) {
    if (!(error instanceof NotOurs)) throw error;
    throw new Unreachable(error.why === 'open' ? openWay(url) : notOurs(url));
  }
}

function notOurs({ origin }: URL): string {
  return `What listens at ${origin} has not proven to be a server of yours, so your token was not sent there. Start your own server there again, or set BRAIN_URL to where it is. For a server that keeps its tokens elsewhere, such as in a container or behind a proxy, set BRAIN_TOKEN.`;
}

function openWay({ origin }: URL): string {
  return `${origin} is another machine, and your token would cross the network unencrypted, so it was not sent. Set BRAIN_URL to an address that begins with https://, or BRAIN_TOKEN to the token that may go there.`;
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
