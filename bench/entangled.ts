import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { ENTANGLED } from '../tests/support/entangled';
import { call, serve, type Served, table, TOKEN, withFolder, ms, serveWatched } from './support';
import { watchInApp } from './slices';

const KIB = 1024;
const MIB = 1024 * KIB;
/** A text may be a little longer than asked for, and a note that is sent has 1 MiB at most. */
const LENGTHS = [64, 256, 1000, 8000].map((kib) => kib * KIB);
/** The memory that an operation may take: so many bytes for each of its input, and so many in addition, up to a limit. */
const FACTOR = 20;
const REST = 32 * MIB;
const MOST = 512 * MIB;
/** The heap under which four callers write at once (MB). */
const HEAP = 1024;
const FOUR = 'four writers';
const COLUMNS = ['write', 'ingest', 'start', 'pending', 'gate', FOUR];
const WATCHED = { BENCH_HEAPS: 'on', NODE_OPTIONS: `--import ${resolve('bench/server-watch.mjs')}` };
/** A line of `--trace-gc` for a whole collection. */
const COLLECTION = /^\[\d+:(?<heap>\w+)\] .*Mark-Compact.* -> (?<left>[\d.]+) \(.*?\) (?<why>[a-z ]+);/;

/**
 * Prints the memory that a server takes for one entangled note at each door, in bytes for each byte of it.
 * @param wanted names of texts or doors, or numbers of characters; all when there are none
 */
export async function benchTextMemory(wanted: readonly string[]): Promise<void> {
  const names = Object.keys(ENTANGLED).filter((name) => wanted.includes(name));
  const chosen = COLUMNS.filter((door) => wanted.includes(door));
  const columns = chosen.length > 0 ? chosen : COLUMNS;
  const sizes = wanted.map(Number).filter((size) => size > 0);
  console.log(
    `## One entangled note: the largest heap after a collection, all threads together, above that of the idle server (goal: ${FACTOR} bytes a byte and ${REST / MIB} MiB, at most ${MOST / MIB} MiB)\n`,
  );
  const rows: string[][] = [];
  for (const name of names.length > 0 ? names : Object.keys(ENTANGLED)) {
    for (const length of sizes.length > 0 ? sizes : LENGTHS) {
      const row: string[] = [];
      for (const column of columns) {
        if (column === FOUR) {
          row.push(await fourCallers(name, length));
          continue;
        }
        const { status, bytes } = await measure(column, name, length);
        if (!(bytes <= Math.min(MOST, FACTOR * length + REST))) process.exitCode = 1;
        row.push(`${status}: ${(bytes / MIB).toFixed(0)} MiB, ${(bytes / length).toFixed(0)}`);
      }
      rows.push([name, `${Math.round(length / KIB)} KiB`, ...row]);
      console.log(rows.at(-1)?.join(' | '));
    }
  }
  console.log('');
  table(['text', 'length', ...columns], rows);
}

interface Measured {
  readonly status: number | string;
  /** Not a number when the server ended. */
  readonly bytes: number;
}

/** Measures a door, or the start on a vault with the note in its queue. */
async function measure(name: string, kind: string, length: number): Promise<Measured> {
  const { text = '', target } = ENTANGLED[kind]?.(length) ?? {};
  const door = DOORS.find((one) => one.name === name);
  if (door === undefined) {
    const started = await heapsOf(text, target, readAll);
    const idle = await (idleHeaps ??= heapsOf(null, undefined, untilIdle));
    const bytes = started.heaps.most - idle.heaps.most;
    return { status: started.status, bytes: started.status === 'ended' ? Number.NaN : bytes };
  }
  const { status, heaps } = await heapsOf(door.stored ? text : null, target, async (served) => {
    await untilIdle(served);
    return door.ask({ url: served.url, token: TOKEN }, text);
  });
  return { status, bytes: status === 'ended' ? Number.NaN : heaps.grown };
}

/** The heaps of a server without notes. */
let idleHeaps: Promise<{ heaps: Heaps }> | null = null;

async function untilIdle(served: Served): Promise<number> {
  const status = await readAll(served);
  await warm(served);
  served.process.kill('SIGUSR2');
  // The server collects its garbage before it answers.
  await readAll(served);
  return status;
}

/** Serves a vault and returns what V8 tells of its heaps until the work is done. */
async function heapsOf(
  queued: string | null,
  target: string | undefined,
  work: (served: Served) => Promise<number>,
): Promise<{ status: number | string; heaps: Heaps }> {
  let status: number | string = 'ended';
  let output = '';
  await withFolder((folder) =>
    onVault(folder, queued, target, WATCHED, async (served) => {
      served.process.stdout?.on('data', (data: Buffer) => (output += data.toString()));
      status = await work(served);
    }).catch(() => (status = 'ended')),
  );
  const heaps = new Heaps();
  for (const line of output.split('\n')) heaps.read(line);
  return { status, heaps };
}

/** The heaps of all threads of a server, by what V8 tells of its collections. */
class Heaps {
  /** What each heap had after its last collection (bytes). */
  readonly #sizes = new Map<string, number>();
  /** The largest sum of all heaps since the mark. */
  #most = 0;
  /** The sum of all heaps at the mark: a collection that `server-watch.mjs` asked for. */
  #before = 0;

  read(line: string): void {
    const { heap = '', left = '', why = '' } = COLLECTION.exec(line)?.groups ?? {};
    if (heap === '') return;
    this.#sizes.set(heap, Number(left) * MIB);
    const sum = [...this.#sizes.values()].reduce((all, size) => all + size, 0);
    const isMark = why.startsWith('testing');
    if (isMark) this.#before = sum;
    this.#most = isMark ? sum : Math.max(this.#most, sum);
  }

  /** The largest heaps, in all (bytes). */
  get most(): number {
    return this.#most;
  }

  /** How far the heaps have grown since the mark, in all (bytes). */
  get grown(): number {
    return this.#most - this.#before;
  }
}

/** Four callers write the text at once, each with a token of its own; returns the statuses, or that the server ended. */
async function fourCallers(name: string, length: number): Promise<string> {
  const { text, target } = ENTANGLED[name]?.(length) ?? { text: '' };
  let told = 'ended';
  const heap = { NODE_OPTIONS: `--max-old-space-size=${HEAP}` };
  await withFolder(async (folder) => {
    const tokens = await fourTokens(folder);
    await onVault(folder, null, target, heap, async (served) => {
      const write = { content: text, wing: 'bench', hall: 'facts', dry_run: true };
      const calls = tokens.map((token) =>
        call(served, token, 'POST', '/write', { ...write, slug: 'n' }).then(
          ({ status }) => status,
          () => 'ended',
        ),
      );
      const answers = await Promise.all(calls);
      told = answers.join(' ');
    }).catch(() => undefined);
  });
  if (told.includes('ended')) process.exitCode = 1;
  return told;
}

/** Makes four tokens in the configuration folder that `onVault` takes. */
async function fourTokens(folder: string): Promise<string[]> {
  const env = { ...process.env, BRAIN_CONFIG_DIR: join(folder, 'config') };
  const tokens: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    const added = await promisify(execFile)(process.execPath, ['dist/brain.mjs', 'token', 'add', name], {
      env,
    });
    tokens.push(added.stdout.trim());
  }
  return tokens;
}

async function onVault(
  folder: string,
  queued: string | null,
  target: string | undefined,
  env: Record<string, string>,
  work: (served: Served) => Promise<void>,
): Promise<void> {
  const vault = join(folder, 'vault');
  await mkdir(join(vault, 'raw'), { recursive: true });
  await mkdir(join(vault, 'wiki/net/facts'), { recursive: true });
  if (queued !== null) await writeFile(join(vault, QUEUED), queued);
  if (target !== undefined) await writeFile(join(vault, 'wiki/net/facts/t.md'), target);
  const served = await serve(vault, join(folder, 'config'), TOKEN, env);
  try {
    await work(served);
  } finally {
    await served.stop();
  }
}

/** Lets the server start the thread that reads long texts, whose program takes memory of its own. */
async function warm(served: Served): Promise<void> {
  const content = `# Warm\n\n${'plain words '.repeat(2_000)}`;
  const place = { wing: 'bench', hall: 'facts', slug: 'warm' };
  await call(served, TOKEN, 'POST', '/write', { content, ...place, dry_run: true });
}

/** So much of a note a caller may send, and how large a note put into the vault by hand is here. */
const SENT = MIB;
const STORED = 8 * MIB;
/** The longest that `/health` may be silent, in milliseconds. */
const GOAL_MS = 50;
/** So long may a slice of ours hold the one thread of the app, the work alone, in milliseconds. */
const SLICE_GOAL_MS = 12;

const repeated = (part: string) => (length: number) => ({
  text: part.repeat(Math.floor(length / part.length)),
});

/** Texts that make a Markdown reader work hard. */
const PATTERNS: Readonly<Record<string, (length: number) => { readonly text: string }>> = {
  scripts: repeated('``` run-js\n```\n'),
  ends: repeated(']('),
  tags: repeated('<a'),
  rows: repeated('|-|\n'),
  definitions: repeated('[a]: b "\n'),
  wikilinks: repeated('[[x]] '),
  fences: repeated('```\n'),
  ...ENTANGLED,
};

interface Door {
  readonly name: string;
  /** Length of the text, in UTF-16 units. */
  readonly length: number;
  /** True when the text stands in the vault before the server starts, in the queue. */
  readonly stored: boolean;
  ask(asked: Asked, text: string): Promise<number>;
}

/** A server to be asked, and with which token. */
interface Asked extends Pick<Served, 'url'> {
  readonly token: string;
}

const QUEUED = 'raw/2026-01-02-hostile.md';
const post = async (asked: Asked, path: string, body: unknown): Promise<number> =>
  (await call(asked, asked.token, 'POST', path, body)).status;
const get = async (asked: Asked, path: string): Promise<number> =>
  (await call(asked, asked.token, 'GET', path)).status;
const place = { wing: 'bench', hall: 'facts' };

const DOORS: readonly Door[] = [
  {
    name: 'write',
    length: SENT,
    stored: false,
    ask: (served, content) => post(served, '/write', { content, ...place, slug: 'written' }),
  },
  {
    name: 'update',
    length: SENT,
    stored: false,
    async ask(served, content) {
      const path = 'wiki/bench/facts/updated.md';
      await post(served, '/write', { content: '# First\n', ...place, slug: 'updated' });
      await post(served, '/update', { path, content, reason: 'bench' });
      return post(served, '/update', { path, content: `${content.slice(0, -2)}x\n`, reason: 'bench' });
    },
  },
  {
    name: 'ingest',
    length: 1_999_000,
    stored: false,
    ask: (served, text) => post(served, '/ingest', { text }),
  },
  {
    name: 'too long',
    length: 7 * MIB,
    stored: false,
    ask: (served, content) => post(served, '/write', { content, ...place, slug: 'long' }),
  },
  { name: 'pending', length: STORED, stored: true, ask: (served) => get(served, '/pending') },
  { name: 'gate', length: STORED, stored: true, ask: (served) => get(served, `/gate?path=${QUEUED}`) },
  { name: 'note', length: STORED, stored: true, ask: (served) => get(served, `/note?path=${QUEUED}`) },
  {
    name: 'query',
    length: STORED,
    stored: true,
    ask: (served) => post(served, '/query', { query: 'needle', include_raw: true }),
  },
  {
    name: 'answer',
    length: STORED,
    stored: true,
    ask: (served) => post(served, '/answer', { query: 'what is the needle' }),
  },
  {
    name: 'promote',
    length: STORED,
    stored: true,
    ask: (served) => post(served, '/promote', { path: QUEUED, ...place }),
  },
  { name: 'index', length: STORED, stored: true, ask: (served) => post(served, '/index', {}) },
];

/** A text of a pattern, so long, with a word to be found at its beginning. */
function textOf(pattern: string, length: number): string {
  const head = '# Hostile needle\n\n';
  const { text = '' } = PATTERNS[pattern]?.(length - head.length) ?? {};
  return (head + text).slice(0, length);
}

/** How `/health` answered since it was last asked, by the thread that asks it. */
class HealthProbe {
  readonly #worker: Worker;

  constructor(url: string) {
    this.#worker = new Worker(resolve('bench/health-probe.mjs'), { workerData: { url } });
  }

  told(): Promise<{ longest: number; answers: number }> {
    const told = new Promise<{ longest: number; answers: number }>((found) =>
      this.#worker.once('message', found),
    );
    this.#worker.postMessage('tell');
    return told;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

interface Seen {
  readonly took: number;
  readonly status: number;
  readonly silence: number;
  readonly answers: number;
  /** The longest that the server's event loop was held, by its own measure. */
  readonly held: number;
}

/**
 * How long a server is silent while it has to do with one hostile note, at every door, and how the time grows with its length.
 * `wanted` are names of doors and patterns, `slope` for the growth alone, `app` for the plugin alone, `short` for texts of a
 * quarter; without any, all of it. The process ends with 1 when `/health` was silent, or the app held, for longer than it may be.
 */
export async function benchLoop(wanted: readonly string[]): Promise<void> {
  const share = wanted.includes('short') ? 4 : 1;
  const names = Object.keys(PATTERNS).filter((name) => wanted.includes(name));
  const patterns = names.length > 0 ? names : Object.keys(PATTERNS);
  const chosen = DOORS.filter(({ name }) => wanted.includes(name));
  const isPart = ['slope', 'app'].some((part) => wanted.includes(part));
  const doors = chosen.length > 0 ? chosen : isPart ? [] : DOORS;
  console.log(
    `## One hostile note: how long the server is silent (goal: \`/health\` answers within ${GOAL_MS} ms)\n`,
  );
  const rows: string[][] = [];
  const add = (name: string, pattern: string, length: number, seen: Seen): void => {
    if (!(seen.silence <= GOAL_MS)) process.exitCode = 1;
    const size = `${Math.round(length / KIB)} KiB`;
    const times = [seen.took, seen.silence, seen.held].map(ms);
    rows.push([name, pattern, size, String(seen.status), ...times, String(seen.answers)]);
  };
  for (const pattern of patterns) {
    const sent = doors.filter(({ stored }) => !stored);
    const stored = doors.filter((door) => door.stored);
    if (sent.length > 0) {
      await onSilentVault(null, async (watched) => {
        for (const { name, length, ask } of sent) {
          const text = textOf(pattern, length / share);
          add(name, pattern, text.length, await watched.watch((served) => ask(served, text)));
        }
      });
    }
    if (stored.length > 0) {
      const text = textOf(pattern, STORED / share);
      await onSilentVault(text, async (watched) => {
        add('start', pattern, text.length, await watched.watch(readAll));
        for (const { name, ask } of stored)
          add(name, pattern, text.length, await watched.watch((served) => ask(served, text)));
      });
    }
  }
  const head = [
    'door',
    'pattern',
    'length',
    'status',
    'took',
    'longest silence',
    'loop held',
    'healthy answers',
  ];
  if (rows.length > 0) table(head, rows);
  if (wanted.length === 0 || wanted.includes('slope')) await benchSlope(patterns);
  if (wanted.length === 0 || wanted.includes('app')) await benchInApp(patterns);
}

/** Waits until every note has been read. */
async function readAll(served: Pick<Served, 'url'>): Promise<number> {
  for (;;) {
    const { status, body } = await call(served, TOKEN, 'POST', '/query', { query: 'needle' });
    if (status === 200 && !('reading' in body)) return status;
    await new Promise((rested) => setTimeout(rested, 20));
  }
}

interface Silence {
  watch(work: (asked: Asked) => Promise<number>): Promise<Seen>;
}

async function onSilentVault(
  queued: string | null,
  work: (watched: Silence) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const vault = join(folder, 'vault');
    await mkdir(join(vault, 'raw'), { recursive: true });
    if (queued !== null) await writeFile(join(vault, QUEUED), queued);
    const { served, health: own } = await serveWatched(folder, vault);
    const health = new HealthProbe(served.url);
    try {
      await work({
        async watch(ask) {
          if (queued === null) {
            await own();
            await health.told();
          }
          const start = performance.now();
          const status = await ask({ url: served.url, token: TOKEN });
          const took = performance.now() - start;
          // What follows a change, such as the map of a wing, may still be under way.
          await new Promise((rested) => setTimeout(rested, 100));
          const { longest: silence, answers } = await health.told();
          return { took, status, silence, answers, held: (await own()).loopMax };
        },
      });
    } finally {
      await health.end();
      await served.stop();
    }
  });
}

const SLOPE_LENGTHS = [128, 256, 512, 1024].map((kib) => kib * KIB - 64);

/** How the time of a write grows with its length: the exponent, which is 1 when twice the length takes twice the time. */
async function benchSlope(patterns: readonly string[]): Promise<void> {
  console.log(
    '## How the time of a write grows with the length of the note (goal: not faster than it, an exponent near 1)\n',
  );
  const rows: string[][] = [];
  await onSilentVault(null, async ({ watch }) => {
    for (const pattern of patterns) {
      const times: number[] = [];
      for (const length of SLOPE_LENGTHS) {
        let best = Infinity;
        for (let turn = 0; turn < 2; turn += 1) {
          const content = textOf(pattern, length);
          const slug = `${pattern}-${length}-${turn}`;
          const seen = await watch((served) =>
            post(served, '/write', { content, ...place, slug, dry_run: true }),
          );
          best = Math.min(best, seen.took);
        }
        times.push(best);
      }
      rows.push([pattern, ...times.map(ms), slope(times).toFixed(2)]);
    }
  });
  table(['pattern', ...SLOPE_LENGTHS.map((length) => `${Math.round(length / KIB)} KiB`), 'exponent'], rows);
}

/** The slope of the line through the logarithms, by least squares. */
function slope(times: readonly number[]): number {
  const points = times.map((time, n) => [Math.log(SLOPE_LENGTHS[n] ?? 1), Math.log(time)] as const);
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const product = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return product / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

/** How long the plugin holds the thread of the app while a hostile note is written, updated and ingested. */
async function benchInApp(patterns: readonly string[]): Promise<void> {
  console.log(
    `## One hostile note in the plugin, written, updated and ingested: how long the app is held (goal: a slice of ours, the work alone, at most ${SLICE_GOAL_MS} ms)\n`,
  );
  const rows: string[][] = [];
  for (const pattern of patterns) {
    await withFolder(async (folder) => {
      const [vault, home] = [join(folder, 'vault'), join(folder, 'home')];
      await mkdir(vault);
      const { result, seen } = await watchInApp(vault, home, async ({ url, token }) => {
        const statuses: number[] = [];
        for (const { length, ask } of DOORS.filter(({ name }) =>
          ['write', 'update', 'ingest'].includes(name),
        ))
          statuses.push(await ask({ url, token }, textOf(pattern, length)));
        return statuses;
      });
      const { count, times } = seen.slices;
      if (!((times[3] ?? Number.NaN) <= SLICE_GOAL_MS)) process.exitCode = 1;
      rows.push([pattern, result.join(', '), String(count), ...times.map(ms)]);
    });
  }
  table(
    ['pattern', 'status', 'slices', 'p50', 'p99', 'longest', 'longest, the work alone', 'longest collection'],
    rows,
  );
}
