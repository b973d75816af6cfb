import { Command, CommanderError } from 'commander';
import { DEFAULT_URL } from '../../core/config/settings';
import { CommandError, type Io, UsageError } from '../terminal/io';
import { printable } from '../terminal/output';
import { VERSION } from '../terminal/program';
import { addAnswerCommand } from './answer';
import { addAuditCommand } from './audit';
import { addCurateCommands } from './curate';
import { addDoctorCommand } from './doctor';
import { addEmbeddingsCommand } from './embeddings';
import { addIngestCommands } from './ingest';
import { addReadCommands } from './read';
import { addMcpCommand, addServeCommand } from './serve';
import { addTokenCommands } from './token';
import { addUndoCommands } from './undo';
import { addWriteCommands } from './write';

/** The width of the help text (columns); the same everywhere, so that it can be quoted. */
const HELP_WIDTH = 100;

const ENVIRONMENT_HELP = `
Environment:
  BRAIN_URL         address of the server (default: ${DEFAULT_URL})
  BRAIN_TOKEN       token to send (default: the owner token of this user)
  BRAIN_VAULT       folder of the vault for serve and audit (default: ./brain)
  BRAIN_CONFIG_DIR  where tokens are kept (default: the user's configuration folder)

Exit codes: 0 done, 1 the service or the system refused, 2 wrong usage.`;

/**
 * Runs the command line and resolves with its exit code: 0 done, 1 refused by the service or the system, 2 wrong usage.
 * Every message goes to standard error, so that standard output holds answers only; with --json these include the service's
 * error answers.
 */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  const root = program(io);
  try {
    await root.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof UsageError) return fail(io, error.message, 2);
    if (error instanceof CommandError) {
      const { json } = root.opts<{ readonly json?: boolean }>();
      if (json === true && error.body !== undefined) io.stdout.write(`${error.body.trimEnd()}\n`);
      return fail(io, error.code === undefined ? error.message : `${error.message} (${error.code})`, 1);
    }
    return fail(io, error instanceof Error ? error.message : String(error), 1);
  }
}

/** Returns the whole command line. commander reports wrong usage itself, with a suggestion for an unknown command. */
function program(io: Io): Command {
  const root = new Command('brain')
    .description('A curated memory for people and their AI agents, in a vault of Markdown notes.')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--json', "print the service's JSON answer, also when it refuses")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
    })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', ENVIRONMENT_HELP);
  addServeCommand(root, io);
  addWriteCommands(root, io);
  addReadCommands(root, io);
  addAnswerCommand(root, io);
  addIngestCommands(root, io);
  addCurateCommands(root, io);
  addEmbeddingsCommand(root, io);
  addTokenCommands(root, io);
  addMcpCommand(root, io);
  addAuditCommand(root, io);
  addUndoCommands(root, io);
  addDoctorCommand(root, io);
  return root;
}

function fail(io: Io, message: string, code: number): number {
  io.stderr.write(`brain: ${printable(message)}\n`);
  return code;
}
