import { Argument, type Command } from 'commander';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { configFolder } from '../../adapters/host/config-folder';
import { isRecord, parsedJson } from '../../core/base/json';
import { sha256 } from '../../core/base/hash';
import type { context } from '../../core/context/context';
import { contextText } from '../../core/context/text';
import { type Answer, type Client, clientFrom } from '../terminal/client';
import { CommandError, FailedAnswer, type Io } from '../terminal/io';
import { shellWord } from '../terminal/program';
import { wholeNumber } from './arguments';
import { wantsJson } from './ask';
import { HOOK_CLIENTS, type HookChange, hookChange, type HookClient, writeHookChange } from './hook-files';

/** The time in which a hook answers, whatever happens (ms): with the start of the program two seconds. */
const BUDGET_MS = 1_400;
/** The tokens of the context that a session begins with. */
const TOKENS = 1_500;
/** The fewest tokens of a context: what is asked for is only when the caller wrote last. */
const FEWEST_TOKENS = 200;
/** How long the state of a session is kept (ms). */
const KEPT_MS = 7 * 86_400_000;

const ASK =
  'Files changed in this session and nothing was stored in Brain meanwhile: store what will matter again (decisions with their reasons, failures, open items) with brain_write, brain_edit or capture, or end if there is nothing.';

interface HookOptions {
  readonly wing?: string;
  readonly maxTokens?: number;
}

/** Returns true for a call that a client makes: there the code of wrong usage would keep the agent from ending. */
export function isHookOfClient(args: readonly string[]): boolean {
  const [command, next = ''] = args.filter((word) => !word.startsWith('-'));
  const isSetUp = next === 'install' || next === 'remove';
  return command === 'hook' && !isSetUp && HOOK_CLIENTS.some((client) => args.includes(client));
}

/** Adds `brain hook`: what a client runs at the start and the end of a session, and its set-up. */
export function addHookCommand(program: Command, io: Io): void {
  const named = () => new Argument('<client>', HOOK_CLIENTS.join(', ')).choices(HOOK_CLIENTS);
  const hook = program
    .command('hook')
    .description('what Claude Code, Codex and Cursor run at the start and the end of a session')
    .addArgument(named());
  withOptions(hook)
    .addHelpText(
      'after',
      `
It reads the event of the client from standard input. A session begins with what "brain context" says of the wing that is
named like the repository, else of all; when files changed in it and nothing was stored, the agent is asked once to store
what matters. It answers within two seconds, and with nothing when no server does.

Examples:
  $ brain hook install claude-code
  $ brain hook remove claude-code`,
    )
    .action(async (client: HookClient, options: HookOptions) => {
      const answer = await answerWithin(BUDGET_MS, () => answerTo(client, options, io));
      if (answer !== null) io.stdout.write(`${JSON.stringify(answer)}\n`);
    });

  withOptions(
    hook.command('install').description('show the file that is written, and write it').addArgument(named()),
  )
    .option('--yes', 'write it without asking')
    .action(async (client: HookClient, _: unknown, command: Command) => {
      // The command above takes the options that both have.
      const options = command.optsWithGlobals<HookOptions & { readonly yes?: boolean }>();
      if (io.program.some((word) => /[\\/]_npx[\\/]/.test(word)))
        throw new CommandError(
          'This program is in a cache of npx, which may be emptied. Install it first: npm install -g brain-server. Then: brain hook install',
        );
      const words = [...(io.program.length > 0 ? io.program : [io.command]), 'hook', client];
      if (options.wing !== undefined) words.push('--wing', options.wing);
      if (options.maxTokens !== undefined) words.push('--max-tokens', String(options.maxTokens));
      const change = await hookChange(client, words.map((word) => shellWord(word)).join(' '), io.env);
      await carryOut(io, client, change, { isYes: options.yes === true, json: wantsJson(command) });
    });

  hook
    .command('remove')
    .description('take the hooks of a client away again; all else in its file stays')
    .addArgument(named())
    .action(async (client: HookClient, _: unknown, command: Command) => {
      const change = await hookChange(client, null, io.env);
      await carryOut(io, client, change, { isYes: true, json: wantsJson(command) });
    });
}

function withOptions(command: Command): Command {
  return command
    .option('--wing <wing>', 'begin with this wing, whatever the repository is called')
    .option('--max-tokens <n>', `begin with at most <n> tokens (default: ${TOKENS})`, wholeNumber);
}

/** Shows a change and makes it, after a yes. @throws FailedAnswer when nothing was changed */
async function carryOut(
  io: Io,
  client: HookClient,
  change: HookChange,
  { isYes, json }: { readonly isYes: boolean; readonly json: boolean },
): Promise<void> {
  const { file, before, after } = change;
  const isSame = before === after;
  const say = (isWritten: boolean): void => {
    if (json)
      io.stdout.write(`${JSON.stringify({ hook: { client, file, text: after, written: isWritten } })}\n`);
  };
  if (!json && isSame) io.stdout.write(`${file}: nothing to change.\n`);
  if (isSame) return say(false);
  if (!json) io.stdout.write(after === null ? `${file} is removed.\n` : `${file} becomes:\n\n${after}\n`);
  if (!isYes && (json || io.stdin.isTTY !== true || !(await agrees(io)))) {
    say(false);
    throw new FailedAnswer('Nothing was changed. Do it with: --yes');
  }
  await writeHookChange(change);
  say(true);
  const trust = client === 'codex' && after !== null ? ' Codex asks once to trust it (/hooks).' : '';
  if (!json) io.stdout.write(`Done.${trust}\n`);
}

async function agrees({ stdin, stderr }: Io): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question('Write it? [y/N] ')).trim());
  } finally {
    lines.close();
  }
}

/** Resolves with the outcome of the work; null when it fails, or takes longer. */
async function answerWithin(ms: number, work: () => Promise<object | null>): Promise<object | null> {
  const over = new AbortController();
  try {
    return await Promise.race([work(), sleep(ms, null, { signal: over.signal })]);
  } catch {
    // A session must not suffer from a server that is not there.
    return null;
  } finally {
    over.abort();
  }
}

/** What a session knows of its beginning. */
interface SessionState {
  /** The last commit and the changed files; null outside a repository. */
  readonly files: string | null;
  /** The last write that the server knew; null for none. */
  readonly lastWrite: string | null;
  /** True when the agent was asked to store something. */
  readonly asked: boolean;
}

/** Returns what the client is answered to the event on standard input; null for nothing. */
async function answerTo(client: HookClient, options: HookOptions, io: Io): Promise<object | null> {
  const event = parsedJson(io.stdin.isTTY === true ? '' : await readAll(io.stdin));
  if (!isRecord(event)) return null;
  const session = event.session_id ?? event.conversation_id;
  const roots: unknown[] = Array.isArray(event.workspace_roots) ? event.workspace_roots : [];
  const folder = [event.cwd, ...roots].find((each) => typeof each === 'string' && each !== '');
  if (typeof session !== 'string' || typeof folder !== 'string') return null;
  const stateFile = path.join(stateFolder(io), `${sha256(`${client} ${session}`).slice(0, 32)}.json`);
  switch (event.hook_event_name) {
    case 'SessionStart':
    case 'sessionStart':
      return begin(client, options, io, folder, stateFile);
    case 'Stop':
    case 'stop': {
      const isAgain = event.stop_hook_active === true || Number(event.loop_count ?? 0) > 0;
      const isCut = client === 'cursor' && (event.status ?? 'completed') !== 'completed';
      if (isAgain || isCut || !(await shouldAsk(io, folder, stateFile))) return null;
      return client === 'cursor' ? { followup_message: ASK } : { decision: 'block', reason: ASK };
    }
    default:
      return null;
  }
}

async function begin(
  client: HookClient,
  { wing, maxTokens = TOKENS }: HookOptions,
  io: Io,
  folder: string,
  stateFile: string,
): Promise<object | null> {
  const [server, top] = await Promise.all([clientFrom(io), git(folder, 'rev-parse', '--show-toplevel')]);
  const name = wing ?? (top === null ? undefined : path.basename(top.trim()));
  const found = await contextOf(server, name, maxTokens);
  // After a compaction the session goes on: its beginning stays.
  if ((await readState(stateFile)) === null)
    await writeState(stateFile, {
      files: await filesOf(folder),
      lastWrite: found.last_write ?? null,
      asked: false,
    });
  if (found.sections.length === 0) return null;
  const text = contextText(found);
  if (client === 'cursor') return { additional_context: text };
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } };
}

/** Resolves with the context of a wing, or of all where there is no such wing. */
async function contextOf(
  server: Client,
  wing: string | undefined,
  tokens: number,
): Promise<Answer<typeof context>> {
  const ask = async (fields: object) =>
    (await server.call('context', { ...fields, max_tokens: tokens }, BUDGET_MS)).value;
  if (wing === undefined) return ask({});
  const found = await ask({ wing }).catch((error: unknown) => {
    if (error instanceof CommandError && error.code === 'invalid_wing') return null;
    throw error;
  });
  return found === null || found.warnings !== undefined ? ask({}) : found;
}

/** Resolves true, once for a session, when files changed in it and nothing was stored since it began. */
async function shouldAsk(io: Io, folder: string, stateFile: string): Promise<boolean> {
  const state = await readState(stateFile);
  if (state === null || state.asked || state.files === null) return false;
  const files = await filesOf(folder);
  if (files === null || files === state.files) return false;
  const server = await clientFrom(io);
  const { value } = await server.call('context', { max_tokens: FEWEST_TOKENS }, BUDGET_MS);
  if ((value.last_write ?? null) !== state.lastWrite) return false;
  await writeState(stateFile, { ...state, asked: true });
  return true;
}

/** Resolves with the last commit and the changed files of a repository, as one hash; null outside one. */
async function filesOf(folder: string): Promise<string | null> {
  const status = await git(folder, 'status', '--porcelain=v2', '--branch');
  // How far the branch is from the one that it follows changes without a file that changes.
  return status === null ? null : sha256(status.replace(/^# branch\.(?!oid).*$/gm, ''));
}

async function git(folder: string, ...args: string[]): Promise<string | null> {
  try {
    // Without a lock, so that no command of the agent fails.
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' };
    const { stdout } = await promisify(execFile)('git', ['-C', folder, ...args], {
      env,
      timeout: BUDGET_MS,
      maxBuffer: 1 << 26,
    });
    return stdout;
  } catch {
    return null;
  }
}

function stateFolder({ env }: Pick<Io, 'env'>): string {
  return path.join(configFolder(env, process.platform, env.HOME || homedir()), 'hooks');
}

async function readState(file: string): Promise<SessionState | null> {
  const state = parsedJson(await readFile(file, 'utf8').catch(() => ''));
  if (!isRecord(state)) return null;
  const { files, lastWrite, asked } = state;
  return {
    files: typeof files === 'string' ? files : null,
    lastWrite: typeof lastWrite === 'string' ? lastWrite : null,
    asked: asked === true,
  };
}

/** Keeps the state of a session, and removes those that are old. */
async function writeState(file: string, state: SessionState): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(state), { mode: 0o600 });
  const oldest = Date.now() - KEPT_MS;
  for (const name of await readdir(folder)) {
    const other = path.join(folder, name);
    const found = await stat(other).catch(() => null);
    if (found !== null && found.mtimeMs < oldest) await rm(other, { force: true });
  }
}
