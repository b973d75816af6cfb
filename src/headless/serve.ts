import { networkInterfaces } from 'node:os';
import type { Environment } from '../adapters/node/config-folder';
import { jsonLog } from '../adapters/node/json-log';
import { systemClock } from '../adapters/node/system-clock';
import { isOwnToken } from '../adapters/node/token-contents';
import { type Config, ConfigError, settleConfig } from '../core/config';
import { tokenNameChecks } from '../core/notes/check';
import type { LookOptions } from '../core/notes/status-checks';
import { createApp } from '../doors/http';
import { checkExposure, type RunningServer, startServer } from '../doors/listen';
import { createMcpDoor } from '../doors/mcp/server';
import { announcement } from './announcement';
import { Closers } from './closers';
import { exposureOf } from './exposure';
import { hostChecks } from './host-checks';
import { type Io, UsageError } from './io';
import { openVault } from './open-brain';
import { pageFiles } from './page-files';
import { runTokens } from './run-tokens';
import { logLevelOf, ownerTokenOf, secretsIn, takeEnvironment } from './secrets';
import { readTls } from './tls-files';
import { openTokens, unusualFolder } from './user-tokens';
import { vaultFolder } from './vault-folder';
import { VERSION } from './version';

/** The flags of `brain serve`; each wins over its environment variable. */
export interface ServeOptions {
  readonly vault?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
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
  const closers = new Closers();
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
function settle({ host, port }: ServeOptions, env: Environment): Config {
  const flags = {
    ...(host !== undefined && { BRAIN_HOST: host }),
    ...(port !== undefined && { BRAIN_PORT: port }),
  };
  const calledBy = {
    ...(host !== undefined && { BRAIN_HOST: '--host' }),
    ...(port !== undefined && { BRAIN_PORT: '--port' }),
  };
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
