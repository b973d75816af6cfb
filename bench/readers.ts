import { perform } from '../src/core/operation/operation';
import { queryNotes } from '../src/core/search/query';
import { callerWith, openTestBrain } from '../tests/support/test-brain';
import { heap, ms, randomFrom, table, textOf, Timings } from './support';

const WINGS = 20;
/** The questions that each caller asks. */
const QUESTIONS = 40;

/**
 * What a query costs callers with read paths: so many of them, each with three wings of its own, beside one that reads all. They
 * ask in turns, so that no view stays in the caches of the processor. The goal is a median within twice that of the caller without limits.
 */
export async function benchReaders(notes: number): Promise<void> {
  const random = randomFrom(3);
  const files: Record<string, string> = {};
  for (let n = 0; n < notes; n += 1) {
    const wing = `wing-${n % WINGS}`;
    files[`wiki/${wing}/facts/note-${n}.md`] =
      `---\nwing: ${wing}\nhall: facts\n---\n# Note ${n}\n\n${textOf(300, random)}\n`;
  }
  const { brain, close } = await openTestBrain(files, { rateLimit: 0 });
  const everything = callerWith(['read'], 'all');
  const ask = async (caller: typeof everything): Promise<unknown> =>
    perform(brain, queryNotes, { query: textOf(3, random) }, caller);
  const rows: string[][] = [];
  const before = heap();
  for (const count of [9, 50, 200]) {
    const callers = Array.from({ length: count }, (_, n) => {
      const wings = [n, n * 7 + 3, n * 11 + 1 + Math.floor(n / WINGS)].map(
        (wing) => `wiki/wing-${wing % WINGS}`,
      );
      return {
        ...callerWith(['read'], `reader-${count}-${n}`),
        limits: { read: [...wings, `Notes/${count}-${n}`] },
      };
    });
    const [first, limited, whole] = [new Timings(), new Timings(), new Timings()];
    for (const caller of callers) await first.time(() => ask(caller));
    for (let question = 0; question < QUESTIONS; question += 1) {
      for (const caller of callers) {
        await limited.time(() => ask(caller));
        await whole.time(() => ask(everything));
      }
    }
    rows.push([
      String(count),
      ...[first.quantile(0.5), limited.quantile(0.5), whole.quantile(0.5)].map(ms),
      (limited.quantile(0.5) / whole.quantile(0.5)).toFixed(2),
      `${((heap() - before) / 2 ** 20).toFixed(0)} MiB`,
    ]);
  }
  await close();
  console.log(`## Queries of callers with read paths over ${notes} notes, each with a view of its own\n`);
  table(
    [
      'callers',
      'first query, p50',
      'later ones, p50',
      'without limits, p50',
      'ratio (at most 2)',
      'memory of all views so far',
    ],
    rows,
  );
}
