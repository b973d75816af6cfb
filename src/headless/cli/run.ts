import { Command, CommanderError } from 'commander';
import { isRecord } from '../../core/base/json';
import { DEFAULT_URL } from '../../core/config/settings';
import {
  CommandError,
  FailedAnswer,
  Interrupted,
  INTERRUPTED,
  type Io,
  Unreachable,
  UsageError,
} from '../terminal/io';
import { hasColours, rendered, styled } from '../terminal/output';
import { VERSION } from '../terminal/program';
import { fillFromFiles } from '../terminal/secrets';
import { addAnswerCommand } from './answer';
import { addAuditCommand } from './audit';
import { addCompletionCommand } from './completion';
import { addCurateCommands } from './curate';
import { addDoctorCommand } from './doctor';
import { addEmbedSetupCommand } from './embed-setup';
import { addEmbeddingsCommand } from './embeddings';
import { addForgetCommand } from './forget';
import { addHookCommand, isHookOfClient } from './hook';
import { addImportCommands } from './imports';
import { addIngestCommands } from './ingest';
import { addListCommands } from './list';
import { addManCommand } from './man';
import { addAdoptCommand, addPromoteCommand } from './promote';
import { addContextCommand, addReadCommands } from './read';
import { addSearchCommand } from './search';
import { addUpkeepCommands } from './upkeep';
import { addInitCommand, addMcpCommand, addServeCommand } from './serve';
import { addTransferCommands, importVault } from './transfer';
import { addServiceCommands } from './service';
import { addTokenCommands } from './token';
import { addRulesCommands } from './rules';
import { addUndoCommands } from './undo';
import { inFlags } from './words';
import { addWriteCommands } from './write';

/** The width of the help text (columns); the same everywhere, so that it can be quoted. */
const HELP_WIDTH = 100;

const ENVIRONMENT_HELP = `
Environment:
  BRAIN_URL         address of the server (default: ${DEFAULT_URL})
  BRAIN_TOKEN       token to send (default: the owner token of this user)
  BRAIN_VAULT       folder of the vault for serve and audit (default: ./brain)
  BRAIN_CONFIG_DIR  where tokens are kept (default: the user's configuration folder)

  NO_COLOR          print no colours; FORCE_COLOR=1 prints them to files and pipes too

Exit codes: 0 done, 1 the service or the system refused, 2 wrong usage, 130 ended with Ctrl-C.`;

/**
 * Runs the command line and resolves with its exit code: 0 done, 1 refused by the service or the system, 2 wrong usage, 130
 * after Ctrl-C. A hook that a client runs ends with 0 after wrong usage, too. Every message goes to standard error, so that
 * standard output holds answers only; with `--json` a failure is one object there, `{"error": {"code", "message"}}`, unless
 * the answer itself tells of it.
 */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  if (isGiven(args, '--no-color')) Object.assign(io.env, { NO_COLOR: '1', FORCE_COLOR: '0' });
  const root = program(io);
  let running = root;
  root.hook('preAction', (_, command) => void (running = command));
  const interrupts = interruption();
  try {
    fillFromFiles(io.env);
    // The earlier name of -v.
    const given = args[0] === '-V' ? ['-v', ...args.slice(1)] : args;
    await Promise.race([root.parseAsync(given, { from: 'user' }), interrupts.happened]);
    return 0;
  } catch (error) {
    const failure = failureOf(error, running);
    if (failure === null) return 0;
    if (isGiven(args, '--json') && failure.body !== null) io.stdout.write(`${failure.body.trimEnd()}\n`);
    if (failure.sentence !== null) sayOn(io, failure.sentence);
    return failure.exit === 2 && isHookOfClient(args) ? 0 : failure.exit;
  } finally {
    interrupts.forget();
  }
}

/** How a command failed. */
interface Failure {
  readonly exit: number;
  /** The sentence for standard error; null when it was said. */
  readonly sentence: string | null;
  /** The object for standard output, with `--json`; null when the answer was printed. */
  readonly body: string | null;
}

/** Returns how the command failed; null for what commander ends with and is no failure, such as help. */
function failureOf(error: unknown, command: Command): Failure | null {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    const isMissing = error.code === 'commander.help';
    const message = isMissing
      ? 'There is no command in this call.'
      : error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    return { exit: 2, sentence: null, body: errorBody('usage', message) };
  }
  const said = error instanceof Error ? error.message : String(error);
  if (error instanceof Interrupted) {
    return {
      exit: INTERRUPTED,
      sentence: said,
      body: error.answered ? null : errorBody('interrupted', said),
    };
  }
  if (error instanceof UsageError) return { exit: 2, sentence: said, body: errorBody('usage', said) };
  if (!(error instanceof CommandError)) return { exit: 1, sentence: said, body: errorBody('failed', said) };
  const message = inFlags(said, command);
  const code = error.code ?? (error instanceof Unreachable ? 'unreachable' : 'failed');
  return {
    exit: 1,
    sentence: error.code === undefined ? message : `${message} (${error.code})`,
    body: error instanceof FailedAnswer ? null : (worded(error.body, message) ?? errorBody(code, message)),
  };
}

/** Returns the service's error with the message of the command line; null without one. */
function worded(body: string | undefined, message: string): string | null {
  if (body === undefined) return null;
  const answer: unknown = JSON.parse(body);
  if (!isRecord(answer) || !isRecord(answer.error)) return body;
  return JSON.stringify({ ...answer, error: { ...answer.error, message } });
}

function errorBody(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } });
}

/** Returns true when the flag is given before `--`, also in a call that cannot be understood. */
function isGiven(args: readonly string[], flag: string): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes(flag);
}

/** Rejects at Ctrl-C, unless the running command listens for it as well: that one decides by itself. */
function interruption(): { happened: Promise<never>; forget: () => void } {
  let listener: () => void = () => undefined;
  const happened = new Promise<never>((_, reject) => {
    listener = () => {
      if (process.listenerCount('SIGINT') === 1) reject(new Interrupted());
    };
  });
  process.on('SIGINT', listener);
  return { happened, forget: () => process.off('SIGINT', listener) };
}

/** Returns the whole command line. commander reports wrong usage itself, with a suggestion for an unknown command. */
function program(io: Io): Command {
  const root = new Command('brain')
    .description('A curated memory for people and their AI agents, in a vault of Markdown notes.')
    .version(VERSION, '-v, --version', 'print the version')
    .option('--json', 'print one JSON object: the answer of the service, or the error')
    .option('--no-color', 'print no colours; a terminal gets them by default')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
    })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', ENVIRONMENT_HELP);
  addInitCommand(root, io);
  addServeCommand(root, io);
  addTransferCommands(root, io);
  addWriteCommands(root, io);
  addSearchCommand(root, io);
  addReadCommands(root, io);
  addListCommands(root, io);
  addAnswerCommand(root, io);
  addContextCommand(root, io);
  addHookCommand(root, io);
  addIngestCommands(root, io);
  addImportCommands(root, io, (options) => importVault(io, options));
  addPromoteCommand(root, io);
  addAdoptCommand(root, io);
  addCurateCommands(root, io);
  addUpkeepCommands(root, io);
  addEmbeddingsCommand(root, io);
  addEmbedSetupCommand(root, io);
  addServiceCommands(root, io);
  addTokenCommands(root, io);
  addMcpCommand(root, io);
  addAuditCommand(root, io);
  addRulesCommands(root, io);
  addForgetCommand(root, io);
  addUndoCommands(root, io);
  addDoctorCommand(root, io);
  addCompletionCommand(root, io);
  addManCommand(root, io);
  return root;
}

function sayOn({ stderr, env }: Io, message: string): void {
  const colours = hasColours(env, stderr);
  // A progress bar may stand in the line.
  if (stderr.isTTY === true) stderr.write('\r\u001b[K');
  stderr.write(`${rendered([styled('red', 'brain:'), ` ${message}`], colours)}\n`);
}
