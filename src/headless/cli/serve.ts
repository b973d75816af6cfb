import type { Command } from 'commander';
import { DEFAULT_URL } from '../terminal/client';
import type { Io } from '../terminal/io';
import { bridgeEntry } from '../terminal/program';

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
      const { startBridge } = await import('../bridge/start');
      await startBridge(io, io);
    });
}

/** Their meanings stand in one place, the README. */
const SETTINGS_HELP = `
More settings are environment variables; "Settings" in README.md says what each means:
  BRAIN_AUTH, BRAIN_ALLOWED_HOSTS, BRAIN_ALLOWED_ORIGINS, BRAIN_RATE_LIMIT, BRAIN_RATE_BYTES,
  BRAIN_LOG_LEVEL, BRAIN_DEVICE, BRAIN_ROOT_NOTE
  BRAIN_WATCH, BRAIN_WATCH_DIR, BRAIN_INGEST_DESTINATION, BRAIN_INGEST_ROOTS
  CONVERTER_URL, CONVERTER_BEARER_TOKEN
  BRAIN_PG_DSN, BRAIN_PG_SCHEMA, BRAIN_PG_POOL, BRAIN_EMBED_URL, BRAIN_EMBED_MODEL
  BRAIN_EMBED_DOC_PREFIX, BRAIN_EMBED_QUERY_PREFIX, BRAIN_EMBED_SYNC_INTERVAL
  BRAIN_LLM_API, BRAIN_LLM_URL, BRAIN_LLM_MODEL, BRAIN_LLM_KEY`;

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
      `
Examples:
  $ brain serve --vault ~/brain
  $ brain serve --vault ~/brain --port 8080
${SETTINGS_HELP}`,
    )
    .action(async ({ vault, host, port, tlsCert, tlsKey }: ServeFlags) => {
      const { serve } = await import('../server/serve');
      await serve({ vault, host, port, tlsCert, tlsKey }, io);
    });
}
