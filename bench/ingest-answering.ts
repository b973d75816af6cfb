import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { makeVault } from './start';
import { call, ms, randomFrom, serve, type Served, table, textOf, Timings, withFolder } from './support';

const TOKEN = 'bench-token-that-is-long-enough-0123456789';
/** Between two questions of the one who asks, in milliseconds. */
const PAUSE_MS = 5;
const IDLE_QUERIES = 300;

interface Delay {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/**
 * How fast a server answers, and how long its thread is held, while it takes in a PDF file, against the same server at rest.
 */
export async function benchAnswering(pdfs: readonly string[], pages: number, notes: number): Promise<void> {
  await withFolder(async (folder) => {
    const [vault, report] = [join(folder, 'vault'), join(folder, 'delay.json')];
    await makeVault(vault, notes);
    await mkdir(join(vault, 'inbox'), { recursive: true });
    for (const [n, pdf] of pdfs.entries()) await copyFile(pdf, join(vault, 'inbox', `report-${n}.pdf`));
    const served = await serve(vault, join(folder, 'config'), TOKEN, {
      NODE_OPTIONS: `--import ${resolve('bench/loop-delay.mjs')}`,
      BENCH_LOOP_DELAY: report,
    });
    try {
      const random = randomFrom(5);
      // Everything is read by then, and the search is warm.
      while ('reading' in (await query(served, random))) continue;
      for (let n = 0; n < 100; n += 1) await query(served, random);
      await delayOf(served, report);
      const rest = new Timings();
      for (let n = 0; n < IDLE_QUERIES; n += 1) await ask(served, random, rest);
      const restDelay = await delayOf(served, report);
      const busy = new Timings();
      const took = new Timings();
      for (const n of pdfs.keys()) {
        let isDone = false;
        const ingest = took
          .time(() => call(served, TOKEN, 'POST', '/ingest-path', { path: `inbox/report-${n}.pdf` }))
          .finally(() => (isDone = true));
        while (!isDone) await ask(served, random, busy);
        const { status, body } = await ingest;
        if (status !== 200) throw new Error(`the ingest answered ${status}: ${JSON.stringify(body)}`);
      }
      const busyDelay = await delayOf(served, report);
      console.log(
        `## Answers of a server with ${notes} notes while it ingests a PDF file of ${pages} pages, ${pdfs.length} times (p50 ${ms(took.quantile(0.5))} each)\n`,
      );
      const row = (when: string, asked: Timings, delay: Delay) => [
        when,
        String(asked.count),
        ...[asked.quantile(0.5), asked.quantile(0.95), asked.quantile(1)].map(ms),
        ...[delay.p50, delay.p99, delay.longest].map(ms),
      ];
      table(
        [
          'server',
          'queries',
          'p50',
          'p95 (goal: under 20 ms)',
          'slowest',
          'event-loop delay, p50',
          'p99 (goal: at most 20 ms)',
          'longest',
        ],
        [row('at rest', rest, restDelay), row('ingesting', busy, busyDelay)],
      );
    } finally {
      await served.stop();
    }
  });
}

async function ask(served: Served, random: () => number, timings: Timings): Promise<void> {
  await timings.time(() => query(served, random));
  await new Promise((done) => setTimeout(done, PAUSE_MS));
}

async function query(served: Served, random: () => number): Promise<Record<string, unknown>> {
  for (;;) {
    const { status, body } = await call(served, TOKEN, 'POST', '/query', { query: textOf(3, random) });
    if (status === 200) return body;
    if (status !== 503) throw new Error(`the query answered ${status}`);
  }
}

/** What the server tells of its event loop since it was last asked. */
async function delayOf(served: Served, report: string): Promise<Delay> {
  await rm(report, { force: true });
  served.process.kill('SIGUSR2');
  const end = performance.now() + 10_000;
  for (;;) {
    const text = await readFile(report, 'utf8').catch(() => null);
    if (text !== null) {
      // Our own few lines wrote it: bench/loop-delay.mjs.
      return JSON.parse(text) as Delay;
    }
    if (performance.now() > end) throw new Error('The server does not tell of its event loop.');
    await new Promise((done) => setTimeout(done, 5));
  }
}
