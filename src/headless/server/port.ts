import type { Environment } from '../../adapters/host/config-folder';
import { ConnectionError, httpRequest } from '../../adapters/host/http';
import { isRecord } from '../../core/base/json';
import type { PortBusy } from '../../doors/http/listen';
import { CommandError } from '../terminal/io';
import { userToken } from '../terminal/tokens';

/** The time for an answer of the program on the port (ms): a Brain Server answers at once, and others may never. */
const ANSWER_MS = 2_000;

/**
 * Returns the error for a port that another program uses. Of a Brain Server it says so, and which vault it serves where it
 * takes the token of this user.
 * @param vault the real path of the folder that was to be served
 */
export async function busyPort(busy: PortBusy, vault: string, env: Environment): Promise<CommandError> {
  const { url, message } = busy;
  const health = await ask(url, '/health', null);
  if (health === null) return new CommandError(message);
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

/** Returns the folder of the vault that the server on the port serves; null when it does not tell. */
async function servedVault(url: string, env: Environment): Promise<string | null> {
  const saved = await userToken(env, 'owner').catch(() => null);
  for (const token of new Set([saved, env.BRAIN_TOKEN?.trim() || null])) {
    const status = await ask(url, '/status', token);
    if (typeof status?.vault === 'string') return status.vault;
  }
  return null;
}

/** Returns what a Brain Server answers; null for any other program, and for a refusal. */
async function ask(url: string, path: string, token: string | null): Promise<Record<string, unknown> | null> {
  try {
    const { status, headers, text } = await httpRequest(new URL(path, url), {
      method: 'GET',
      headers: token === null ? {} : { Authorization: `Bearer ${token}` },
      timeoutMs: ANSWER_MS,
      isAlone: true,
    });
    if (status !== 200 || headers['x-brain-api'] === undefined) return null;
    const answer: unknown = JSON.parse(text);
    return isRecord(answer) ? answer : null;
  } catch (error) {
    if (error instanceof ConnectionError || error instanceof SyntaxError) return null;
    throw error;
  }
}
