import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settleConfig } from '../src/core/config';
import { openBrain } from '../src/core/open-brain';
import { openStorage } from '../src/adapters/node/storage';
import { ms, randomFrom, table, textOf, withFolder } from './support';
import { type Held, ThreadWatch } from './thread-watch';

/**
 * How long reading a whole vault for the first time holds the one thread that inside the app also draws the window, with the
 * disk adapter of the headless server. A slice is ours: from its beginning to the end of its last piece. A gap is the time
 * between two turns of the event loop, whoever held it.
 */
export async function benchSlices(notes: number): Promise<void> {
  await withFolder(async (folder) => {
    await makeNotes(folder, notes);
    const clock = { now: () => new Date() };
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const storage = await openStorage(folder, { device: 'bench000', clock, log, watch: false });
    const watch = new ThreadWatch();
    const start = performance.now();
    const opened = await openBrain({ ...storage, clock, log }, settleConfig({}), {
      device: 'bench000',
      version: 'bench',
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
      breathe: () => new Promise((resolve) => setImmediate(resolve)),
      paceWatch: watch,
    });
    await opened.loaded;
    const took = performance.now() - start;
    const { pieces, slices, gaps } = await watch.end();
    await opened.close();
    await storage.close();
    const about =
      'The work alone: without the collection of garbage and, in slices on Linux, without waiting for a processor.';
    console.log(`## Reading ${notes} notes of about 2 KiB in ${ms(took)}: how long the thread is held\n`);
    console.log(`${about}\n`);
    table(
      ['', 'number', 'p50', 'p99', 'longest', 'longest, the work alone', 'longest collection', 'goal'],
      [
        [
          'pieces',
          String(pieces.count),
          ms(pieces.quantile(0.5)),
          ms(pieces.quantile(0.99)),
          ms(pieces.quantile(1)),
          '',
          '',
          '',
        ],
        rowOf('slices of ours', slices, 'the work alone at most 12 ms'),
        rowOf('turns of the event loop', gaps, 'p99 at most 20 ms'),
      ],
    );
  });
}

function rowOf(name: string, { whole, ours, collecting }: Held, goal: string): string[] {
  const [p50, p99, longest] = [whole.quantile(0.5), whole.quantile(0.99), whole.quantile(1)];
  return [
    name,
    String(whole.count),
    ...[p50, p99, longest, ours.quantile(1), collecting.quantile(1)].map(ms),
    goal,
  ];
}

async function makeNotes(folder: string, notes: number): Promise<void> {
  const random = randomFrom(2);
  for (let n = 0; n < notes; n += 1) {
    const hall = join(folder, 'wiki', `wing-${n % 20}`, 'facts');
    if (n < 20) await mkdir(hall, { recursive: true });
    const text = `---\nwing: wing-${n % 20}\nhall: facts\n---\n# Note ${n}\n\n${textOf(300, random)}\n`;
    await writeFile(join(hall, `note-${n}.md`), text);
  }
}
