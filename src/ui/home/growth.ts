import type { Answer } from '../client';
import { count, day } from '../parts/words';

export type Growth = Answer<'overview'>['growth'];

/** A mark on an axis: its place as a share from 0 to 1, and its words. */
export interface Tick {
  readonly at: number;
  readonly words: string;
}

/** Round numbers that divide what is shown into two to five parts, from 0 on; the chart is as high as `top`. */
export function countTicks(most: number): { readonly top: number; readonly ticks: readonly Tick[] } {
  const least = Math.max(most, 4);
  const rough = least / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  const whole = Math.max(1, Math.round(step));
  const top = Math.max(least * 1.06, whole);
  const ticks = Array.from({ length: Math.floor(top / whole) + 1 }, (_, index) => index * whole);
  return { top, ticks: ticks.map((number) => ({ at: number / top, words: count(number) })) };
}

/** The first week of each month, named for it, with room between two names. */
export function monthTicks(growth: Growth): readonly Tick[] {
  const last = Math.max(growth.length - 1, 1);
  const starts = growth.flatMap(({ until }, index) => {
    const month = monthOf(until);
    return index > 0 && month !== monthOf(growth[index - 1]?.until ?? until)
      ? [{ at: index / last, words: month }]
      : [];
  });
  return starts.filter(({ at }, index) => index === 0 || at - (starts[index - 1]?.at ?? 0) > 0.06);
}

/** What the chart shows, in one sentence. */
export function growthWords(growth: Growth): string {
  const first = growth[0];
  const last = growth.at(-1);
  if (first === undefined || last === undefined) return 'No data';
  const verb = last.notes > first.notes ? 'rose' : 'stayed';
  const from = verb === 'rose' ? `from ${count(first.notes)} on ${day(first.until)} to` : 'at';
  return `Notes ${verb} ${from} ${count(last.notes)} on ${day(last.until)}.`;
}

function monthOf(time: string): string {
  return day(time).split(' ')[1] ?? '';
}
