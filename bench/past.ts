import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../src/core/base/hash';
import { history } from '../src/core/notes/history';
import { perform } from '../src/core/operation/operation';
import { listDecisions } from '../src/core/review/decisions';
import { listPending } from '../src/core/review/pending';
import { listRules } from '../src/core/rules/operations';
import { undoWriter } from '../src/core/undo/undo';
import { person } from '../tests/support/test-brain';
import { heap, ms, openOnDisk, table, Timings, withFolder } from './support';
import { summary, ThreadWatch } from './thread-watch';

/** Notes that stand in the vault, each of them the last of four events. */
const NOTES = 500;
const HOUR = 3_600_000;

/**
 * What questions of the past cost in a vault whose logs have so many events: most of notes that are gone, in the months before, and
 * in the last hour those of 500 notes. A question is to cost what its answer costs, and to hold the thread 50 ms at most.
 */
export async function benchPast(events: number): Promise<void> {
  await withFolder(async (folder) => {
    const now = Date.now();
    await makeVault(folder, events, now);
    const { opened, close } = await openOnDisk(folder);
    await opened.loaded;
    const { brain } = opened;
    const ask = (op: Parameters<typeof perform>[1], input: unknown) => perform(brain, op, input, person);
    const path = 'wiki/net/facts/note-7.md';
    const questions: readonly (readonly [name: string, ask: () => Promise<unknown>])[] = [
      ['read the logs for the first time', () => brain.past.read()],
      ['history of a note', () => ask(history, { path })],
      ['50 decisions', () => ask(listDecisions, {})],
      ['decisions about a note', () => ask(listDecisions, { path })],
      ['rules', () => ask(listRules, {})],
      ['pending', () => ask(listPending, {})],
      ['plan of undo, an hour', () => ask(undoWriter, { by: 'claude', since: '1h', dry_run: true })],
      ['plan of undo, all', () => ask(undoWriter, { by: 'claude', since: '2000-01-01', dry_run: true })],
    ];
    const before = heap();
    const rows: string[][] = [];
    for (const [name, question] of questions) {
      const times = new Timings();
      const watch = new ThreadWatch();
      for (let time = 0; time < (name.includes('first') ? 1 : 5); time += 1) await times.time(question);
      const { gaps } = await watch.end();
      rows.push([name, ms(times.quantile(0.5)), ms(summary(gaps).times[2] ?? Number.NaN)]);
      if (rows.length === 1)
        rows.push(['bytes in memory for an event', String(Math.round((heap() - before) / events)), '']);
    }
    await close();
    console.log(`## Questions of the past over ${events} events\n`);
    table(['', 'p50 of five', 'longest turn of the event loop (at most 50 ms)'], rows);
  });
}

/** Makes the notes and the logs: a line for each event, spread over a year, and then those of the last hour. */
async function makeVault(folder: string, events: number, now: number): Promise<void> {
  await mkdir(join(folder, 'wiki/net/facts'), { recursive: true });
  await mkdir(join(folder, '.brain/changes'), { recursive: true });
  const ops = ['write', 'update', 'update', 'move', 'promote'];
  const lineOf = (time: number, op: string, notes: readonly unknown[]): string =>
    `${JSON.stringify({ ts: `${new Date(time).toISOString().slice(0, 19)}Z`, op, notes, ...(op === 'promote' && { decision: { by: 'human:me' } }) })}\n`;
  const logs = new Map<string, string[]>();
  const add = (time: number, line: string): void => {
    const month = new Date(time).toISOString().slice(0, 7);
    logs.set(month, [...(logs.get(month) ?? []), line]);
  };
  const flush = async (): Promise<void> => {
    for (const [month, lines] of logs)
      await appendFile(join(folder, `.brain/changes/${month}.bench000.jsonl`), lines.join(''));
    logs.clear();
  };
  for (let n = 0; n < events - 2 * NOTES; n += 1) {
    const time = now - 365 * 24 * HOUR + Math.floor((n / events) * 364 * 24 * HOUR);
    const at = `wiki/old/facts/note-${n % 50_000}.md`;
    add(time, lineOf(time, ops[n % ops.length] ?? 'write', [[at, sha256(`${n - 1}`), sha256(`${n}`)]]));
    if (n % 5_000 === 0) await flush();
  }
  for (let n = 0; n < NOTES; n += 1) {
    const time = now - HOUR / 2 + n * 1000;
    const stamp = `${new Date(time).toISOString().slice(0, 19)}Z`;
    const at = `wiki/net/facts/note-${n}.md`;
    const text = `---\nwing: net\nhall: facts\ncreated_at: ${stamp}\nwritten_by: claude\n---\n# Note ${n}\n\nWords of note ${n}.\n`;
    await writeFile(join(folder, at), text);
    add(time, lineOf(time, 'write', [[at, null, sha256(`former ${n}`)]]));
    add(time, lineOf(time, 'update', [[at, sha256(`former ${n}`), sha256(text)]]));
  }
  await flush();
}
