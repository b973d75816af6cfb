import { addressOf } from '../terminal/client';
import type { Io } from '../terminal/io';
import { portableCommand } from '../terminal/program';
import { clientTokenOf, userToken } from '../terminal/tokens';
import { runBridge } from './bridge';

/**
 * Runs the bridge for the server of the environment, with `BRAIN_TOKEN`, else with the token that a server on this machine
 * has made for bridges; never with the owner's. Its messages name `command` and `program` when they are known. Resolves
 * when the host has ended it.
 */
export async function startBridge(
  { env, stdin, stdout, stderr }: Omit<Io, 'command' | 'program'>,
  started?: Pick<Io, 'command' | 'program'>,
): Promise<void> {
  const token = clientTokenOf(env) ?? (await userToken(env, 'bridge'));
  const command = started === undefined ? null : portableCommand(started);
  await runBridge({ url: addressOf(env).href, token, command, stdin, stdout, stderr });
}
