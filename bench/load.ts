import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { ms, table, Timings } from './support';

const RUNS = 21;

/** What the plugin costs the app at its start: the time to compile `main.js` and the time to run it, each in a new process. */
export function benchLoad(): void {
  const compile = new Timings();
  const execute = new Timings();
  for (let run = 0; run < RUNS; run += 1) {
    const printed = execFileSync(process.execPath, ['bench/load-once.mjs', 'main.js'], { encoding: 'utf8' });
    const once: { compile: number; execute: number } = JSON.parse(printed);
    compile.add(once.compile);
    execute.add(once.execute);
  }
  console.log(`## Load of main.js (${(statSync('main.js').size / 1e6).toFixed(2)} MB), ${RUNS} processes\n`);
  const row = (name: string, timings: Timings, goal: string) => [
    name,
    ms(timings.quantile(0.5)),
    ms(timings.quantile(1)),
    goal,
  ];
  table(
    ['step', 'median', 'slowest', 'goal for the median'],
    [row('compile', compile, '60 ms'), row('execute', execute, '5 ms')],
  );
}
