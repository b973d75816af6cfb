import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settleConfig } from '../src/core/config/config';
import { openBrain } from '../src/core/vault/open';
import { fakeDocuments } from '../tests/support/fake-documents';
import { openStorage } from '../src/adapters/vault/storage';
import type { Seen } from './plugin-watch';
import { ms, randomFrom, table, textOf, withFolder } from './support';
import { type Held, heldFigures, holdToGoals } from './slices-goals';
import { readInApp } from './slices-in-app';
import { summary, type Summary, ThreadWatch } from './thread-watch';

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
    const clock = { now: () => new Date() };
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    };
    const storage = await openStorage(folder, { device: 'bench000', clock, log, watch: false });
    const watch = new ThreadWatch();
    const start = performance.now();
    const opened = await openBrain({ ...storage, clock, log, documents: fakeDocuments() }, settleConfig({}), {
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
