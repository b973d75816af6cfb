import type { Command } from 'commander';
import { DEFAULT_URL } from '../client';
import type { Io } from '../io';
import { bridgeEntry } from '../started-as';

/** `brain mcp`: a running server for clients that start a program instead of calling an address. */
export function addMcpCommand(program: Command, io: Io): void {
  program
    .command('mcp')
    .description('connect a client that speaks MCP over standard input and output to the running server')
    .addHelpText(
      'after',
      `
It sends BRAIN_TOKEN, else the token "bridge", which may read and write but not review.

In the settings of the client, with a token that "${io.command} token add <name>" prints:
  "brain": ${bridgeEntry(io.program, io.env.BRAIN_URL || DEFAULT_URL, { BRAIN_TOKEN: '<token>' })}`,
    )
    .action(async () => {
      const { startBridge } = await import('../start-bridge');
      await startBridge(io, io);
    });
}
