import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { buildSimulator, nodeOf } from '../tests/hosts/host';
import type { Seen } from './plugin-watch';

const SIMULATOR = resolve('.cache/renderer/simulator.cjs');
const WATCH = resolve('.cache/renderer/plugin-watch.cjs');
/** How often a search is asked for while the notes are being read, in milliseconds. */
const ASK_EVERY_MS = 100;

export interface ReadInApp {
  /** Milliseconds from the first answer of the server until a search found every note. */
  readonly took: number;
  /** Searches answered meanwhile, and how long the slowest took, in milliseconds. */
  readonly answers: number;
  readonly waited: number;
  /** The version of the Node that the plugin ran on. */
  readonly node: string;
  readonly seen: Seen;
}

/** What runs the plugin: the Node of the app's newest line where it is installed, which also knows the time of one thread. */
const NODE = existsSync(nodeOf('43')) ? nodeOf('43') : process.execPath;

/** The server of the plugin, and the token of its owner. */
export interface InApp {
  readonly url: string;
  readonly token: string;
  /** Makes the watch forget what it has seen so far. */
  forget(): void;
}

/** Lets the built plugin read a vault for the first time, in a process that looks like a window of the app. */
export async function readInApp(vault: string, home: string): Promise<ReadInApp> {
  const { result, seen } = await watchInApp(vault, home, readingOf);
  const node = execFileSync(NODE, ['--version'], { encoding: 'utf8' }).trim();
  return { ...result, node, seen };
}

/** Runs the built plugin on a vault while `work` asks it, and tells how it held the thread from its start on. */
export async function watchInApp<T>(
  vault: string,
  home: string,
  work: (app: InApp) => Promise<T>,
): Promise<{ result: T; seen: Seen }> {
  buildSimulator();
  await build({
    entryPoints: ['bench/plugin-watch.ts'],
    outfile: WATCH,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  });
  const child = spawn(NODE, [SIMULATOR, resolve('main.js'), vault, home, '43.1.1', WATCH], {
    env: { PATH: process.env.PATH ?? '', HOME: home, TZ: 'UTC', BRAIN_PORT: '0', BRAIN_RATE_LIMIT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<never>((_, reject) =>
    child.once('exit', (code) => reject(new Error(`The stand-in for the app ended with ${code}.`))),
  );
  ended.catch(() => undefined); // Whoever waits for a line is told.
  const lines = createInterface(child.stdout);
  const said = <T>(word: string): Promise<T> =>
    Promise.race([
      ended,
      new Promise<T>((found) =>
        lines.on('line', (line) => {
          if (line.startsWith(`${word} `)) found(JSON.parse(line.slice(word.length + 1)));
        }),
      ),
    ]);
  try {
    const server = await said<Omit<InApp, 'forget'>>('ready');
    const result = await work({ ...server, forget: () => void child.kill('SIGUSR2') });
    const seen = said<Seen>('watched');
    child.kill('SIGTERM');
    return { result, seen: await seen };
  } finally {
    child.kill('SIGTERM');
  }
}

async function readingOf({ url, token }: InApp): Promise<Omit<ReadInApp, 'node' | 'seen'>> {
  const start = performance.now();
  let [answers, waited] = [0, 0];
  for (;;) {
    const asked = performance.now();
    const answer = await fetch(`${url}/query`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: 'note 7' }),
    });
    const body: Record<string, unknown> = JSON.parse(await answer.text());
    if (answer.status !== 200) throw new Error(`The search answered ${answer.status}.`);
    if (!('reading' in body)) return { took: performance.now() - start, answers, waited };
    answers += 1;
    waited = Math.max(waited, performance.now() - asked);
    await new Promise((rested) => setTimeout(rested, ASK_EVERY_MS));
  }
}
