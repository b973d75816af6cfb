import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { type Seen, summary, type Summary, ThreadWatch } from './thread-watch';
import { ms, openOnDisk, randomFrom, table, textOf, withFolder } from './support';
import { buildSimulator, nodeOf } from '../tests/hosts/host';

const ABOUT =
  'The work alone: without the collection of garbage and, in slices, without waiting for a processor (on Linux) or asleep.';

/**
 * How long reading a whole vault for the first time holds the one thread that inside the app also draws the window: with the
 * disk adapter of the headless server, and by the built plugin in a stand-in for the app. A slice is ours: from its beginning
 * to the end of its last piece. A gap is the time between two turns of the event loop, whoever held it. The process ends with
 * 1 when a goal is missed.
 */
export async function benchSlices(notes: number): Promise<void> {
  const held = await onDisk(notes);
  await withFolder(async (folder) => {
    const vault = join(folder, 'vault');
    await makeNotes(vault, notes);
    const { took, answers, waited, node, seen } = await readInApp(vault, join(folder, 'home'));
    console.log(
      `## Reading ${notes} notes of about 2 KiB in ${ms(took)} in the plugin on Node ${node}, from the agreement on\n`,
    );
    console.log(
      `Meanwhile ${answers} searches were answered from what had been read, the slowest in ${ms(waited)}.\n`,
    );
    held.push(...tellInApp('in the plugin', seen));
  });
  holdToGoals(held);
}

/** Prints how the plugin held the thread, and returns what that is held to. */
function tellInApp(where: string, seen: Seen): Held[] {
  console.log(`${ABOUT} A turn also holds whatever the stand-in for the app did in it.\n`);
  table(COLUMNS, [
    rowOf('slices of ours', seen.slices, 'the work alone at most 12 ms'),
    rowOf('turns of the event loop', seen.gaps, ''),
  ]);
  table(
    ['event-loop delay as Node samples it, every ms', 'p50', 'p99', 'longest', 'goal'],
    [['', ...seen.delay.map(ms), 'p99 at most 20 ms']],
  );
  return heldFigures(where, workOf(seen.slices), seen.delay[1] ?? Number.NaN);
}

async function onDisk(notes: number): Promise<Held[]> {
  return withFolder(async (folder) => {
    await makeNotes(folder, notes);
    const watch = new ThreadWatch();
    const start = performance.now();
    const { opened, close } = await openOnDisk(folder, watch);
    await opened.loaded;
    const took = performance.now() - start;
    const { pieces, slices, gaps } = await watch.end();
    await close();
    console.log(`## Reading ${notes} notes of about 2 KiB in ${ms(took)}: how long the thread is held\n`);
    console.log(`${ABOUT}\n`);
    const ofPieces = [pieces.quantile(0.5), pieces.quantile(0.99), pieces.quantile(1)].map(ms);
    table(COLUMNS, [
      ['pieces', String(pieces.count), ...ofPieces, '', '', ''],
      rowOf('slices of ours', summary(slices), 'the work alone at most 12 ms'),
      rowOf('turns of the event loop', summary(gaps), 'p99 at most 20 ms'),
    ]);
    return heldFigures('on the disk', workOf(summary(slices)), gaps.whole.quantile(0.99));
  });
}

const COLUMNS = [
  '',
  'number',
  'p50',
  'p99',
  'longest',
  'longest, the work alone',
  'longest collection',
  'goal',
];

/** The longest, the work alone. */
function workOf({ times }: Summary): number {
  return times[3] ?? Number.NaN;
}

function rowOf(name: string, { count, times }: Summary, goal: string): string[] {
  return [name, String(count), ...times.map(ms), goal];
}

/** Makes so many reviewed notes of about 2 KiB in twenty wings. */
async function makeNotes(folder: string, notes: number): Promise<void> {
  const random = randomFrom(2);
  for (let n = 0; n < notes; n += 1) {
    const hall = join(folder, 'wiki', `wing-${n % 20}`, 'facts');
    if (n < 20) await mkdir(hall, { recursive: true });
    const text = `---\nwing: wing-${n % 20}\nhall: facts\n---\n# Note ${n}\n\n${textOf(300, random)}\n`;
    await writeFile(join(hall, `note-${n}.md`), text);
  }
}

const SIMULATOR = resolve('.cache/renderer/simulator.cjs');
const WATCH = resolve('.cache/renderer/thread-watch.cjs');
/** How often a search is asked for while the notes are being read, in milliseconds. */
const ASK_EVERY_MS = 100;

interface ReadInApp {
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
async function readInApp(vault: string, home: string): Promise<ReadInApp> {
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
    entryPoints: ['bench/thread-watch.ts'],
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

/** The longest slice of ours, the work alone, in milliseconds. */
const MOST_WORK_MS = 12;
/** The delay of the event loop that 99 of 100 turns or samples do not exceed, in milliseconds. */
const MOST_DELAY_MS = 20;

/** A figure that is held to a goal. One that was never measured is NaN, and misses it. */
export interface Held {
  readonly name: string;
  readonly value: number;
  readonly most: number;
}

/** What a run is held to: where it ran, the longest slice with the work alone, and the delay of the event loop (p99). */
export function heldFigures(where: string, work: number, delay: number): Held[] {
  return [
    { name: `${where}: longest slice of ours, the work alone`, value: work, most: MOST_WORK_MS },
    { name: `${where}: delay of the event loop, p99`, value: delay, most: MOST_DELAY_MS },
  ];
}

/** Says of each figure whether it reached its goal, and makes the process end with 1 when one did not. */
export function holdToGoals(figures: readonly Held[]): void {
  console.log(`## Goals

A slice is held to its goal by the work alone, which is what the code decides: the collection of garbage and, where it is known, the time
that other programs had the processor are taken off. How long the slice was as the clock has it is printed beside it all the
same, for that is what a person feels. The delay of the event loop is held to its goal as the clock has it, with everything in it.
`);
  for (const { name, value, most } of figures) {
    const isReached = value <= most;
    console.log(`- ${isReached ? 'reached' : 'MISSED'}: ${name}: ${ms(value)}, at most ${most} ms`);
    if (!isReached) process.exitCode = 1;
  }
  console.log('');
}
