import { localDate } from '../../core/rules/time';
import { day } from '../parts/words';

const DAY_MS = 86_400_000;

/** `Today, 20 Nov 2026`, `Yesterday, 19 Nov 2026`, `18 Nov 2026`. */
export function dayWords(time: string, now: Date): string {
  const date = localDate(new Date(time));
  if (date === localDate(now)) return `Today, ${day(time)}`;
  if (date === localDate(new Date(now.getTime() - DAY_MS))) return `Yesterday, ${day(time)}`;
  return day(time);
}
