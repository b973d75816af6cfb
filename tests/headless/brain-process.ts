import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The built program: these tests see what a user sees. */
export const BRAIN = path.resolve('dist/brain.mjs');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Variables = Readonly<Record<string, string>>;

/** A folder of its own for one test file: vault, configuration and nothing of the machine's user. */
export class Sandbox {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'brain-cli-'));
  readonly vault = path.join(this.folder, 'vault');
  readonly env: Variables = {
    PATH: process.env.PATH ?? '',
    HOME: this.folder,
    TZ: 'UTC',
    BRAIN_CONFIG_DIR: path.join(this.folder, 'config'),
  };
  readonly #running = new Set<ChildProcess>();

  constructor() {
    if (!existsSync(BRAIN)) throw new Error('dist/brain.mjs is missing: run "npm run build" first.');
    mkdirSync(path.join(this.folder, 'cwd'));
  }

  /** Starts the program without waiting for it. */
  start(args: readonly string[], env: Variables = {}): ChildProcess {
    const child = spawn(process.execPath, [BRAIN, ...args], {
      cwd: path.join(this.folder, 'cwd'),
      env: { ...this.env, ...env },
    });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  /** Runs the program to its end. */
  run(
    args: readonly string[],
    options: { env?: Variables; input?: string | Buffer } = {},
  ): Promise<Finished> {
    const child = this.start(args, options.env);
    child.stdin?.end(options.input ?? '');
    return finished(child);
  }

  /** Starts a server on a free port and resolves when it listens. */
  async serve(args: readonly string[] = [], env: Variables = {}): Promise<ServerProcess> {
    const child = this.start(['serve', '--create', '--vault', this.vault, '--port', '0', ...args], env);
    return ServerProcess.listening(child);
  }

  async remove(): Promise<void> {
    for (const child of this.#running) {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A running `brain serve`. */
export class ServerProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    readonly ended: Promise<Finished>,
    /** What was printed so far. */
    readonly printed: () => string,
  ) {}

  static async listening(child: ChildProcess): Promise<ServerProcess> {
    const ended = finished(child);
    let text = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout?.on('data', (chunk: string) => {
        text += chunk;
        const said = /^Brain Server \d+\.\d+\.\d+ on (\S+)\n[^]*\nYour page\b/.exec(text)?.[1];
        if (said !== undefined) resolve(said);
      });
      void ended.then(({ code, stderr }) => reject(new Error(`The server ended with ${code}: ${stderr}`)));
    });
    return new ServerProcess(child, url, ended, () => text);
  }

  /** Asks it to stop and resolves when it has ended. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Finished> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** What a program has printed, and how it ended. */
export function finished(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
