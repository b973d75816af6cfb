import { ms } from './support';

/** The longest slice of ours, the work alone, in milliseconds. */
const MOST_WORK_MS = 12;
/** The delay of the event loop that 99 of 100 turns or samples do not exceed, in milliseconds. */
const MOST_DELAY_MS = 20;

/** A figure that is held to a goal. One that was never measured is NaN, and misses it. */
export interface Held {
  readonly name: string;
  readonly value: number;
  readonly most: number;
}

/** What a run is held to: where it ran, the longest slice with the work alone, and the delay of the event loop (p99). */
export function heldFigures(where: string, work: number, delay: number): Held[] {
  return [
    { name: `${where}: longest slice of ours, the work alone`, value: work, most: MOST_WORK_MS },
    { name: `${where}: delay of the event loop, p99`, value: delay, most: MOST_DELAY_MS },
  ];
}

/** Says of each figure whether it reached its goal, and makes the process end with 1 when one did not. */
export function holdToGoals(figures: readonly Held[]): void {
  console.log(`## Goals

A slice is held to its goal by the work alone, which is what the code decides: the collection of garbage and, where it is known, the time
that other programs had the processor are taken off. How long the slice was as the clock has it is printed beside it all the
same, for that is what a person feels. The delay of the event loop is held to its goal as the clock has it, with everything in it.
`);
  for (const { name, value, most } of figures) {
    const isReached = value <= most;
    console.log(`- ${isReached ? 'reached' : 'MISSED'}: ${name}: ${ms(value)}, at most ${most} ms`);
    if (!isReached) process.exitCode = 1;
  }
  console.log('');
}
