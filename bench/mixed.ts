import { join } from 'node:path';
import {
  driveMix,
  fillQueue,
  growingMix,
  type Health,
  makeVault,
  type MixResult,
  serveWatched,
  steadyMix,
} from './mixed-calls';
import { call, ms, randomFrom, type Served, table, withFolder } from './support';

const CLIENTS = 16;
const SETTLED_CALLS = 5000;
/**
 * Files that were made just before the start are read once more, as they may be changed again within a tick. In milliseconds.
 */
const OLD_ENOUGH = 2_500;
/**
 * How many times as large as after the warm-up the heap may be at the end of the memory bench. It grew by a tenth over 100,000
 * calls; half of 50 MiB is what a leak of 260 bytes a call would make of it.
 */
const MOST_GROWTH = 1.5;

/**
 * 16 clients on a vault of so many notes for so many minutes, reads and writes mixed, over HTTP and MCP. The process ends with
 * 1 when a call was not answered as it should be.
 */
export async function benchMixed(minutes: number, notes: number): Promise<void> {
  console.log(
    `## ${CLIENTS} clients, ${minutes} minutes, mixed reads and writes on ${notes} notes, HTTP and MCP\n`,
  );
  await withFolder(async (folder) => {
    const vault = join(folder, 'vault');
    const random = randomFrom(11);
    await makeVault(vault, notes);
    const queue = await fillQueue(vault, Math.ceil(minutes * 600), random);
    await new Promise((resolve) => setTimeout(resolve, OLD_ENOUGH));
    const { served, health } = await serveWatched(folder, vault);
    try {
      await untilRead(served);
      const before = await health();
      const until = performance.now() + minutes * 60_000;
      const result = await driveMix(
        served,
        CLIENTS,
        growingMix(notes, queue, random),
        () => performance.now() < until,
      );
      const after = await health();
      report(result);
      console.log(
        `Event loop held: p99 ${ms(after.loopP99)}, longest ${ms(after.loopMax)}. RSS ${mib(before.rss)} at the start, ${mib(after.rss)} at the end; ` +
          `heap after collection ${mib(before.heapUsed)} and ${mib(after.heapUsed)}.\n`,
      );
      conclude(brokenBounds(result));
    } finally {
      await served.stop();
    }
  });
}

/**
 * The heap after collection while so many calls go by that leave the vault as large as it was. The process ends with 1 when a
 * call was not answered as it should be, or when the heap has grown too much since the warm-up.
 */
export async function benchMemory(calls: number, notes: number): Promise<void> {
  console.log(`## Memory over ${calls} mixed calls of ${CLIENTS} clients on ${notes} notes\n`);
  await withFolder(async (folder) => {
    const vault = join(folder, 'vault');
    const random = randomFrom(13);
    await makeVault(vault, notes);
    const queue = await fillQueue(vault, 64, random);
    await new Promise((resolve) => setTimeout(resolve, OLD_ENOUGH));
    const { served, health } = await serveWatched(folder, vault);
    try {
      await untilRead(served);
      const next = steadyMix(notes, queue, random);
      const rows: string[][] = [];
      const heaps: number[] = [];
      let errors = 0;
      for (let done = 0; done < calls + SETTLED_CALLS;) {
        const part = done === 0 ? SETTLED_CALLS : Math.min(10_000, calls + SETTLED_CALLS - done);
        const result = await driveMix(served, CLIENTS, next, (sent) => sent < part);
        errors += result.errors;
        for (const error of result.firstErrors) console.log(`  ${error}`);
        done += part;
        const now = await health();
        heaps.push(now.heapUsed);
        rows.push([String(done), ...row(now)]);
      }
      table(['calls', 'heap after collection', 'outside the heap', 'RSS', 'loop p99', 'loop longest'], rows);
      console.log(`Errors: ${errors}.\n`);
      conclude(brokenBounds({ calls, errors, heaps }));
    } finally {
      await served.stop();
    }
  });
}

/**
 * What a run has to be ashamed of, in words.
 * @param heaps bytes that were held at each look, the first after the warm-up; absent where the vault grows
 */
export function brokenBounds(run: {
  readonly calls: number;
  readonly errors: number;
  readonly heaps?: readonly number[];
}): string[] {
  const broken: string[] = [];
  if (!(run.calls > 0)) broken.push('not one call was made');
  if (run.errors > 0) broken.push(`${run.errors} calls were not answered as they should be`);
  if (run.heaps === undefined) return broken;
  const [first = Number.NaN] = run.heaps;
  const last = run.heaps.length > 1 ? (run.heaps.at(-1) ?? Number.NaN) : Number.NaN;
  if (!(last <= MOST_GROWTH * first))
    broken.push(
      `the heap went from ${mib(first)} to ${mib(last)}, and may be at most ${MOST_GROWTH} times as large`,
    );
  return broken;
}

/** Says which bounds were broken, and lets the process end with 1 if any was. */
function conclude(broken: readonly string[]): void {
  for (const bound of broken) console.log(`Failed: ${bound}.`);
  if (broken.length > 0) process.exitCode = 1;
}

/** Resolves when the server has read every note: a search is answered before, and reading many takes a while. */
async function untilRead(served: Served): Promise<void> {
  while ((await call(served, 'bench-token-that-is-long-enough-0123456789', 'GET', '/wings')).status === 503);
}

function row({ heapUsed, external, rss, loopP99, loopMax }: Health): string[] {
  return [mib(heapUsed), mib(external), mib(rss), ms(loopP99), ms(loopMax)];
}

function report({ samples, calls, seconds, errors, firstErrors }: MixResult): void {
  const quantile = (sorted: readonly number[], q: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
  const rows = [...samples]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, times]) => {
      const sorted = [...times].sort((a, b) => a - b);
      return [kind, String(sorted.length), ...[0.5, 0.95, 0.99, 1].map((q) => ms(quantile(sorted, q)))];
    });
  table(['call', 'count', 'p50', 'p95', 'p99', 'longest'], rows);
  console.log(
    `${calls} calls in ${seconds.toFixed(0)} s, ${(calls / seconds).toFixed(0)} a second. Errors: ${errors}.`,
  );
  for (const error of firstErrors) console.log(`  ${error}`);
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
