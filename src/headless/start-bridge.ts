import { addressOf } from './client';
import type { Io } from './io';
import { runBridge } from './mcp-bridge';
import { clientTokenOf } from './sent-token';
import { userToken } from './user-tokens';

/**
 * Runs the bridge for the server that the environment names, with `BRAIN_TOKEN`, else with the token that a server on this
 * machine has made for bridges; never with the owner's. Resolves when the host has ended it.
 */
export async function startBridge({ env, stdin, stdout, stderr }: Omit<Io, 'command'>): Promise<void> {
  const token = clientTokenOf(env) ?? (await userToken(env, 'bridge'));
  await runBridge({ url: addressOf(env).href, token, stdin, stdout, stderr });
}
