import type { Environment } from '../../adapters/host/config-folder';
import { ConnectionError, httpRequest } from '../../adapters/host/http';
import { NotOurs, openChannel } from '../../adapters/host/own-server';
import type { PortBusy } from '../../doors/http/listen';
import { CommandError } from '../terminal/io';
import { ownServers } from '../terminal/tokens';

/** The time for an answer of the program on the port (ms): a Brain Server answers at once, and others may never. */
const ANSWER_MS = 2_000;

/**
 * Returns the error for a port that another program uses. Of a Brain Server it says so, and of one of this user which vault it
 * serves. No token is sent to find that out.
 * @param vault the real path of the folder that was to be served
 */
export async function busyPort(busy: PortBusy, vault: string, env: Environment): Promise<CommandError> {
  const { url, message } = busy;
  if (!(await isBrain(url))) return new CommandError(message);
  const served = await servedVault(url, env);
  const { port, hostname } = new URL(url);
  const inUse = `Port ${port} on ${hostname} is in use by a Brain Server`;
  const otherPort = 'choose a free port for this vault (--port or BRAIN_PORT)';
  if (served === null) {
    return new CommandError(
      `${inUse}. It does not tell this user which vault it serves. Stop it, or ${otherPort}.`,
    );
  }
  if (served === vault) {
    return new CommandError(`${inUse} that serves this vault already. Use it at ${url}, or stop it first.`);
  }
  return new CommandError(`${inUse} that serves the vault ${served}. Stop it, or ${otherPort}.`);
}

/** Returns the vault that the server on the port serves; null when it is none of this user, or does not tell. */
async function servedVault(url: string, env: Environment): Promise<string | null> {
  const servers = await ownServers(env).catch(() => null);
  if (servers === null) return null;
  try {
    const { agent, vault } = await openChannel(new URL(url), servers, { timeoutMs: ANSWER_MS });
    agent.destroy();
    return vault;
  } catch (error) {
    if (error instanceof NotOurs || error instanceof ConnectionError) return null;
    throw error;
  }
}

/** Resolves true when what listens there answers as a Brain Server does. */
async function isBrain(url: string): Promise<boolean> {
  try {
    const { status, headers, text } = await httpRequest(new URL('/health', url), {
      method: 'GET',
      timeoutMs: ANSWER_MS,
      isAlone: true,
    });
    JSON.parse(text);
    return status === 200 && headers['x-brain-api'] !== undefined;
  } catch (error) {
    if (error instanceof ConnectionError || error instanceof SyntaxError) return false;
    throw error;
  }
}
