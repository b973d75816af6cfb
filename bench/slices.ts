import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settleConfig } from '../src/core/config';
import { openBrain } from '../src/core/open-brain';
import { openStorage } from '../src/adapters/node/storage';
import { ms, randomFrom, table, textOf, Timings, withFolder } from './support';

/**
 * How long reading a whole vault holds the one thread that inside the app also draws the window: the time between two turns
 * of the event loop while the catalog is built, with the disk adapter of the headless server.
 */
export async function benchSlices(notes: number): Promise<void> {
  await withFolder(async (folder) => {
    const random = randomFrom(2);
    for (let n = 0; n < notes; n += 1) {
      const hall = join(folder, 'wiki', `wing-${n % 20}`, 'facts');
      if (n < 20) await mkdir(hall, { recursive: true });
      const text = `---\nwing: wing-${n % 20}\nhall: facts\n---\n# Note ${n}\n\n${textOf(300, random)}\n`;
      await writeFile(join(hall, `note-${n}.md`), text);
    }
    const clock = { now: () => new Date() };
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const storage = await openStorage(folder, { device: 'bench000', clock, log, watch: false });
    const gaps = new Timings();
    let running = true;
    let last = performance.now();
    const beat = (): void => {
      const now = performance.now();
      gaps.add(now - last);
      last = now;
      if (running) setImmediate(beat);
    };
    setImmediate(beat);
    const start = performance.now();
    const opened = await openBrain({ ...storage, clock, log }, settleConfig({}), {
      device: 'bench000',
      version: 'bench',
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
      breathe: () => new Promise((resolve) => setImmediate(resolve)),
    });
    await opened.loaded;
    const took = performance.now() - start;
    running = false;
    await opened.close();
    await storage.close();
    console.log(`## Reading ${notes} notes of about 2 KiB: how long the thread is held\n`);
    table(
      ['turns of the event loop', 'p50', 'p99', 'longest (goal 12 ms)', 'whole'],
      [[String(gaps.count), ms(gaps.quantile(0.5)), ms(gaps.quantile(0.99)), ms(gaps.quantile(1)), ms(took)]],
    );
  });
}
