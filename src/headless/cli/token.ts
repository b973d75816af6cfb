import type { Command } from 'commander';
import { systemClock } from '../../adapters/host/device';
import { logOn } from '../../adapters/host/log';
import { isOwnToken } from '../../adapters/host/token-contents';
import type { TokenFile } from '../../adapters/host/token-file';
import type { Scope, TokenLimits } from '../../core/access/tokens';
import { BrainError } from '../../core/base/errors';
import { CommandError, type Io, UsageError } from '../terminal/io';
import { columns } from '../terminal/output';
import { nameList, scopeList } from './arguments';
import { STORE, withStore } from './transfer';

interface Options {
  readonly json?: boolean;
  readonly store?: string;
}

interface AddOptions extends Options {
  readonly scopes?: Scope[];
  readonly quarantine?: boolean;
  readonly human?: boolean;
  readonly read?: string[];
  readonly writeWings?: string[];
}

/** The scopes of a new token by default. */
const USUAL: readonly Scope[] = ['read', 'write'];
/** The scopes of a person's token by default. */
const HUMAN: readonly Scope[] = ['read', 'write', 'review'];
/** The scopes of a quarantined token: all that it writes waits in the review queue, and it changes no existing note. */
const QUARANTINE: readonly Scope[] = ['read', 'propose'];

/**
 * Adds `brain token …`: the tokens of the server, or of all servers that share a vault. A running server sees every change within a
 * second.
 */
export function addTokenCommands(program: Command, io: Io): void {
  const token = program.command('token').description('make, list and take away the tokens that clients send');

  token
    .command('list')
    .description('list the tokens, what they may do and when they were last used')
    .option(...STORE)
    .action((_: unknown, command: Command) => listTokens(io, command.optsWithGlobals<Options>()));

  token
    .command('add')
    .description('make a token and print it, this once')
    .argument('<name>', 'who it is for; it shows in the notes that this client writes')
    .option('--scopes <list>', 'read, propose, write, review, admin (default: read,write)', scopeList)
    .option(
      '--human',
      'it is for a person, who decides as "human:<name>"; it has read,write,review by default',
    )
    .option('--quarantine', 'everything it writes waits in raw/, whatever it asks for: --scopes read,propose')
    .option(
      '--read <paths>',
      'folders and files of the vault that it reads; nothing else exists for it',
      nameList,
    )
    .option('--write-wings <wings>', 'wings that it writes into; it writes into no other', nameList)
    .option(...STORE)
    .addHelpText(
      'after',
      `
A client with "propose" can only put notes into the review queue, and changes none that stands. Without "review" it cannot
promote or reject.

With --read a token searches, reads and follows links as if the vault held nothing else. What it writes where it may not read
waits in the review queue. Without --read and --write-wings it reads and writes all that its scopes allow.

With --human what is done with the token is a person's act: on the web page, and by programs that call HTTP. An MCP client with it
is an agent like any other: it writes under the token's own name and can neither promote nor reject.

Examples:
  $ brain token add laptop
  $ brain token add ada --human
  $ brain token add intern --quarantine
  $ brain token add intern --read wiki/homelab,knowledge --write-wings homelab
  $ brain token add reader --scopes read`,
    )
    .action((name: string, _: unknown, command: Command) =>
      addToken(io, name, command.optsWithGlobals<AddOptions>()),
    );

  token
    .command('revoke')
    .description('take a token away; the owner and bridge tokens are replaced by new ones')
    .argument('<name>')
    .option(...STORE)
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const { json } = options;
      // The two that programs of this machine send are in its file in any case.
      const revoke = (known: Tokens) => known.revoke(name);
      const revoked = isOwnToken(name) ? await revoke(await open(io)) : await withTokens(io, options, revoke);
      if (!revoked) throw new CommandError(`There is no token "${name}". See: ${io.command} token list`);
      if (json) io.stdout.write(`${JSON.stringify({ name, revoked })}\n`);
      io.stderr.write(`Token "${name}" is no longer accepted.\n`);
    });

  token
    .command('show')
    .description('print the token that this command line sends: BRAIN_TOKEN, else the owner token')
    .action(async (_: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<Options>();
      const token = io.env.BRAIN_TOKEN || (await ownToken(io));
      io.stdout.write(`${json ? JSON.stringify({ token }) : token}\n`);
    });
}

/** Returns the owner's token, and makes nothing. @throws CommandError when no server has made it yet. */
async function ownToken({ env, command }: Io): Promise<string> {
  const { userToken } = await import('../terminal/tokens');
  const token = await userToken(env, 'owner');
  if (token !== null) return token;
  throw new CommandError(
    `There is no token yet: the first start of a server makes it. Start one with: ${command} serve --vault <dir>`,
  );
}

async function open(io: Io) {
  const { openTokens } = await import('../terminal/tokens');
  return openTokens(io.env, logOn(io.stderr, systemClock));
}

/** The tokens of this user, or those of a shared vault. */
type Tokens = Pick<TokenFile, 'list' | 'add' | 'revoke'>;

/** Runs work on the tokens of a shared vault when one is named, else on those of this user. With `makes` its tables are made. */
function withTokens<T>(
  io: Io,
  { store }: Options,
  work: (tokens: Tokens) => Promise<T>,
  makes = false,
): Promise<T> {
  const dsn = store ?? io.env.BRAIN_STORE ?? '';
  if (dsn === '') return open(io).then(work);
  return withStore(io, dsn, async (sql) => {
    const { openTokenTable } = await import('../../adapters/shared/store');
    return work(await openTokenTable(sql, { makes }));
  });
}

/** Prints the tokens. */
async function listTokens(io: Io, options: Options): Promise<void> {
  const tokens = await withTokens(io, options, (known) => known.list());
  const rows = tokens.map((one) => [
    one.name,
    one.human === true ? `human:${one.name}` : one.name,
    one.scopes.join(' '),
    one.limits?.read?.join(',') ?? 'all',
    one.limits?.writeWings?.join(',') ?? 'all',
    one.created_at,
    one.last_used ?? 'never',
  ]);
  const lines = options.json
    ? [JSON.stringify({ tokens: tokens.map(({ limits, ...one }) => ({ ...one, ...shown(limits) })) })]
    : rows.length === 0
      ? [`There are no tokens yet. Make one with: ${io.command} token add <name>`]
      : columns([['NAME', 'WRITES AS', 'SCOPES', 'READS', 'WRITES INTO', 'MADE', 'LAST USED'], ...rows]);
  io.stdout.write(`${lines.join('\n')}\n`);
}

/** Makes a token and prints it. */
async function addToken(io: Io, name: string, options: AddOptions): Promise<void> {
  const { json, scopes: given, quarantine = false, human = false } = options;
  if (quarantine && given !== undefined) {
    throw new UsageError('With --quarantine it is settled what the token may do. Leave --scopes out.');
  }
  if (quarantine && human) {
    throw new UsageError('The token of a person is not in quarantine. Leave out --quarantine or --human.');
  }
  const scopes = quarantine ? QUARANTINE : (given ?? (human ? HUMAN : USUAL));
  const limits = await checked(name, options);
  const text = await withTokens(io, options, (known) => known.add(name, scopes, { ...limits, human }), true);
  if (text === null)
    throw new CommandError(`There is a token "${name}" already. Revoke it first, or choose another name.`);
  const made = { name, scopes, ...(human && { human }), ...shown(limits), token: text };
  io.stdout.write(`${json ? JSON.stringify(made) : text}\n`);
  const { read, writeWings } = limits;
  const parts = [
    `Token "${name}" may: ${scopes.join(', ')}.`,
    ...(human ? [`What is done with it is signed "human:${name}", except over MCP.`] : []),
    ...(read === undefined ? [] : [`It reads only ${read.join(', ')}.`]),
    ...(writeWings === undefined ? [] : [`It writes only into ${writeWings.join(', ')}.`]),
  ];
  io.stderr.write(`${parts.join(' ')} It is shown only now.\n`);
}

/** Returns limits as JSON shows them. */
function shown({ read, writeWings }: TokenLimits = {}): {
  read?: readonly string[];
  write_wings?: readonly string[];
} {
  return {
    ...(read !== undefined && { read }),
    ...(writeWings !== undefined && { write_wings: writeWings }),
  };
}

/** Checks a token's name and returns its limits. @throws UsageError when something is invalid. */
async function checked(name: string, { read, writeWings }: AddOptions): Promise<TokenLimits> {
  const { checkTokenName } = await import('../../core/access/tokens');
  const { readPaths, wingNames } = await import('../../core/vocabulary/token-limits');
  try {
    checkTokenName(name);
    return {
      ...(read !== undefined && { read: readPaths(read) }),
      ...(writeWings !== undefined && { writeWings: wingNames(writeWings) }),
    };
  } catch (error) {
    throw error instanceof BrainError ? new UsageError(error.message) : error;
  }
}
