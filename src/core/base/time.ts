import { BrainError } from './errors';

/** A moment as RFC 3339 in UTC with whole seconds: `2026-11-20T10:32:00Z`. */
export type Timestamp = string;

/** The moment with its fraction of a second cut off. The date must be valid and its year between 0 and 9999. */
export function timestamp(date: Date): Timestamp {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** The calendar day `YYYY-MM-DD` in the time zone of the host, which is the day that its user means by "today". */
export function localDate(date: Date): string {
  const month = String(date.getMonth() + 1).padStart(2, '0');
  const day = String(date.getDate()).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${month}-${day}`;
}

/** Numbers below this are epoch seconds (to the year 5138), from it on milliseconds (from 1973). */
const FIRST_EPOCH_MS = 1e11;
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const YEAR_10000 = YEAR_0 + 3_652_425 * 86_400_000; // 10,000 Gregorian years have 3,652,425 days.

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?)?$/;
/** The end of a text whose time says its zone. */
const ZONED = /:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:?\d{2})$/;
/** A link to the note of a day, which people write for the day itself. */
const DAY_LINK = /^\[\[(?:[^\][|#]*\/)?(\d{4}-\d{2}-\d{2})(?:\.md)?(?:[#|][^\][]*)?\]\]$/;

/**
 * The moment that a value means, or null when it means none: RFC 3339, also with an offset such as `+0200`,
 * `YYYY-MM-DD` (its first second), `YYYY-MM-DD HH:mm[:ss]` also with a `T`, or a number of seconds or milliseconds
 * since the epoch. A time without a zone is read as UTC: what callers send and records hold means the same on every machine.
 */
export function parseTime(value: unknown): Date | null {
  const ms =
    typeof value === 'string' ? parseText(value.trim()) : typeof value === 'number' ? parseEpoch(value) : NaN;
  return ms >= YEAR_0 && ms < YEAR_10000 ? new Date(ms) : null;
}

/** Milliseconds since 1970 at which a clock on the wall shows what the parts of this moment are in UTC. */
export type WallClock = (wall: Date) => number;

/** The wall clock of the host. A time that it skips in spring is read by the clock before: it is that much after the gap. */
const hostClock: WallClock = (wall) => {
  const local = new Date(0);
  local.setFullYear(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate());
  local.setHours(wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds(), wall.getUTCMilliseconds());
  return local.getTime();
};

/**
 * The moment that a value in a note's front matter means, or null: as `parseTime`, but a time without a zone is one on the wall
 * of the person who reads the note, a date alone is the first moment of that day there, and `[[2026-04-08]]`, a link to the note
 * of a day, is that day.
 * @param clock how local times are read; the host's time zone unless given
 */
export function noteTime(value: unknown, clock: WallClock = hostClock): Date | null {
  if (Array.isArray(value)) {
    // Without quotes YAML takes the brackets of a link for lists.
    const list: readonly unknown[] = value.length === 1 ? value.flat() : [];
    const [day] = list;
    return list.length === 1 && Array.isArray(value[0]) && typeof day === 'string'
      ? noteTime(`[[${day}]]`, clock)
      : null;
  }
  const text = typeof value === 'string' ? value.trim() : value;
  const said = typeof text === 'string' ? (DAY_LINK.exec(text)?.[1] ?? text) : text;
  const moment = parseTime(said);
  if (moment === null || typeof said !== 'string' || ZONED.test(said)) return moment;
  const ms = clock(moment);
  return ms >= YEAR_0 && ms < YEAR_10000 ? new Date(ms) : null;
}

/**
 * When a note was last written, by what its front matter says: `updated_at`, else `promoted_at`, else `created_at`. One that
 * means no moment counts as absent.
 */
export function lastWritten(frontmatter: Readonly<Record<string, unknown>>): Timestamp | undefined {
  const { updated_at, promoted_at, created_at } = frontmatter;
  const at = noteTime(updated_at) ?? noteTime(promoted_at) ?? noteTime(created_at);
  return at === null ? undefined : timestamp(at);
}

/** True for a promoted note that was rewritten after its promotion: whoever promoted it has not seen what it says now. */
export function isChangedSinceReview(frontmatter: Readonly<Record<string, unknown>>): boolean {
  const [updated, promoted] = [noteTime(frontmatter.updated_at), noteTime(frontmatter.promoted_at)];
  return updated !== null && promoted !== null && updated > promoted;
}

function parseEpoch(value: number): number {
  return Math.abs(value) < FIRST_EPOCH_MS ? value * 1000 : value;
}

function parseText(text: string): number {
  const match = DATE_TIME.exec(text);
  if (!match) return NaN;
  const [, day, clock = '00:00', second = '00', fraction = '', sign, hours = '00', minutes = '00'] = match;
  // RFC 3339 allows a leap second; it counts as the last one that a Date knows.
  const whole = Date.parse(
    `${day}T${clock}:${second === '60' ? '59' : second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`,
  );
  // Date.parse rolls 30 February over into March instead of refusing it.
  if (Number.isNaN(whole) || !new Date(whole).toISOString().startsWith(`${day}T${clock}`)) return NaN;
  if (Number(hours) > 23 || Number(minutes) > 59) return NaN;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? whole + offset : whole - offset;
}

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
