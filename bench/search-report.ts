import { type AtOneSize, type Goal } from './search-goals';
import type { Figures } from './search-worker';
import { ms, table } from './support';

/** Prints what every engine needed at one size. */
export function printSize(queries: readonly string[], measured: AtOneSize): void {
  table(
    ['p50 / p99', ...queries],
    [...measured].map(([name, { build }]) => [name, ...queries.map((query) => sayQuery(build, query))]),
  );
  table(
    ['', 'build', 'update until found', 'cold start', 'memory after build', 'after load', 'file'],
    [...measured].map(([name, { build, hold, load, weigh }]) => [
      name,
      say(build.build, ms),
      say(build.update, ms),
      say(load?.cold, ms),
      say(hold.held, mib),
      say(weigh?.held, mib),
      say(load === undefined ? undefined : build.file, mib),
    ]),
  );
}

/** Prints what one engine needed in one process. */
export function printOne(queries: readonly string[], figures: Figures): void {
  table(
    ['build', ...queries.map((name) => `${name}, p50 / p99`), 'update until found', 'memory', 'peak'],
    [
      [
        say(figures.build, ms),
        ...queries.map((name) => sayQuery(figures, name)),
        say(figures.update, ms),
        say(figures.held, mib),
        mib(figures.peak),
      ],
    ],
  );
}

/** Prints a line for each goal. */
export function printGoals(goals: readonly Goal[]): void {
  for (const { says, met } of goals)
    console.log(`- ${met === undefined ? 'open' : met ? 'met' : 'missed'}: ${says}`);
  console.log('');
}

function sayQuery(figures: Figures, name: string): string {
  const found = figures.queries?.find((query) => query.name === name);
  return found === undefined ? '–' : `${fine(found.p50)} / ${fine(found.p99)}`;
}

function say(value: number | undefined, unit: (value: number) => string): string {
  return value === undefined ? '–' : unit(value);
}

/** Milliseconds of queries that may take a hundredth of one. */
function fine(value: number): string {
  return value < 1 ? `${value.toFixed(3)} ms` : ms(value);
}

function mib(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} MiB`;
}
