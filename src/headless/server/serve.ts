import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../adapters/host/clock';
import type { Environment } from '../../adapters/host/config-folder';
import { jsonLog, LOG_LEVELS, type LogLevel } from '../../adapters/host/log';
import { isOwnToken } from '../../adapters/host/token-contents';
import type { TokenFile } from '../../adapters/host/token-file';
import {
  ALL_SCOPES,
  createPageToken,
  findToken,
  givenTokenFault,
  hashToken,
  joinTokenStores,
  type TokenStore,
} from '../../core/access/tokens';
import { type Config, ConfigError, settleConfig } from '../../core/config/config';
import { SETTING_NAMES, type SettingName, SETTINGS } from '../../core/config/settings';
import type { LookOptions } from '../../core/status/checks';
import { tokenNameChecks } from '../../core/vocabulary/check';
import { createApp, type PageFiles } from '../../doors/http/app';
import { checkExposure, isLoopback, type RunningServer, startServer } from '../../doors/http/listen';
import { createMcpDoor } from '../../doors/mcp/server';
import { CommandError, type Io, unreadable, UsageError } from '../terminal/io';
import { bridgeEntry, Disposables, vaultFolder, VERSION } from '../terminal/program';
import { isSendable, openTokens, UNSENDABLE, unusualFolder } from '../terminal/tokens';
import { hostChecks } from './checks';
import { openVault } from './open';

/** How machines other than this one can reach the server. */
export interface Exposure {
  /** Addresses that are answered there, without a slash at the end. */
  readonly urls: readonly string[];
  /** A name of this machine that would be answered if it were listed in `BRAIN_ALLOWED_HOSTS`. */
  readonly unlisted: string | null;
  readonly tls: boolean;
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Null when only this machine reaches the server. A request is answered under the names of `allowedHosts` and, on this
 * machine, of the loopback; so an address of this machine helps others only when it stands in that list.
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

/** The addresses at which others may find this machine, those of version 4 first. */
function addressesOf(interfaces: Interfaces): string[] {
  const outer = Object.values(interfaces)
    .flatMap((some) => some ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const having = (family: string) => outer.filter((one) => one.family === family);
  return [...having('IPv4'), ...having('IPv6')].map(({ address }) => inUrl(address));
}

function inUrl(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

export interface Announced {
  readonly url: string;
  /** Absolute path of the vault. */
  readonly vault: string;
  /** How to start this program again: `brain`, or `node dist/brain.mjs`. */
  readonly command: string;
  /** What a client has to start to start this program. */
  readonly program: readonly string[];
  /** Where tokens are kept, when a program that is started elsewhere would not look there. */
  readonly configFolder: string | null;
  /** False when everybody who reaches the port may do everything. */
  readonly auth: boolean;
  /** For the link to the page. Only for a terminal: a log or a pipe must not keep it. */
  readonly pageToken: string | null;
  /** Null when only this machine reaches the server. */
  readonly exposure: Exposure | null;
}

/**
 * What `brain serve` says once it listens. The first line is for programs too: `Brain Server <version> on <url>`.
 * Every command can be pasted into a POSIX shell; the one that makes a token configures nothing when it cannot. No secret
 * stands in them. The link to the page carries its token behind the `#`, which browsers never send to any server.
 */
export function announcement(announced: Announced): string {
  const { url, vault, command, program, configFolder, auth, pageToken, exposure } = announced;
  const bearer = auth ? ` -H "Authorization: Bearer $(${command} token show)"` : '';
  const lines = [
    `Brain Server ${VERSION} on ${url}`,
    `Vault: ${vault}`,
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

/** The token is made before the client is told of it: where it cannot be made, nothing is configured. */
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

// esbuild.config.mjs puts the bundled page here, so that one file is the whole program.
declare const BRAIN_PAGE: PageFiles | undefined;

/** The files of the web page; null where the source runs without having been built. */
function pageFiles(): PageFiles | null {
  return typeof BRAIN_PAGE === 'undefined' ? null : BRAIN_PAGE;
}

/** The tokens of one run of the server. */
interface RunTokens {
  readonly store: TokenStore;
  /** For this run's page alone: whoever sends it acts as the person. Kept in memory and shown to a terminal only. */
  readonly pageToken: string;
}

/** The saved tokens and a page token; an `ownerToken` from the environment takes the place of the saved owner's. */
function runTokens(file: TokenFile, ownerToken: string | undefined): RunTokens {
  const { token: pageToken, store: page } = createPageToken();
  const saved = ownerToken === undefined ? file : withOwner(file, ownerToken);
  return { store: joinTokenStores(page, saved), pageToken };
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

/** Variables that hold credentials. */
const SECRETS = [
  'BRAIN_TOKEN',
  ...Object.values(SETTINGS).flatMap(({ secretId, env }) => (secretId && env ? [env[0]] : [])),
];

/**
 * A copy of the environment; the credentials are then taken out of the original, so that child processes and whoever
 * reads this process's environment do not find them.
 */
export function takeEnvironment(env: Record<string, string | undefined>): Environment {
  const copy = { ...env };
  for (const name of SECRETS) delete env[name];
  return copy;
}

/**
 * The owner's token for this run, if the environment gives one: as clients send it, without the blanks and the line feed that
 * the file it came from ended with.
 * @throws UsageError when it is too short, ConfigError when no client could send it.
 */
export function ownerTokenOf(env: Environment): string | undefined {
  if (env.BRAIN_TOKEN === undefined || env.BRAIN_TOKEN === '') return undefined;
  const token = env.BRAIN_TOKEN.trim();
  const fault = givenTokenFault(token);
  if (fault !== null) throw new UsageError(fault);
  if (!isSendable(token)) throw new ConfigError(UNSENDABLE);
  return token;
}

/** Every credential of the environment, and the password inside the address of a database, for the log to hide. */
function secretsIn(env: Environment): string[] {
  const given = SECRETS.flatMap((name) => [env[name] || [], env[name]?.trim() || []].flat());
  return given.flatMap((secret) => {
    const password = /:\/\/[^/]*?:([^/]*)@/.exec(secret)?.[1] ?? '';
    return [secret, password, decoded(password)].filter(Boolean);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * How much is logged.
 * @throws ConfigError when `BRAIN_LOG_LEVEL` names no level.
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
 * What `--tls-cert` and `--tls-key` name, in PEM; undefined without both. They are looked at here, as nobody who reads what
 * OpenSSL says of them learns which file is meant.
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
}

/**
 * Serves a vault until a signal asks to stop; then takes no new requests, finishes the running write and lets go of the
 * vault. A second signal ends the process at once.
 * @throws UsageError for a flag that cannot be used, CommandError or ConfigError when it cannot start for another reason;
 * nothing stays open then.
 */
export async function serve(options: ServeOptions, io: Io): Promise<void> {
  const env = takeEnvironment(io.env);
  const log = jsonLog((line) => io.stderr.write(line), systemClock, {
    level: logLevelOf(env),
    secrets: secretsIn(env),
  });
  const config = settle(options, env);
  const vault = vaultFolder(options.vault, env);
  const ownerToken = ownerTokenOf(env);
  const tls = await readTls(options);
  const closers = new Disposables();
  try {
    const tokens = await openTokens(env, log);
    closers.add(() => tokens.close());
    const { store, pageToken } = runTokens(tokens, ownerToken);
    let running: RunningServer | null = null;
    const checks = hostChecks(vault, systemClock);
    const namesOf = async () =>
      (await tokens.list()).map(({ name }) => name).filter((name) => !isOwnToken(name));
    const opened = await openVault(vault, config, env, log, async (options?: LookOptions) => [
      ...(await checks(running, options)),
      ...tokenNameChecks(await namesOf()),
    ]);
    closers.add(() => opened.close());
    const { brain, audit } = opened;
    const mcp = createMcpDoor({ brain, audit, sessionKey: tokens.sessionKey, version: VERSION });
    const page = pageFiles();
    const app = createApp({ brain, tokens: store, version: VERSION, mcp, ...(page && { page }) });
    const server = await startServer(app, { host: config.host, port: config.port, log, ...(tls && { tls }) });
    running = server;
    closers.add(() => server.stop());
    const stopped = untilSignal();
    const { url } = server;
    const shown = io.stdout.isTTY ? pageToken : null;
    const exposure = exposureOf(config, { port: server.port, tls: tls !== undefined }, networkInterfaces());
    const { command, program } = io;
    io.stdout.write(
      announcement({
        ...{ url, vault, command, program, configFolder: unusualFolder(env) },
        ...{ auth: config.auth, pageToken: shown, exposure },
      }),
    );
    for (const { message, fix } of tokenNameChecks(await namesOf()))
      log.warn('tokens.name', { message, fix });
    log.info('stop.asked', { signal: await stopped });
  } finally {
    await closers.close();
  }
}

/** @throws UsageError naming the flag, or ConfigError naming the variable that cannot be used. */
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

/** Resolves with the first signal that asks the process to stop; the next one ends it there and then. */
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
