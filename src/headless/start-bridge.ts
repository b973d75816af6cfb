import { homedir } from 'node:os';
import { configFolder } from '../adapters/node/config-folder';
import { savedToken } from '../adapters/node/token-file';
import { addressOf } from './client';
import type { Io } from './io';
import { runBridge } from './mcp-bridge';
import { clientTokenOf } from './sent-token';

/**
 * Runs the bridge for the server that the environment names, with `BRAIN_TOKEN`, else with the token that a server on this
 * machine has made for bridges; never with the owner's. Resolves when the host has ended it.
 */
export async function startBridge({ env, stdin, stdout, stderr }: Omit<Io, 'command'>): Promise<void> {
  const folder = configFolder(env, process.platform, homedir());
  const token = clientTokenOf(env) ?? (await savedToken(folder, 'bridge'));
  await runBridge({ url: addressOf(env).href, token, stdin, stdout, stderr });
}
