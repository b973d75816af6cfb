import { count, counted } from '../parts/words';
import type { IntakeItem } from './intake';
import { joined, outcomeWords } from './outcome';

/**
 * How far all of it is: what is read now, and how much is done. The bar counts in hundredths of a source; the total is 0 for
 * one alone of which nobody knows how far it is.
 */
export function progressOf(items: readonly IntakeItem[]): {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly words: string;
} {
  const ended = items.filter(({ state }) => state !== 'waiting' && state !== 'running').length;
  const now = items.find(({ state }) => state === 'running');
  const part = now === undefined || now.total === 0 ? 0 : now.done / now.total;
  return {
    label: now === undefined ? 'Waiting' : `Ingesting ${now.name}`,
    done: Math.round((ended + part) * 100),
    total: items.length === 1 && now !== undefined && now.total === 0 ? 0 : items.length * 100,
    words: progressWords(items.length, ended, now),
  };
}

function progressWords(all: number, ended: number, now: IntakeItem | undefined): string {
  if (all > 1) return `${count(Math.min(ended + 1, all))} of ${count(all)}`;
  return now === undefined || now.total === 0 ? '' : `${count(now.done)} of ${count(now.total)}`;
}

/** What came of all of it, in one line. */
export function summaryOf(items: readonly IntakeItem[]): string {
  const of = (state: IntakeItem['state']) => items.filter((item) => item.state === state).length;
  const outcomes = items.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]));
  const failed = of('failed');
  const cancelled = of('cancelled');
  const parts = [
    ...(outcomes.length > 0 ? [outcomeWords(joined(outcomes))] : []),
    ...(failed > 0 ? [`${counted(failed, 'source')} not ingested`] : []),
    ...(cancelled > 0 ? [`${count(cancelled)} cancelled`] : []),
  ].join(', ');
  return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}`;
}
