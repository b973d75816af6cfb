import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ENTANGLED } from '../tests/support/entangled';
import { DOORS, QUEUED, readAll, TOKEN } from './loop';
import { call, serve, type Served, table, withFolder } from './support';

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
const WATCHED = { NODE_OPTIONS: `--import ${resolve('bench/heap-peak.mjs')}` };
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
  /** The sum of all heaps at the mark: a collection that `heap-peak.mjs` asked for. */
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
