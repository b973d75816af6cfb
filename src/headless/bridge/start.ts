import { addressOf } from '../terminal/client';
import type { Io } from '../terminal/io';
import { portableCommand } from '../terminal/program';
import { tokenOf } from '../terminal/tokens';
import { runBridge } from './bridge';
import type { LocalServer } from './local-server';

/**
 * Runs the bridge for the server of the environment, with `BRAIN_TOKEN`, else with the token that a server on this machine
 * has made for bridges; never with the owner's. Its messages name `command` and `program` when they are known. A `server` is
 * started first, and again when it is gone. Resolves when the host has ended it.
 * @throws CommandError when that server cannot be started.
 */
export async function startBridge(
  { env, stdin, stdout, stderr }: Omit<Io, 'command' | 'program'>,
  started?: Pick<Io, 'command' | 'program'>,
  server: LocalServer | null = null,
): Promise<void> {
  // A server that is started for the first time makes the token.
  await server?.ensure();
  const { token, servers } = await tokenOf(env, 'bridge');
  const command = started === undefined ? null : portableCommand(started);
  const restart = server === null ? null : () => server.ensure();
  server?.keepAlive();
  try {
    const url = addressOf(env).href;
    await runBridge({ url, token, servers, command, restart, stdin, stdout, stderr });
  } finally {
    server?.close();
  }
}
