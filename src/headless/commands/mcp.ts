import type { Command } from 'commander';
import { homedir } from 'node:os';
import { configFolder } from '../../adapters/node/config-folder';
import { savedToken } from '../../adapters/node/token-file';
import { addressOf } from '../client';
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
      const { runBridge } = await import('../mcp-bridge');
      const folder = configFolder(io.env, process.platform, homedir());
      const token = io.env.BRAIN_TOKEN || (await savedToken(folder, 'bridge'));
      const { stdin, stdout, stderr } = io;
      await runBridge({ url: addressOf(io.env).href, token, stdin, stdout, stderr });
    });
}
