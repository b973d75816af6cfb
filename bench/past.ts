import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../src/core/base/hash';
import { history } from '../src/core/notes/history';
import { perform } from '../src/core/operation/operation';
import { listDecisions } from '../src/core/review/decisions';
import { listPending } from '../src/core/review/pending';
import { listRules } from '../src/core/rules/operations';
import { Past } from '../src/core/past/past';
import { undoWriter } from '../src/core/undo/undo';
import { person } from '../tests/support/test-brain';
import { heap, ms, openOnDisk, table, Timings, withFolder } from './support';
import { summary, ThreadWatch } from './thread-watch';

/** Notes that stand in the vault, each of them the last of four events. */
const NOTES = 500;
const HOUR = 3_600_000;

/** One in so many events is by a writer who does little. */
const RARE = 1_000;

/**
 * What questions of the past cost in a vault whose logs have so many events: most of notes that are gone, in the year before, and
 * in the last hour those of 500 notes. The first fifth is in logs of earlier versions. A question is to cost what its answer costs, and
 * to hold the thread 50 ms at most.
 */
export async function benchPast(events: number): Promise<void> {
  await withFolder(async (folder) => {
    await makeVault(folder, events, Date.now());
    const rows: string[][] = [];
    const ask = async (name: string, question: () => Promise<unknown>, count = 5): Promise<void> => {
      const times = new Timings();
      const watch = new ThreadWatch();
      for (let time = 0; time < count; time += 1) await times.time(question);
      const { gaps } = await watch.end();
      rows.push([name, ms(times.quantile(0.5)), ms(summary(gaps).times[2] ?? Number.NaN)]);
    };
    const held: Past[] = [];
    const inMemory = async (what: string, past: Past): Promise<void> => {
      const before = heap();
      await ask(`read the past, ${what}`, () => past.read(), 1);
      rows.push(['bytes in memory for an event', String(Math.round((heap() - before) / events)), '']);
      // None is collected before the end.
      held.push(past);
    };
    const first = await openOnDisk(folder);
    await first.opened.loaded;
    const { state, pace, past } = first.opened.brain;
    await past.read();
    await inMemory('all lines', new Past(state, pace));
    const log = { seen: () => undefined, needs: () => undefined, count: 0, now: Date.now(), path: null };
    const kept = 'local.bench000/past';
    await ask('read and keep the indexes', () => new Past(state, pace, log, kept).keep(), 1);
    await inMemory('from kept indexes', new Past(state, pace, log, kept));
    await first.close();
    const { opened, close } = await openOnDisk(folder);
    await opened.loaded;
    const { brain } = opened;
    held.length = 0;
    await ask('read the past after a start', () => brain.past.read(), 1);
    const call = (name: string, op: Parameters<typeof perform>[1], input: unknown): Promise<void> =>
      ask(name, () => perform(brain, op, input, person));
    const path = 'wiki/net/facts/note-7.md';
    await call('history of a note', history, { path });
    await call('50 decisions', listDecisions, {});
    await call('decisions about a note', listDecisions, { path });
    await call('rules', listRules, {});
    await call('pending', listPending, {});
    for (const [what, by, since] of [
      ['an hour', 'claude', '1h'],
      ['an hour of a writer of a few changes', 'rare', '1h'],
      ['all of a writer of a few changes', 'rare', '2000-01-01'],
      ['all', 'claude', '2000-01-01'],
    ] as const)
      await call(`plan of undo, ${what}`, undoWriter, { by, since, dry_run: true });
    await close();
    console.log(`## Questions of the past over ${events} events\n`);
    table(['', 'p50 of five', 'longest turn of the event loop (at most 50 ms)'], rows);
  });
}

/** Makes the notes and the logs: a line for each event, spread over a year, and then those of the last hour. */
async function makeVault(folder: string, events: number, now: number): Promise<void> {
  for (const each of ['wiki/net/facts', '.brain/changes', '.brain/past'])
    await mkdir(join(folder, each), { recursive: true });
  const ops = ['write', 'update', 'update', 'move', 'promote'];
  const logs = new Map<string, string[]>();
  let [segment, size] = [1, 0];
  const add = (n: number, time: number, op: string, [path, before, after]: readonly unknown[]): void => {
    const decision = op === 'promote' ? { by: 'human:me' } : undefined;
    let log = `past/bench000.a.${segment}.jsonl`;
    let event: object;
    if (n < events / 5) {
      const ts = `${new Date(time).toISOString().slice(0, 19)}Z`;
      event = { ts, op, notes: [[path, before, after]], decision };
      log = `changes/${ts.slice(0, 7)}.bench000.jsonl`;
    } else {
      const name = op === 'promote' ? 'me' : n % RARE === 0 ? 'rare' : 'claude';
      const by = { name, human: name === 'me', origin: 'mcp' };
      event = {
        id: `bench000.0123456789.${n}`,
        at: time,
        op,
        by,
        notes: [[path, before, after, 'main']],
        decision,
      };
    }
    const line = `${JSON.stringify(event)}\n`;
    if (!log.startsWith('changes')) {
      if (size === 0) logs.set(log, ['{"v":1,"min_reader":1}\n']);
      size += line.length;
      if (size > 8 << 20) [segment, size] = [segment + 1, 0];
    }
    const lines = logs.get(log);
    if (lines === undefined) logs.set(log, [line]);
    else lines.push(line);
  };
  const flush = async (): Promise<void> => {
    for (const [log, lines] of logs) await appendFile(join(folder, '.brain', log), lines.join(''));
    logs.clear();
  };
  for (let n = 0; n < events - 2 * NOTES; n += 1) {
    const time = now - 365 * 24 * HOUR + Math.floor((n / events) * 364 * 24 * HOUR);
    const at = `wiki/old/facts/note-${n % 50_000}.md`;
    add(n, time, ops[n % ops.length] ?? 'write', [at, sha256(`${n - 1}`), sha256(`${n}`)]);
    if (n % 5_000 === 0) await flush();
  }
  for (let n = 0; n < NOTES; n += 1) {
    const time = now - HOUR / 2 + n * 1000;
    const stamp = `${new Date(time).toISOString().slice(0, 19)}Z`;
    const at = `wiki/net/facts/note-${n}.md`;
    const text = `---\nwing: net\nhall: facts\ncreated_at: ${stamp}\nwritten_by: claude\n---\n# Note ${n}\n\nWords of note ${n}.\n`;
    await writeFile(join(folder, at), text);
    add(events, time, 'write', [at, null, sha256(`former ${n}`)]);
    add(events + 1, time + 1, 'update', [at, sha256(`former ${n}`), sha256(text)]);
  }
  await flush();
}
