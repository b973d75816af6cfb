import { join } from 'node:path';
import {
  driveMix,
  fillQueue,
  growingMix,
  type Health,
  type MixResult,
  serveWatched,
  steadyMix,
} from './mixed-calls';
import { makeVault } from './start';
import { call, ms, randomFrom, type Served, table, withFolder } from './support';

const CLIENTS = 16;
const SETTLED_CALLS = 5000;
/** Files that were made just before the start are read once more, as they may be changed again within a tick. In milliseconds. */
const OLD_ENOUGH = 2_500;

/** 16 clients on a vault of so many notes for so many minutes, reads and writes mixed, over HTTP and MCP. */
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
    } finally {
      await served.stop();
    }
  });
}

/** The heap after collection while so many calls go by that leave the vault as large as it was. */
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
      let errors = 0;
      for (let done = 0; done < calls + SETTLED_CALLS;) {
        const part = done === 0 ? SETTLED_CALLS : Math.min(10_000, calls + SETTLED_CALLS - done);
        const result = await driveMix(served, CLIENTS, next, (sent) => sent < part);
        errors += result.errors;
        for (const error of result.firstErrors) console.log(`  ${error}`);
        done += part;
        rows.push([String(done), ...row(await health())]);
      }
      table(['calls', 'heap after collection', 'outside the heap', 'RSS', 'loop p99', 'loop longest'], rows);
      console.log(`Errors: ${errors}.\n`);
    } finally {
      await served.stop();
    }
  });
}

/** Resolves when the server has read every note: a search is answered before, and reading many takes a while. */
async function untilRead(served: Served): Promise<void> {
  while ((await call(served, 'bench-token', 'GET', '/wings')).status === 503);
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
