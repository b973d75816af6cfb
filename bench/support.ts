import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { existsSync, readFileSync } from 'node:fs';
// Under its own name it would clash with the line that scripts/run.mjs puts first.
import { createRequire as requireFrom } from 'node:module';
import { openStorage } from '../src/adapters/vault/storage';
import type { PaceWatch } from '../src/core/base/steps';
import { settleConfig } from '../src/core/config/config';
import { alone } from '../src/core/ports/ports';
import { openBrain, type OpenedBrain } from '../src/core/vault/open';
import { fakeDocuments } from '../tests/support/fake-documents';

/** Durations of one repeated action, in milliseconds. */
export class Timings {
  readonly #samples: number[] = [];

  add(milliseconds: number): void {
    this.#samples.push(milliseconds);
  }

  async time<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await work();
    this.add(performance.now() - start);
    return result;
  }

  /** The value that a share `q` (0 to 1) of the samples does not exceed. */
  quantile(q: number): number {
    const sorted = [...this.#samples].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
  }

  get mean(): number {
    return this.#samples.reduce((sum, value) => sum + value, 0) / this.#samples.length;
  }

  get count(): number {
    return this.#samples.length;
  }
}

/** Repeatable pseudo-random numbers in [0, 1): Mulberry32, public domain (T. Ettinger). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const SYLLABLES = 'ka lo mi ren tas vo zu per dim gal sho net wir bat cor fil hum jan lek mor'.split(' ');

/** A seeded text of so many words over a vocabulary with a long tail, in paragraphs. */
export function textOf(words: number, random: () => number): string {
  const parts: string[] = [];
  for (let n = 0; n < words; n += 1) {
    const rank = Math.floor(20 ** (random() * 2.6));
    const word = [rank % 20, Math.floor(rank / 20) % 20, Math.floor(rank / 400) % 20]
      .map((i) => SYLLABLES[i])
      .join('');
    parts.push(word + (n % 80 === 79 ? '.\n\n' : n % 13 === 12 ? '.' : ''));
  }
  return parts.join(' ');
}

/** A folder that is gone when `work` has ended. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'brain-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Served {
  readonly url: string;
  readonly process: ChildProcess;
  /** Milliseconds from start to the line that names the address. */
  readonly listening: number;
  /** Resolves when the process has ended, however it did. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

/** Starts the built server on a vault and a free port; resolves when it has printed its address. */
export async function serve(
  vault: string,
  config: string,
  token: string,
  env: Record<string, string> = {},
): Promise<Served> {
  const start = performance.now();
  // An address with a password is refused as an argument.
  const isStore = vault.startsWith('postgres:');
  const where = isStore ? [] : ['--create', '--vault', vault];
  const child = spawn(process.execPath, ['dist/brain.mjs', 'serve', ...where, '--port', '0'], {
    env: {
      ...process.env,
      ...(isStore && { BRAIN_STORE: vault }),
      BRAIN_CONFIG_DIR: config,
      BRAIN_TOKEN: token,
      BRAIN_RATE_LIMIT: '0',
      BRAIN_WATCH: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let errors = '';
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (match) resolve(match[0]);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${errors}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  return { url, process: child, listening: performance.now() - start, exited, stop };
}

/** The token of the servers that benches start. */
export const TOKEN = 'bench-token-that-is-long-enough-0123456789';

/** A running server that tells how it is. */
export interface Watched {
  readonly served: Served;
  health(): Promise<Health>;
}

export interface Health {
  /** Milliseconds for which the event loop was held since the last time. */
  readonly loopP99: number;
  readonly loopMax: number;
  /** Bytes. */
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  /** The processor time of all threads (ms) before the collection that the heap is measured after, and behind it. */
  readonly cpu: number;
  readonly cpuAfter: number;
}

/** Starts the built server on the vault, with a watch on its event loop and memory. */
export async function serveWatched(folder: string, vault: string): Promise<Watched> {
  const file = join(folder, 'health.json');
  const served = await serve(vault, join(folder, 'config'), TOKEN, watchEnv(file));
  return { served, health: healthOf(served.process, file) };
}

/** The environment with which a process of Node tells how it is, in a file. */
export function watchEnv(file: string): Record<string, string> {
  return {
    BENCH_HEALTH: file,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${resolve('bench/server-watch.mjs')}`,
  };
}

/** Returns a function that asks a process with `watchEnv` how it is. */
export function healthOf(watched: ChildProcess, file: string): Watched['health'] {
  return async () => {
    await rm(file, { force: true });
    watched.kill('SIGUSR2');
    for (;;) {
      const text = await readFile(file, 'utf8').catch(() => null);
      if (text !== null) return JSON.parse(text) as Health; // what server-watch.mjs writes
      await new Promise((wait) => setTimeout(wait, 20));
    }
  };
}

/** Resolves when the server has read every note: a search is answered before, and reading many takes a while. */
export async function untilRead(served: Pick<Served, 'url'>): Promise<void> {
  while ((await call(served, TOKEN, 'GET', '/wings')).status === 503);
}

/** One call of the HTTP door. */
export async function call(
  served: Pick<Served, 'url'>,
  token: string,
  method: string,
  path: string,
  body?: unknown,
) {
  const answer = await fetch(served.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

export function machine(): string {
  return `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node ${process.version}`;
}

export function ms(value: number): string {
  return value < 10 ? `${value.toFixed(2)} ms` : `${value.toFixed(0)} ms`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
  console.log('');
}

const PEERS = join(process.cwd(), 'bench', 'peers');

/** Loads a package of bench/peers, which are not dependencies of the project, or else one of the project. */
export const requirePeer = requireFrom(join(PEERS, 'package.json'));

/** Returns the path of a file in a peer's package, for one that its package offers to `import` alone. */
export function peerFile(name: string, file: string): string {
  return join(PEERS, 'node_modules', name, file);
}

/** The version of a peer that is installed; undefined when it is not. */
export function peerVersion(name: string): string | undefined {
  const file = peerFile(name, 'package.json');
  if (!existsSync(file)) return undefined;
  const about: { version?: string } = JSON.parse(readFileSync(file, 'utf8'));
  return about.version;
}

/** The memory in use after a collection of garbage, in bytes. */
export function heap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A vault on the disk, open in this process. */
interface OnDisk {
  readonly opened: OpenedBrain;
  close(): Promise<void>;
}

/** Opens the vault in a folder, which nobody watches; `paceWatch` learns of the slices of long work. */
export async function openOnDisk(folder: string, paceWatch?: PaceWatch): Promise<OnDisk> {
  const clock = { now: () => new Date() };
  const quiet = (): undefined => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const storage = await openStorage(folder, { device: 'bench000', clock, log, watch: false });
  const opened = await openBrain(
    { ...storage, clock, log, documents: fakeDocuments(), servers: alone },
    settleConfig({}),
    {
      device: 'bench000',
      version: 'bench',
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
      breathe: () => new Promise((resolve) => setImmediate(resolve)),
      ...(paceWatch && { paceWatch }),
    },
  );
  return {
    opened,
    async close() {
      await opened.close();
      await storage.close();
    },
  };
}
