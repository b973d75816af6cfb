import type { Command } from 'commander';
import { DEFAULT_URL, type SettingGroup, SETTINGS } from '../../core/config/settings';
import type { ServeOptions } from '../server/serve';
import { type Io, UsageError } from '../terminal/io';
import { bridgeEntry } from '../terminal/program';
import { storeFlag } from '../terminal/secrets';

/** Adds `brain mcp`: it connects clients that start a program to a running server. */
export function addMcpCommand(program: Command, io: Io): void {
  program
    .command('mcp')
    .description('connect a client that speaks MCP over standard input and output to the running server')
    .option('--start', 'start a server on this machine when none runs; it ends 5 minutes after the last call')
    .option('--vault <dir>', 'with --start: folder of the vault (default: BRAIN_VAULT)')
    .addHelpText(
      'after',
      `
It sends BRAIN_TOKEN, else the token "bridge", which may read and write but not review.

In the settings of the client, with a token that "${io.command} token add <name>" prints:
  "brain": ${bridgeEntry(io.program, io.env.BRAIN_URL || DEFAULT_URL, { BRAIN_TOKEN: '<token>' })}`,
    )
    .action(async ({ start, vault }: { readonly start?: boolean; readonly vault?: string }) => {
      if (vault !== undefined && start !== true)
        throw new UsageError('The flag --vault is for --start, which is missing.');
      const { startBridge } = await import('../bridge/start');
      if (start !== true) return startBridge(io, io);
      const { localServer } = await import('../bridge/local-server');
      await startBridge(io, io, localServer(vault, io));
    });
}

/** Returns the variables of these groups of settings that have no flag. */
function variables(...groups: readonly SettingGroup[]): string {
  const ofGroup = (group: SettingGroup) => Object.values(SETTINGS).filter((row) => row.group === group);
  const rows = groups.flatMap(ofGroup).filter(({ flag }) => flag === undefined);
  return rows.flatMap(({ env }) => env?.[0] ?? []).join(', ');
}

/** The help on variables; docs/settings.md explains each of them. */
const SETTINGS_HELP = `
More settings are environment variables; docs/settings.md says what each means:
  ${variables('server')}, BRAIN_LOG_LEVEL, BRAIN_DEVICE, ${variables('people', 'notes')}
  ${variables('inbox')}
  ${variables('converter')}
  ${variables('database', 'tables', 'embedder')}
  ${variables('embedding')}
  ${variables('answers')}`.replace(/(?=.{99})(.{0,97},) /g, '$1\n  '); // A line holds at most 98 columns.

/** Adds `brain init`, which makes the folder of a new vault. */
export function addInitCommand(program: Command, io: Io): void {
  program
    .command('init')
    .description('make the folder of a new vault')
    .argument('<folder>', 'the folder; those above it are made too')
    .action(async (folder: string, _: unknown, command: Command) => {
      const { initVault } = await import('../server/init');
      await initVault(folder, io, command.optsWithGlobals<{ json?: boolean }>().json === true);
    });
}

/** Adds `brain serve`: the server, which is loaded only when it is started. */
export function addServeCommand(program: Command, io: Io): void {
  const command = program
    .command('serve')
    .description('serve a vault over HTTP and MCP until it is stopped')
    .option(
      '--vault <dir>',
      'folder of the vault, which has to be there (default: BRAIN_VAULT, else ./brain)',
    )
    .option(
      '--store <address>',
      'database that holds the vault in the place of a folder: postgres://… (default: BRAIN_STORE)',
      storeFlag,
    );
  command.option('--create', 'make the folder of the vault when it is absent');
  for (const { flag } of Object.values(SETTINGS)) if (flag !== undefined) command.option(...flag);
  command
    .option('--tls-cert <file>', 'certificate in PEM, to serve HTTPS')
    .option('--tls-key <file>', 'its private key in PEM')
    .option('--until-idle <minutes>', 'end when nobody has called for so long, as "brain mcp --start" has it')
    .addHelpText(
      'after',
      `
Examples:
  $ brain serve --vault ~/brain
  $ brain serve --vault ~/brain --port 8080
${SETTINGS_HELP}`,
    )
    .action(async (options: ServeOptions) => {
      const { serve } = await import('../server/serve');
      await serve(options, io);
    });
}
