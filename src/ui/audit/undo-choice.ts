import { timestamp } from '../../core/rules/time';
import { parseWriter } from '../parts/writer-name';

/** The spans that can be chosen for an undo, and a time of one's own. */
export const UNDO_SPANS = [
  { value: '1h', label: 'The last hour' },
  { value: '24h', label: 'The last 24 hours' },
  { value: '7d', label: 'The last 7 days' },
  { value: '30d', label: 'The last 30 days' },
  { value: 'time', label: 'A time of your own' },
] as const;

export type UndoSpan = (typeof UNDO_SPANS)[number]['value'];

/** Whose doings are to be undone, and from when on, as the person has chosen. */
export interface UndoChoice {
  readonly by: string;
  readonly span: UndoSpan;
  /** What a field for date and time holds (`2026-11-20T10:32`), in the time zone of the person. */
  readonly time: string;
}

/** What the service is asked as `since`; null as long as no time was chosen. */
export function sinceOfChoice({ span, time }: UndoChoice): string | null {
  if (span !== 'time') return span;
  const date = new Date(time);
  return time === '' || Number.isNaN(date.getTime()) ? null : timestamp(date);
}

/**
 * The writers to offer: what the stamps of notes and the callers of the log have proven, without what clients call
 * themselves and without the models in between. The service takes whole names alone, so each is one.
 */
export function writersOf(stamps: readonly string[]): string[] {
  const names = stamps.map((stamp) => {
    const { name, person } = parseWriter(stamp);
    return person ? `human:${name}` : name;
  });
  return [...new Set(names)].sort();
}
