import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ENTANGLED } from '../tests/support/entangled';
import { DOORS, QUEUED, readAll, TOKEN } from './loop';
import { call, serve, type Served, table, withFolder } from './support';

const KIB = 1024;
const MIB = 1024 * KIB;
const LENGTHS = [64 * KIB, 256 * KIB, MIB, 8 * MIB];
/** The memory that an operation may take: so many bytes for each of its input, and so many in addition. */
const FACTOR = 20;
const REST = 32 * MIB;
/** The heap under which four callers write at once (MB). */
const HEAP = 1024;
const MEASURED = ['write', 'ingest', 'pending', 'gate'];
/** The time in which the heap is looked at at least once (ms). */
const LOOK_MS = 200;

/**
 * Prints the memory that a server takes for one entangled note at each door, in bytes for each byte of it.
 * @param wanted names of texts, or numbers of characters; all when there are none
 */
export async function benchTextMemory(wanted: readonly string[]): Promise<void> {
  const names = Object.keys(ENTANGLED).filter((name) => wanted.includes(name));
  const sizes = wanted.map(Number).filter((size) => size > 0);
  const lengths = sizes.length > 0 ? sizes : LENGTHS;
  console.log(
    `## One entangled note: the largest heap after a collection, all threads together, above that of the idle server (goal: ${FACTOR} bytes a byte and ${REST / MIB} MiB)\n`,
  );
  const rows: string[][] = [];
  for (const name of names.length > 0 ? names : Object.keys(ENTANGLED)) {
    for (const length of lengths) {
      const row: string[] = [];
      for (const { status, bytes } of await measure(name, length)) {
        if (bytes > FACTOR * length + REST) process.exitCode = 1;
        row.push(`${status}: ${(bytes / MIB).toFixed(0)} MiB, ${(bytes / length).toFixed(0)}`);
      }
      rows.push([name, `${Math.round(length / KIB)} KiB`, ...row, await fourCallers(name, length)]);
    }
  }
  table(['text', 'length', ...MEASURED, 'start', `four writers, ${HEAP} MB`], rows);
}

interface Measured {
  readonly status: number;
  readonly bytes: number;
}

/**
 * Measures each door, and the start on a vault with the note in its queue. A thread that reads a text does not pause: its heap is looked at
 * before and behind it, and limited meanwhile, so that it answers 413.
 */
async function measure(name: string, length: number): Promise<Measured[]> {
  const { text = '', target } = ENTANGLED[name]?.(length) ?? {};
  const found: Measured[] = [];
  let idle = 0;
  for (const isStored of [false, true]) {
    await withFolder(async (folder) => {
      const peaks = join(folder, 'peaks');
      await mkdir(peaks);
      await onVault(
        folder,
        isStored ? text : null,
        target,
        {
          NODE_OPTIONS: `--import ${resolve('bench/heap-peak.mjs')}`,
          BENCH_HEAP_PEAK: join(peaks, 'heap'),
        },
        async (served) => {
          const started = await readAll(served);
          if (isStored) found.push({ status: started, bytes: (await peakIn(peaks)) - idle });
          for (const door of DOORS.filter((one) => one.stored === isStored && MEASURED.includes(one.name))) {
            await warm(served);
            await restart(peaks);
            idle = await peakIn(peaks);
            const status = await door.ask({ url: served.url, token: TOKEN }, text);
            found.push({ status, bytes: (await peakIn(peaks)) - idle });
          }
        },
      );
    });
  }
  const [write, ingest, start, ...stored] = found;
  return [write, ingest, ...stored, start].filter((one) => one !== undefined);
}

/** Four callers write the text at once; returns the statuses, or that the server ended. */
async function fourCallers(name: string, length: number): Promise<string> {
  const { text, target } = ENTANGLED[name]?.(length) ?? { text: '' };
  let told = 'the server ended';
  const heap = { NODE_OPTIONS: `--max-old-space-size=${HEAP}` };
  await withFolder((folder) =>
    onVault(folder, null, target, heap, async (served) => {
      const write = { content: text, wing: 'bench', hall: 'facts', dry_run: true };
      const calls = [1, 2, 3, 4].map((n) =>
        call(served, TOKEN, 'POST', '/write', { ...write, slug: `n${n}` }).then(
          ({ status }) => String(status),
          () => 'ended',
        ),
      );
      told = (await Promise.all(calls)).join(' ');
      if (told.includes('ended')) process.exitCode = 1;
    }),
  );
  return told;
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

async function restart(peaks: string): Promise<void> {
  for (const name of await readdir(peaks)) await rm(join(peaks, name), { force: true });
}

/** Returns the sum of the peaks of all threads (bytes). */
async function peakIn(peaks: string): Promise<number> {
  await new Promise((rested) => setTimeout(rested, LOOK_MS));
  let sum = 0;
  for (const name of await readdir(peaks)) sum += Number(await readFile(join(peaks, name), 'utf8'));
  return sum;
}
