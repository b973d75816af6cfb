import type { Command } from 'commander';
import { homedir } from 'node:os';
import path from 'node:path';
import { configFolder } from '../../adapters/host/config-folder';
import { DEFAULT_URL, SETTINGS } from '../../core/config/settings';
import { refuseMissing } from '../server/place';
import {
  checkServiceName,
  hasOwnDescription,
  installService,
  serviceManager,
  serviceState,
  settingsFor,
  uninstallService,
} from '../service/manage';
import { CommandError, FailedAnswer, type Io, UsageError } from '../terminal/io';
import { absoluteEnvironment, vaultFolder } from '../terminal/program';

const NAME = 'brain-server';

/** The variables that a service takes over from the environment in which it is set up. */
const TAKEN = [
  ...['BRAIN_TOKEN', 'BRAIN_LOG_LEVEL', 'BRAIN_DEVICE', 'BRAIN_CONFIG_DIR'],
  ...Object.values(SETTINGS).flatMap(({ env }) => env?.[0] ?? []),
].filter((name) => name !== 'BRAIN_PORT');

interface Options {
  readonly name: string;
  readonly vault?: string;
  readonly port?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Adds `brain service …`: the server as a service of the user, with systemd on Linux and launchd on macOS. */
export function addServiceCommands(program: Command, io: Io): void {
  const { platform } = process;
  const service = program
    .command('service')
    .description('have the server started at each login, by systemd on Linux or launchd on macOS');

  service
    .command('install')
    .description('set up the service and start it; done again, it takes over what has changed')
    .option('--vault <dir>', 'folder of the vault (default: BRAIN_VAULT)')
    .option('--port <number>', 'port (default: BRAIN_PORT, else 27246)')
    .option('--name <name>', 'name of the service; a second vault needs another one', NAME)
    .option('--dry-run', 'print the files and change nothing')
    .addHelpText(
      'after',
      `
Settings that are set as environment variables now (BRAIN_EMBED_URL=… ${io.command} service install …) are
kept in a file that only you can read, and used from then on.

Examples:
  $ brain service install --vault ~/notes
  $ brain service install --vault ~/work --port 27247 --name brain-work`,
    )
    .action(async (_: unknown, command: Command) =>
      install(command.optsWithGlobals<Options>(), io, platform),
    );

  service
    .command('uninstall')
    .description('stop the service and take it away; vault, settings and tokens stay')
    .option('--name <name>', 'name of the service', NAME)
    .action(async (_: unknown, command: Command) => {
      const { name, json } = command.optsWithGlobals<Options>();
      const { manager } = prepared(name, io, platform);
      if (!(await uninstallService(manager, name))) {
        throw new CommandError(`There is no service "${name}": ${manager.file(name)} does not exist.`);
      }
      io.stdout.write(
        json === true ? `${JSON.stringify({ name, uninstalled: true })}\n` : `The service ${name} is gone.\n`,
      );
    });

  service
    .command('status')
    .description('say whether the service runs; ends with 1 when it does not')
    .option('--name <name>', 'name of the service', NAME)
    .action(async (_: unknown, command: Command) => {
      const { name, json } = command.optsWithGlobals<Options>();
      const { manager, logFile } = prepared(name, io, platform);
      const found = await serviceState(manager, name);
      const lines = [
        `${name}: ${found.state}`,
        ...(found.installed ? [`  file: ${found.file}`, `  log:  ${manager.log({ name, logFile })}`] : []),
      ];
      io.stdout.write(json === true ? `${JSON.stringify(found)}\n` : `${lines.join('\n')}\n`);
      if (!found.running) {
        const start = `${io.command} service install --vault <dir>`;
        const next = found.installed ? 'The log says why.' : `Set it up with: ${start}`;
        throw new FailedAnswer(`The service ${name} does not run. ${next}`);
      }
    });
}

/** Finds the files of a service. @throws UsageError for its name, CommandError for this system. */
function prepared(name: string, io: Io, platform: NodeJS.Platform) {
  checkServiceName(name);
  const home = io.env.HOME || homedir();
  const manager = serviceManager(io.env, home, platform);
  const envFile = path.join(configFolder(io.env, platform, home), `${name}.env`);
  return { manager, envFile, logFile: path.join(home, 'Library', 'Logs', `${name}.log`) };
}

async function install(options: Options, io: Io, platform: NodeJS.Platform): Promise<void> {
  const { name, port: typed, dryRun, json } = options;
  const { manager, envFile, logFile } = prepared(name, io, platform);
  if (options.vault === undefined && !io.env.BRAIN_VAULT) {
    throw new UsageError('The service needs a vault. Name its folder, such as: --vault ~/notes');
  }
  const vault = vaultFolder(options.vault, io.env);
  const port = typed ?? (io.env.BRAIN_PORT || new URL(DEFAULT_URL).port);
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new UsageError(`The port in --port is "${port}". Use a whole number from 1 to 65535.`);
  }
  if (io.program.some((word) => /[\\/]_npx[\\/]/.test(word))) {
    throw new CommandError(
      'This program is in a cache of npx, which may be emptied. Install it first: npm install -g brain-server. Then: brain service install',
    );
  }
  await refuseMissing(vault, io.command);
  const spec = { name, vault, port, program: io.program, envFile, logFile };
  const settings = await settingsFor(envFile, absoluteEnvironment(io.env), TAKEN);
  const file = manager.file(name);
  if (dryRun === true) {
    await hasOwnDescription(manager, name);
    const secretless = Object.keys(settings).join(', ') || 'none';
    io.stdout.write(`# ${file}\n${manager.describe(spec)}\n# ${envFile}\n# Settings: ${secretless}\n`);
    return;
  }
  await installService(manager, spec, settings);
  const lines = [
    `The service ${name} serves ${vault} on port ${port}.`,
    `  file:     ${file}`,
    `  settings: ${envFile}`,
    `  log:      ${manager.log(spec)}`,
    manager.note,
    `Look whether it runs: ${io.command} service status${name === NAME ? '' : ` --name ${name}`}`,
  ];
  io.stdout.write(
    json === true ? `${JSON.stringify({ name, vault, port, file })}\n` : `${lines.join('\n')}\n`,
  );
}
