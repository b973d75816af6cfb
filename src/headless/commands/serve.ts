import type { Command } from 'commander';
import type { Io } from '../io';

interface ServeFlags {
  readonly vault?: string;
  readonly host?: string;
  readonly port?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** `brain serve`: the server itself, loaded only when it is wanted. */
export function addServeCommand(program: Command, io: Io): void {
  program
    .command('serve')
    .description('serve a vault over HTTP and MCP until it is stopped')
    .option(
      '--vault <dir>',
      'folder of the vault; made when it is absent (default: BRAIN_VAULT, else ./brain)',
    )
    .option('--host <address>', 'address to listen on (default: BRAIN_HOST, else 127.0.0.1)')
    .option('--port <n>', 'port to listen on, 0 for any free one (default: BRAIN_PORT, else 27246)')
    .option('--tls-cert <file>', 'certificate in PEM, to serve HTTPS')
    .option('--tls-key <file>', 'its private key in PEM')
    .addHelpText(
      'after',
      '\nExamples:\n  $ brain serve --vault ~/brain\n  $ brain serve --vault ~/brain --port 8080',
    )
    .action(async ({ vault, host, port, tlsCert, tlsKey }: ServeFlags) => {
      const { serve } = await import('../serve');
      await serve({ vault, host, port, tlsCert, tlsKey }, io);
    });
}
