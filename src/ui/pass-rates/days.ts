import type { Answer } from '../../core/registry/client';
import { count, counted, percent } from '../kit/words';

export type PassRates = Answer<'passRate'>;
export type Day = NonNullable<PassRates['series']>[number];
export type Skill = NonNullable<PassRates['by_skill']>[number];

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Formats a day: `13 November`. The days of pass rates are in UTC, so that all machines count alike. */
export function longDay(start: string): string {
  const date = new Date(start);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''}`;
}

/** Formats a day: `13 Nov`. */
export function shortDay(start: string): string {
  return longDay(start).replace(/(?<= ...).+$/, '');
}

/** Formats the first and the last day: `22 Oct to 20 Nov 2026`. */
export function spanWords(days: readonly Day[]): string {
  const first = days[0]?.start;
  const last = days.at(-1)?.start;
  if (first === undefined || last === undefined) return '';
  return `${shortDay(first)} to ${shortDay(last)} ${new Date(last).getUTCFullYear()}`;
}

/** Splits days into runs that all have a rate, or all have none, in order. `to` is exclusive. */
export function splitByData(days: readonly Day[]): readonly { from: number; to: number; hasData: boolean }[] {
  const found: { from: number; to: number; hasData: boolean }[] = [];
  for (const [index, { pass_rate: rate }] of days.entries()) {
    const last = found.at(-1);
    if (last?.hasData === (rate !== null)) last.to = index + 1;
    else found.push({ from: index, to: index + 1, hasData: rate !== null });
  }
  return found;
}

/** Returns the middle of a day as a share of the width. */
export function middle(index: number, days: number): number {
  return (index + 0.5) / days;
}

/**
 * Returns the SVG paths of the rate in a box. `line` breaks at days without data. `dots` has a point for every day; `lone`
 * only for days between two gaps, where a line of one point is invisible.
 */
export function ratePaths(days: readonly Day[], box: { width: number; top: number; height: number }) {
  const at = ({ pass_rate: rate }: Day, index: number): string | null =>
    rate === null
      ? null
      : `${(middle(index, days.length) * box.width).toFixed(1)} ${(box.top + (1 - rate) * box.height).toFixed(1)}`;
  const points = days.map(at);
  const known = splitByData(days).filter(({ hasData }) => hasData);
  const line = known.map(({ from, to }) => `M${points.slice(from, to).join('L')}`).join('');
  const dotAt = (point: string | null | undefined): string => (point ? `M${point}h.01` : '');
  const dots = points.map(dotAt).join('');
  const lone = known
    .filter(({ from, to }) => to - from === 1)
    .map(({ from }) => dotAt(points[from]))
    .join('');
  return { line, dots, lone };
}

/** Returns the indexes of the days with a label on the axis, at even distances, the last day included. */
export function labelledDays(days: readonly Day[]): readonly number[] {
  const step = Math.max(1, Math.ceil(days.length / 6));
  return days.flatMap((_, index) => ((days.length - 1 - index) % step === 0 ? [index] : []));
}

/** Describes a day: `4 passed, 2 failed, 1 skipped`. */
export function dayWords({ pass, fail, skip, unknown, pass_rate: rate }: Day): string {
  const rest = [
    ...(skip > 0 ? [`${count(skip)} skipped`] : []),
    ...(unknown > 0 ? [`${count(unknown)} unknown`] : []),
  ];
  if (rate === null) return ['No run that passed or failed', ...rest].join(', ');
  return [`${count(pass)} passed`, `${count(fail)} failed`, ...rest].join(', ');
}

/** Formats a rate. Null is "No data", never zero. */
export function rateWords(rate: number | null): string {
  return rate === null ? 'No data' : percent(rate);
}

/** Describes the chart of a skill for screen readers. */
export function chartWords(skill: string, days: readonly Day[]): string {
  const known = days.flatMap(({ start, pass_rate: rate }) => (rate === null ? [] : [{ start, rate }]));
  const last = known.at(-1);
  if (last === undefined) return `Pass rate of ${skill} per day: no data.`;
  const lowest = known.reduce((low, one) => (one.rate < low.rate ? one : low));
  const missing = days.length - known.length;
  return [
    `Pass rate of ${skill} per day: lowest ${percent(lowest.rate)} on ${longDay(lowest.start)}, `,
    `last ${percent(last.rate)} on ${longDay(last.start)}.`,
    missing > 0 ? ` No data on ${counted(missing, 'day')}.` : '',
  ].join('');
}
