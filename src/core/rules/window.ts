import { BrainError } from '../errors';

const HOUR_MS = 3_600_000;
const UNIT_MS = { h: HOUR_MS, d: 24 * HOUR_MS };
/** Ten years: longer than any log, and far from the end of what a date can hold. */
const MAX_WINDOW_MS = 3650 * UNIT_MS.d;

/** Length in milliseconds of a span of time written as `Nh` or `Nd`, N from 1 and at most 3650 days; null for anything else. */
export function spanOf(text: string): number | null {
  const match = /^([1-9][0-9]*)([hd])$/.exec(text);
  const length = match ? Number(match[1]) * (match[2] === 'h' ? UNIT_MS.h : UNIT_MS.d) : NaN;
  return length <= MAX_WINDOW_MS ? length : null;
}

/**
 * The same for a window.
 * @throws BrainError `invalid_window`.
 */
export function parseWindow(text: string): number {
  const length = spanOf(text);
  if (length !== null) return length;
  throw new BrainError(
    'invalid_window',
    '"window" must be a number of hours or days such as "24h" or "7d", at most "3650d".',
  );
}
