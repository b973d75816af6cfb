import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir, networkInterfaces } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../adapters/host/device';
import { configFolder, type Environment } from '../../adapters/host/config-folder';
import { logOn, LOG_LEVELS, type LogLevel } from '../../adapters/host/log';
import { localSocket, proofOf, type ServerEnd } from '../../adapters/host/own-server';
import { isOwnToken } from '../../adapters/host/token-contents';
import type { TokenFile } from '../../adapters/host/token-file';
import {
  ALL_SCOPES,
  createPageToken,
  findToken,
  ownTokenFault,
  hashToken,
  joinTokenStores,
  type TokenStore,
} from '../../core/access/tokens';
import { type Config, ConfigError, settleConfig } from '../../core/config/config';
import { SETTING_NAMES, type SettingName, SETTINGS } from '../../core/config/settings';
import type { Brain } from '../../core/operation/context';
import { Away } from '../../core/ports/ports';
import { scopeSentence } from '../../core/vocabulary/read-scope';
import type { LookOptions } from '../../core/status/checks';
import { type Check, personNameChecks, tokenNameChecks } from '../../core/vocabulary/check';
import { placeOf } from '../../adapters/postgres/pg';
import { createApp, createWaitingApp, type PageFiles, type Proof, type Prove } from '../../doors/http/app';
import {
  checkExposure,
  isLoopback,
  PortBusy,
  type RequestHandler,
  type RunningServer,
  startServer,
} from '../../doors/http/listen';
import { createMcpDoor } from '../../doors/mcp/server';
import { CommandError, type Io, unreadable, UsageError } from '../terminal/io';
import { bridgeEntry, Disposables, vaultFolder, VERSION } from '../terminal/program';
import { decoded, SECRETS } from '../terminal/secrets';
import { isSendable, openTokens, UNSENDABLE, customTokenFolder } from '../terminal/tokens';
import { hostChecks, portChecks } from './checks';
import { idleTime, watchIdle } from './idle';
import { ServerMetrics } from './metrics';
import { openSharedVault, openVault } from './open';
import { checkPlace } from './place';
import { busyPort } from './port';
import { ServedVault } from './served';

/** How other machines can reach the server. */
export interface Exposure {
  /** The URLs for other machines, without a slash at the end. */
  readonly urls: readonly string[];
  /** An address of this machine that would work if it were listed in `BRAIN_ALLOWED_HOSTS`. */
  readonly unlisted: string | null;
  readonly tls: boolean;
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Returns how other machines can reach the server; null when only this one can. A request is answered under the names of
 * `allowedHosts` and, on this machine, of the loopback; so another address works only when it is in that list.
 */
export function exposureOf(
  { host, allowedHosts }: Pick<Config, 'host' | 'allowedHosts'>,
  { port, tls }: { readonly port: number; readonly tls: boolean },
  interfaces: Interfaces,
): Exposure | null {
  if (isLoopback(host)) return null;
  const scheme = tls ? 'https' : 'http';
  const hasPort = (name: string): boolean => /:\d{1,5}$/.test(name);
  const urls = allowedHosts.map((name) => `${scheme}://${hasPort(name) ? name : `${name}:${port}`}`);
  const [own] = host === '0.0.0.0' || host === '::' ? addressesOf(interfaces) : [inUrl(host)];
  return { urls, unlisted: urls.length > 0 ? null : (own ?? null), tls };
}

/** Returns the addresses of this machine for others, IPv4 first. */
function addressesOf(interfaces: Interfaces): string[] {
  const outer = Object.values(interfaces)
    .flatMap((some) => some ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const ofFamily = (family: string) => outer.filter((one) => one.family === family);
  return [...ofFamily('IPv4'), ...ofFamily('IPv6')].map(({ address }) => inUrl(address));
}

function inUrl(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

export interface Announcement {
  readonly url: string;
  /** Absolute path of the vault. */
  readonly vault: string;
  /** The command that starts this program: `brain`, or `node dist/brain.mjs`. */
  readonly command: string;
  /** The words with which a client starts this program. */
  readonly program: readonly string[];
  /** The folder of the tokens, when a program that is started elsewhere would not find it; else null. */
  readonly configFolder: string | null;
  /** False when every client that reaches the port may do everything. */
  readonly auth: boolean;
  /** The token in the link to the page. Only for a terminal: a log or a pipe must not store it. */
  readonly pageToken: string | null;
  /** Null when only this machine reaches the server. */
  readonly exposure: Exposure | null;
  /** True when the vault is the home folder of the user. */
  readonly isHome?: boolean;
  /** What is read of the vault, in a sentence. */
  readonly reads: string;
  /** What the first start says of the vault; empty at later ones. */
  readonly first?: readonly string[];
}

/**
 * Returns the message of `brain serve` once it listens. Its first line is for programs too: `Brain Server <version> on
 * <url>`. Every command can be pasted into a POSIX shell and holds no secret. The link to the page has its token behind the
 * `#`, which browsers send to no server.
 */
export function announcement(announced: Announcement): string {
  const {
    url,
    vault,
    command,
    program,
    configFolder,
    auth,
    pageToken,
    exposure,
    isHome = false,
    reads,
    first = [],
  } = announced;
  const bearer = auth ? ` -H "Authorization: Bearer $(${command} token show)"` : '';
  const lines = [
    `Brain Server ${VERSION} on ${url}`,
    `Vault: ${vault}`,
    ...first,
    reads,
    ...(isHome ? [HOME_WARNING] : []),
    ...(exposure === null ? [] : exposureLines(exposure)),
    '',
    'Try it:',
    `  curl -s ${url}/query${bearer} \\`,
    `    -H 'Content-Type: application/json' -d '{"query":"backup"}'`,
    '',
    ...(auth ? agentLines(url, command) : ['Connect an agent over HTTP:', `  ${addToClaude(url)}`]),
    '',
    'For clients that start a program instead:',
    `  ${bridgeEntry(program, url, auth && configFolder !== null ? { BRAIN_CONFIG_DIR: configFolder } : {})}`,
    ...(auth ? ['  It writes as "bridge"; BRAIN_TOKEN in its "env" gives it a token of its own.'] : []),
  ];
  if (!auth) {
    lines.push('', 'BRAIN_AUTH is off: every program on this machine can read and change the vault.');
    lines.push('', 'Your page:', `  Open ${url}/`);
  } else if (pageToken === null) {
    lines.push('', `Your page: ${url}/ asks for the token that "${command} token show" prints.`);
  } else {
    lines.push(
      '',
      'Your page; the link holds for this run, and what is done there counts as your own acts:',
      `  Open ${url}/#token=${pageToken}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const HOME_WARNING =
  'This is your whole home folder. A folder of its own is a better place: name it with --vault <dir>.';

/** Returns the lines for agents. The token is made first: when that fails, nothing is configured. */
function agentLines(url: string, command: string): string[] {
  return [
    'Connect an agent over HTTP, with a token of its own:',
    `  AGENT_TOKEN=$(${command} token add claude) &&`,
    `    ${addToClaude(url)} --header "Authorization: Bearer $AGENT_TOKEN"`,
  ];
}

function addToClaude(url: string): string {
  return `claude mcp add --transport http brain ${url}/mcp`;
}

function exposureLines({ urls, unlisted, tls }: Exposure): string[] {
  const hint =
    unlisted === null
      ? 'Name the address by which they call it in BRAIN_ALLOWED_HOSTS.'
      : `Set BRAIN_ALLOWED_HOSTS=${unlisted} to be called by that address.`;
  return [
    `From other machines: ${urls.length > 0 ? urls.join(', ') : `refused so far. ${hint}`}`,
    '',
    tls
      ? 'Anyone in the network who has a token can read and change this vault.'
      : 'Anyone in the network who has a token can read and change this vault, and tokens and notes cross it in plain text. ' +
        'Give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that speaks HTTPS.',
  ];
}

// esbuild.config.mjs defines it as the bundled page, so that one file is the whole program.
declare const BRAIN_PAGE: PageFiles | undefined;

/** Returns the files of the web page; null when the source was not built. */
function pageFiles(): PageFiles | null {
  return typeof BRAIN_PAGE === 'undefined' ? null : BRAIN_PAGE;
}

/** The tokens of one run of the server. */
interface RunTokens {
  readonly store: TokenStore;
  /**
   * The token of this run's page: a request with it acts as the person. It is kept in memory and shown to a terminal only.
   */
  readonly pageToken: string;
}

/** Returns the saved tokens and a page token; an `ownerToken` from the environment replaces the saved one of the owner. */
function runTokens(file: TokenFile, ownerToken: string | undefined): RunTokens {
  const { token: pageToken, store: page } = createPageToken();
  const saved = ownerToken === undefined ? file : withOwner(file, ownerToken);
  return { store: joinTokenStores(page, saved), pageToken };
}

/** Returns the tokens of the page, the owner and the bridge among others. */
function ofMachine(tokens: TokenStore): TokenStore {
  return {
    async verify(token) {
      const found = await tokens.verify(token);
      return found !== null && (found.page || isOwnToken(found.name)) ? found : null;
    },
  };
}

function withOwner(file: TokenFile, ownerToken: string): TokenStore {
  const entry = { hash: hashToken(ownerToken), name: 'owner', scopes: ALL_SCOPES, page: false };
  return {
    async verify(token) {
      const owner = findToken(hashToken(token), [entry]);
      const saved = await file.verify(token);
      return owner ?? (saved?.name === 'owner' ? null : saved);
    },
  };
}

/**
 * Copies the environment and deletes the credentials from the original, so that child processes and readers of this
 * process's environment do not find them.
 */
export function takeEnvironment(env: Record<string, string | undefined>): Environment {
  const copy = { ...env };
  for (const name of SECRETS) delete env[name];
  return copy;
}

/**
 * Returns the owner's token of this run, if the environment has one, without the spaces and the line break at the end of a
 * file.
 * @throws UsageError when it is too short, ConfigError when no client could send it.
 */
export function ownerTokenOf(env: Environment): string | undefined {
  if (env.BRAIN_TOKEN === undefined || env.BRAIN_TOKEN === '') return undefined;
  const token = env.BRAIN_TOKEN.trim();
  const fault = ownTokenFault(token);
  if (fault !== null) throw new UsageError(fault);
  if (!isSendable(token)) throw new ConfigError(UNSENDABLE);
  return token;
}

/** Returns every credential of the environment, and the password in a database's address, for the log to hide. */
function secretsIn(env: Environment): string[] {
  const given = SECRETS.flatMap((name) => [env[name] || [], env[name]?.trim() || []].flat());
  return given.flatMap((secret) => {
    const password = /:\/\/[^/]*?:([^/]*)@/.exec(secret)?.[1] ?? '';
    return [secret, password, decoded(password)].filter(Boolean);
  });
}

/**
 * Returns the level of the log.
 * @throws ConfigError when `BRAIN_LOG_LEVEL` is no level.
 */
function logLevelOf(env: Environment): LogLevel {
  const given = env.BRAIN_LOG_LEVEL || 'info';
  const level = LOG_LEVELS.find((known) => known === given);
  if (level === undefined) {
    throw new ConfigError(`BRAIN_LOG_LEVEL is "${given}". Use one of: ${LOG_LEVELS.join(', ')}.`);
  }
  return level;
}

interface TlsFiles {
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

/**
 * Reads the files of `--tls-cert` and `--tls-key`, in PEM; undefined without both. They are checked here, as OpenSSL's
 * messages do not say which file is wrong.
 * @throws UsageError for one without the other, CommandError for files that cannot be used.
 */
async function readTls({ tlsCert, tlsKey }: TlsFiles): Promise<{ cert: string; key: string } | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('HTTPS needs both --tls-cert and --tls-key.');
  }
  const [cert, key] = [await read(tlsCert), await read(tlsKey)];
  if (!certificateIn(cert, tlsCert).checkPrivateKey(keyIn(key, tlsKey))) {
    throw new CommandError(
      `${tlsKey} (--tls-key) is not the key of the certificate in ${tlsCert} (--tls-cert).`,
    );
  }
  return { cert, key };
}

function read(file: string): Promise<string> {
  return readFile(path.resolve(file), 'utf8').catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

function certificateIn(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new CommandError(`${file} (--tls-cert) holds no certificate in PEM.`);
  }
}

function keyIn(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new CommandError(
      `${file} (--tls-key) holds no private key in PEM that can be read without a passphrase.`,
    );
  }
}

/** The flags of `brain serve`; each wins over its environment variable. */
export interface ServeOptions extends TlsFiles, Readonly<Partial<Record<SettingName, string>>> {
  readonly vault?: string | undefined;
  /** The address of the database that holds the vault, in the place of a folder. */
  readonly store?: string | undefined;
  readonly untilIdle?: string | undefined;
  /** True to make the folder of the vault when it is absent. */
  readonly create?: boolean | undefined;
}

/** Stands for a signal where nobody uses the server any more. */
const IDLE = 'idle';
/** Stands for a signal where another server took the place of this one. */
const LOST = 'place lost';

/** Returns true while work goes on that no open request waits for. */
function isBusy({ jobs, inbox, hybrid }: Pick<Brain, 'jobs' | 'inbox' | 'hybrid'>): boolean {
  return jobs.isRunning || inbox.state.running !== null || (hybrid?.sync.state.progress ?? null) !== null;
}

/** What the door says of a vault that is away: whoever asks may not know its place. */
const FOLDER_AWAY = 'The folder of the vault is not there, or its disk does not answer.';
const DATABASE_AWAY = 'The database of the vault does not answer.';

/** A vault that is opened for longer than this (ms) is told of at the door and in the log. */
const LONG_MS = 2_000;
const OPENING = 'The vault is still being opened.';
const OPENING_WHY =
  'The vault is still being opened. A server that left its lock may live, on another machine or in another container: it has 30 seconds to answer. Or its disk or database is slow.';

/** The pauses between two tries to open a vault that is away: the first and the longest (ms). */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/**
 * Opens a vault, and tries again with growing pauses while it is away. Meanwhile, and while the opening takes long, the door answers
 * what `waiting` says, and the log tells the reason. Resolves null when a signal stops the server first, which ends the opening.
 */
async function whenBack<T extends { close(): Promise<void> }>(
  open: (signal: AbortSignal) => Promise<T>,
  door: ReturnType<typeof heldDoor>,
  waiting: Parameters<typeof createWaitingApp>[0],
  signal: Promise<string>,
): Promise<T | null> {
  const stop = new AbortController();
  const stopped = signal.then(() => (stop.abort(), null));
  let last = '';
  const tellLong = (): void => {
    door.open(createWaitingApp({ ...waiting, fault: OPENING }));
    if (last === '') waiting.log.info('vault.opening', { message: OPENING_WHY });
  };
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    const opening = open(stop.signal);
    const settled = opening.then(
      () => false,
      () => false,
    );
    void Promise.race([settled, wait(LONG_MS, true, { ref: false })]).then((isLong) => isLong && tellLong());
    try {
      const opened = await Promise.race([opening, stopped]);
      // A vault that is still being opened is closed then.
      if (opened === null) opening.then((late) => late.close()).catch(() => undefined);
      return opened;
    } catch (error) {
      if (!(error instanceof Away)) throw error;
      door.open(createWaitingApp(waiting));
      if (error.message !== last) waiting.log.warn('vault.away', { message: error.message });
      last = error.message;
    }
    // The open door keeps the process alive.
    if ((await Promise.race([wait(pause, undefined, { ref: false }), stopped])) === null) return null;
  }
}

/** Returns a handler that holds requests until an app is given, in their order. A later app takes the place of the one before. */
function heldDoor(): { readonly handler: RequestHandler; open(app: RequestHandler): void } {
  let app: RequestHandler | null = null;
  const held: Parameters<RequestHandler>[] = [];
  return {
    handler: (req, res) => void (app === null ? held.push([req, res]) : app(req, res)),
    open(given) {
      app = given;
      for (const [req, res] of held.splice(0)) if (!res.destroyed) given(req, res);
    },
  };
}

/**
 * Serves a vault until a signal stops it; then drains for as long as the settings say, accepts no new requests, finishes the
 * running write and releases the vault. A second signal ends the process at once.
 * @throws UsageError for an invalid flag, CommandError or ConfigError when it cannot start for another reason; nothing
 * stays open then.
 */
export async function serve(options: ServeOptions, io: Io): Promise<void> {
  const env = takeEnvironment(io.env);
  const log = logOn(io.stderr, systemClock, {
    level: logLevelOf(env),
    secrets: secretsIn(env),
  });
  const config = settle(options, env);
  const dsn = storeOf(options, env);
  const vault = dsn === null ? vaultFolder(options.vault, env) : placeOf(dsn);
  const ownerToken = ownerTokenOf(env);
  const tls = await readTls(options);
  const idleMs = idleTime(options.untilIdle);
  const place = dsn === null ? await checkPlace(vault, env) : { real: vault, isHome: false };
  const taken = async (error: unknown): Promise<never> => {
    throw error instanceof PortBusy ? await busyPort(error, place.real, env) : error;
  };
  const closers = new Disposables();
  let [onLost, isLost, stopping] = [(): void => undefined, false, false];
  try {
    // Before anything is made: a port that is taken leaves no folder and no file behind.
    const door = heldDoor();
    const server = await startServer(door.handler, { ...config, log, ...(tls && { tls }) }).catch(taken);
    closers.add(() => server.stop({ atOnce: true }));
    const served = new ServedVault(configFolder(env, process.platform, homedir()), place.real);
    if (dsn === null && options.create !== true) await served.requireFolder(vault, io.command);
    const tokens = await openTokens(env, log);
    closers.add(() => tokens.close());
    const { store: own, pageToken } = runTokens(tokens, ownerToken);
    const checks = dsn === null ? hostChecks(vault, systemClock) : portChecks;
    // Where servers share a vault they share the tokens too, but those of a machine's own programs.
    let named: Pick<TokenFile, 'list' | 'sessionKey'> & TokenStore = tokens;
    const checkNames = () => nameChecks(named, config.humanName);
    const checkHost = async (at?: LookOptions) => [...(await checks(server, at)), ...(await checkNames())];
    const lost = new Promise<string>((resolve) => (onLost = () => ((isLost = true), resolve(LOST))));
    const measured = config.metrics ? new ServerMetrics() : null;
    closers.add(() => Promise.resolve(measured?.close()));
    const hooks = { checks: checkHost, committed: () => measured?.written(), onLost };
    const shared = dsn !== null && (() => openSharedVault(dsn, config, env, log, hooks));
    const ofFolder = (signal: AbortSignal) =>
      served.open(options, io.command, () => openVault(vault, config, env, log, { ...hooks, signal }));
    const open = shared || ofFolder;
    const prove: Prove = async (nonce, end) => proofFor(tokens.sessionKey, place.real, nonce, end);
    const fault = dsn === null ? FOLDER_AWAY : DATABASE_AWAY;
    const signalled = untilSignal();
    const opened = await whenBack(open, door, { config, log, version: VERSION, fault, prove }, signalled);
    if (opened === null) return log.info('stop.asked', { signal: await signalled });
    closers.add(() => opened.close());
    const { brain, audit } = opened;
    named = opened.tokens ?? tokens;
    const store = named === tokens ? own : joinTokenStores(ofMachine(own), named);
    const page = pageFiles();
    const app = createApp({
      ...{ brain, tokens: store, version: VERSION, ...(page && { page }) },
      mcp: createMcpDoor({ brain, audit, sessionKey: named.sessionKey, version: VERSION }),
      ...{ isStopping: () => stopping, isLost: () => isLost, prove },
      ...(measured && { metrics: measured.of(brain) }),
    });
    // The door closes before the vault does.
    closers.add(() => server.stop());
    const idle = watchIdle(app, idleMs, () => isBusy(brain));
    closers.add(() => Promise.resolve(idle.close()));
    door.open(idle.handler);
    await openLocalSocket(server, configFolder(env, process.platform, homedir()), config.host);
    const stopped = Promise.race([signalled, lost, idle.ended.then(() => IDLE)]);
    announce(io, server, {
      ...{ vault, config, pageToken, isHome: place.isHome, tls: tls !== undefined },
      ...{ configFolder: customTokenFolder(env), reads: scopeSentence(brain.catalog.scope) },
      ...(opened.first && { first: opened.first }),
    });
    for (const { message, fix } of await checkNames()) log.warn('tokens.name', { message, fix });
    const signal = await stopped;
    stopping = true;
    log.info('stop.asked', { signal });
    // The open door keeps the process alive meanwhile; after it the timer does not.
    const drained = wait(signal === IDLE ? 0 : config.drainSeconds * 1000, signal, { ref: false });
    if ((await Promise.race([lost, drained])) === LOST)
      throw new CommandError(
        'Another server took the place of this one as it stood still, or its lock was removed. Start it again.',
      );
  } finally {
    await closers.close();
  }
}

/** What is told of a server besides its address. */
interface Told extends Pick<Announcement, 'vault' | 'configFolder' | 'isHome' | 'reads' | 'first'> {
  readonly config: Config;
  readonly pageToken: string;
  readonly tls: boolean;
}

/** Writes what a server is, and how clients reach it. */
function announce(
  { stdout, command, program }: Io,
  { url, port }: Pick<RunningServer, 'url' | 'port'>,
  { config, pageToken, tls, ...told }: Told,
): void {
  const exposure = exposureOf(config, { port, tls }, networkInterfaces());
  const shown = stdout.isTTY ? pageToken : null;
  stdout.write(
    announcement({ url, command, program, auth: config.auth, pageToken: shown, exposure, ...told }),
  );
}

/** Returns the proof of a server that has the key of the configuration folder. Only who may enter that folder learns the vault. */
function proofFor(key: Uint8Array, vault: string, nonce: string, end: ServerEnd): Proof {
  return { proof: proofOf(key, nonce, end), ...(end.address === '' && { vault }) };
}

/**
 * Opens the local socket of a server that answers at 127.0.0.1 and its port. Without one, programs of this machine have the server
 * prove over its port that it is theirs.
 */
async function openLocalSocket(server: RunningServer, folder: string, host: string): Promise<void> {
  if (!['127.0.0.1', 'localhost', '0.0.0.0', '::'].includes(host)) return;
  const socket = await localSocket(folder, server.port);
  if (socket !== null) await server.listenAt(socket);
}

/** Returns what is wrong with the names of the saved tokens; the service's own tokens are left out. */
async function nameChecks(tokens: Pick<TokenFile, 'list'>, humanName: string): Promise<Check[]> {
  const others = (await tokens.list()).filter(({ name }) => !isOwnToken(name));
  return [...tokenNameChecks(others.map(({ name }) => name)), ...personNameChecks(others, humanName)];
}

/**
 * Returns the address of the database that holds the vault; null for a vault in a folder.
 * @throws UsageError when both are given
 */
function storeOf({ store, vault }: ServeOptions, env: Environment): string | null {
  const dsn = store ?? (env.BRAIN_STORE || null);
  if (dsn !== null && vault !== undefined)
    throw new UsageError(
      'A vault is in a folder (--vault) or in a database (--store, BRAIN_STORE), not in both.',
    );
  return dsn;
}

/**
 * Merges flags and environment to the configuration. @throws UsageError naming the flag, or ConfigError naming the variable
 * that is invalid.
 */
function settle(options: ServeOptions, env: Environment): Config {
  const flags: Record<string, string> = {};
  const calledBy: Record<string, string> = {};
  for (const key of SETTING_NAMES) {
    const { env: [variable] = [], flag: [flag] = [] } = SETTINGS[key];
    const typed = options[key];
    if (variable === undefined || flag === undefined || typed === undefined) continue;
    flags[variable] = typed;
    calledBy[variable] = flag.replace(/ .*/, '');
  }
  try {
    settleConfig(flags, {}, calledBy);
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
  const config = settleConfig({ ...env, ...flags }, {}, calledBy);
  checkExposure(config);
  return config;
}

/** Resolves with the first signal that stops the process; the next one ends it at once. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.exit(1);
      asked = true;
      resolve(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}
