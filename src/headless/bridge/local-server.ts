import { spawn } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as wait } from 'node:timers/promises';
import { configFolder } from '../../adapters/host/config-folder';
import { ConnectionError, httpRequest } from '../../adapters/host/http';
import { addressOf } from '../terminal/client';
import { CommandError, type Io, UsageError } from '../terminal/io';
import { absoluteEnvironment, vaultFolder } from '../terminal/program';

/** How long a server that was started here stays without a call (minutes). */
const IDLE_MINUTES = 5;
/** The time between two signs of life to that server (ms). */
const PING_MS = 60_000;
/** The time for one answer (ms), the pause between two questions, and the time for a server to start. */
const ANSWER_MS = 2_000;
const PAUSE_MS = 100;
const START_MS = 60_000;
/** The size from which the log begins anew (bytes). */
const MAX_LOG = 1024 * 1024;

/** A server on this machine that is started when it is needed and that ends when nobody has used it for a while. */
export interface LocalServer {
  /** Resolves when a Brain Server answers, which is started if none does. @throws CommandError when none can be. */
  ensure(): Promise<void>;
  /** Tells the server that somebody may still need it, until `close`. */
  keepAlive(): void;
  close(): void;
}

/**
 * Returns the server at the address of the environment, for `vault`, else `BRAIN_VAULT`. It is started apart from this
 * process, so that several clients share it: whoever comes first starts it, and it ends five minutes after the last call.
 * @throws UsageError without a vault, and for an address that is not on this machine.
 */
export function localServer(vault: string | undefined, io: Io): LocalServer {
  const url = addressOf(io.env);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'http:' || !/^(?:127(?:\.\d{1,3}){3}|localhost|::1)$/.test(host)) {
    throw new UsageError(
      `BRAIN_URL is ${url.origin}, and --start only starts a server on this machine. Leave one of them out.`,
    );
  }
  if (vault === undefined && !io.env.BRAIN_VAULT) {
    throw new UsageError(
      'The flag --start needs to know the vault. Name its folder: --vault <dir>, or BRAIN_VAULT.',
    );
  }
  return new StartedServer(url, host, inHome(vaultFolder(inHome(vault, io), io.env), io), io);
}

/** Replaces a leading `~`, which no shell does in the settings of a client. */
function inHome(folder: string, io: Pick<Io, 'env'>): string;
function inHome(folder: string | undefined, io: Pick<Io, 'env'>): string | undefined;
function inHome(folder: string | undefined, { env }: Pick<Io, 'env'>): string | undefined {
  return folder?.replace(/^~(?=$|[\\/])/, env.HOME || homedir());
}

class StartedServer implements LocalServer {
  #starting: Promise<void> | null = null;
  #pings: NodeJS.Timeout | undefined;

  constructor(
    private readonly url: URL,
    private readonly host: string,
    private readonly vault: string,
    private readonly io: Io,
  ) {}

  ensure(): Promise<void> {
    this.#starting ??= this.#ensure().finally(() => (this.#starting = null));
    return this.#starting;
  }

  keepAlive(): void {
    this.#pings = setInterval(() => void this.#look().catch(() => 'nobody'), PING_MS).unref();
  }

  close(): void {
    clearInterval(this.#pings);
  }

  async #ensure(): Promise<void> {
    if ((await this.#look()) === 'answers') return;
    const log = new ServerLog(
      path.join(configFolder(this.io.env, process.platform, homedir()), `serve-${this.#port}.log`),
    );
    let end: string | null = null;
    const child = spawn(this.io.program[0] ?? process.execPath, this.#arguments(), {
      detached: true,
      windowsHide: true,
      cwd: homedir(),
      env: this.#environment(),
      stdio: ['ignore', log.fd, log.fd],
    });
    child.once('error', ({ message }) => (end = message));
    child.once('exit', (code) => (end = `it ended with ${code}`));
    child.unref();
    try {
      for (const begin = Date.now(); Date.now() - begin < START_MS; await wait(PAUSE_MS)) {
        const hasEnded = end !== null;
        const found = await this.#look();
        if (found === 'answers') return;
        // Another client may have started one at the same time, which has the port and answers once it has opened the vault.
        if (hasEnded && found === 'nobody')
          throw new CommandError(`The Brain server could not be started: ${log.lastWords() || end}`);
      }
    } finally {
      log.close();
    }
    throw new CommandError(`The Brain server has not answered within a minute. Look into ${log.file}.`);
  }

  get #port(): string {
    return this.url.port || '80';
  }

  #arguments(): string[] {
    const [, ...script] = this.io.program;
    const place = ['--vault', this.vault, '--host', this.host, '--port', this.#port];
    return [...script, 'serve', ...place, '--until-idle', String(IDLE_MINUTES)];
  }

  /** The token of the client is not that of the owner of the server. */
  #environment(): Record<string, string | undefined> {
    return { ...absoluteEnvironment(this.io.env), BRAIN_TOKEN: undefined, BRAIN_URL: undefined };
  }

  /**
   * Returns whether a Brain Server answers, some program has the port and is silent, or nobody has it.
   * @throws CommandError when another program answers.
   */
  async #look(): Promise<'answers' | 'silent' | 'nobody'> {
    try {
      const { headers } = await httpRequest(new URL('/health', this.url), {
        method: 'GET',
        headers: {},
        timeoutMs: ANSWER_MS,
        isAlone: true,
      });
      if (headers['x-brain-api'] !== undefined) return 'answers';
    } catch (error) {
      if (error instanceof ConnectionError) return error.code === 'ECONNREFUSED' ? 'nobody' : 'silent';
      throw error;
    }
    throw new CommandError(
      `Another program answers at ${this.url.origin}. Set BRAIN_URL to a free port of this machine.`,
    );
  }
}

/** The output of a server that was started here. */
class ServerLog {
  readonly fd: number;
  readonly #begin: number;

  constructor(readonly file: string) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    this.fd = openSync(file, 'a', 0o600);
    if (fstatSync(this.fd).size > MAX_LOG) ftruncateSync(this.fd);
    this.#begin = fstatSync(this.fd).size;
  }

  /** Returns the last line that the program has written for people. */
  lastWords(): string {
    const text = readFileSync(this.file).subarray(this.#begin).toString();
    const lines = text.split('\n').filter((line) => line.startsWith('brain: '));
    return (lines.at(-1) ?? '').slice('brain: '.length);
  }

  close(): void {
    closeSync(this.fd);
  }
}
