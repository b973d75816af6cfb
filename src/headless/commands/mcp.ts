import type { Command } from 'commander';
import type { Io } from '../io';

/** `brain mcp`: a running server for clients that start a program instead of calling an address. */
export function addMcpCommand(program: Command, io: Io): void {
  program
    .command('mcp')
    .description('connect a client that speaks MCP over standard input and output to the running server')
    .addHelpText(
      'after',
      `
It sends BRAIN_TOKEN, else the token "bridge", which may read and write but not review.

In the settings of the client:
  "brain": { "command": "brain", "args": ["mcp"] }`,
    )
    .action(async () => {
      const { startBridge } = await import('../start-bridge');
      await startBridge(io);
    });
}
