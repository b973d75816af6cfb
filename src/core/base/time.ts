import { BrainError } from './errors';

/** A time in RFC 3339, UTC, with whole seconds: `2026-11-20T10:32:00Z`. */
export type Timestamp = string;

/** Formats a date and cuts off its fraction of a second. The date must be valid and its year between 0 and 9999. */
export function timestamp(date: Date): Timestamp {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Returns the calendar day as `YYYY-MM-DD` in the host's time zone: the day that its user calls "today". */
export function localDate(date: Date): string {
  const month = String(date.getMonth() + 1).padStart(2, '0');
  const day = String(date.getDate()).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${month}-${day}`;
}

/** The first number that is read as epoch milliseconds (1973). Smaller ones are epoch seconds (to the year 5138). */
const FIRST_EPOCH_MS = 1e11;
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const YEAR_10000 = YEAR_0 + 3_652_425 * 86_400_000; // 10,000 Gregorian years have 3,652,425 days.

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?)?$/;
/** The end of a time that has a time zone. */
const ZONED = /:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:?\d{2})$/;
/** A link to a daily note, which people write instead of the date. */
const DAY_LINK = /^\[\[(?:[^\][|#]*\/)?(\d{4}-\d{2}-\d{2})(?:\.md)?(?:[#|][^\][]*)?\]\]$/;

/**
 * Reads a time, or returns null for any other value. Formats: RFC 3339, also with an offset such as `+0200`; `YYYY-MM-DD` (its
 * first second); `YYYY-MM-DD HH:mm[:ss]`, also with a `T`; a number of seconds or milliseconds since the epoch. A time without
 * a zone is read as UTC, so that the values of callers and records mean the same on every machine.
 */
export function parseTime(value: unknown): Date | null {
  const ms =
    typeof value === 'string' ? parseText(value.trim()) : typeof value === 'number' ? parseEpoch(value) : NaN;
  return ms >= YEAR_0 && ms < YEAR_10000 ? new Date(ms) : null;
}

/** Converts a local time to epoch milliseconds. The local time is given as a date whose UTC fields hold it. */
export type WallClock = (wall: Date) => number;

/** The conversion in the host's time zone. A time in the gap of a spring change keeps the offset from before the gap. */
const hostClock: WallClock = (wall) => {
  const local = new Date(0);
  local.setFullYear(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate());
  local.setHours(wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds(), wall.getUTCMilliseconds());
  return local.getTime();
};

/**
 * Reads a time in a note's front matter, or returns null for any other value. It reads what `parseTime` reads, with two
 * differences: a time without a zone is local, and a link to a daily note (`[[2026-04-08]]`) means that day.
 * @param clock converts local times; the host's time zone unless given
 */
export function noteTime(value: unknown, clock: WallClock = hostClock): Date | null {
  if (Array.isArray(value)) {
    // YAML reads the brackets of an unquoted link as nested lists.
    const list: readonly unknown[] = value.length === 1 ? value.flat() : [];
    const [day] = list;
    return list.length === 1 && Array.isArray(value[0]) && typeof day === 'string'
      ? noteTime(`[[${day}]]`, clock)
      : null;
  }
  const text = typeof value === 'string' ? value.trim() : value;
  const written = typeof text === 'string' ? (DAY_LINK.exec(text)?.[1] ?? text) : text;
  const moment = parseTime(written);
  if (moment === null || typeof written !== 'string' || ZONED.test(written)) return moment;
  const ms = clock(moment);
  return ms >= YEAR_0 && ms < YEAR_10000 ? new Date(ms) : null;
}

/**
 * Returns the time of a note's last change by its front matter: `updated_at`, else `promoted_at`, else `created_at`. A value
 * that is no time counts as absent.
 */
export function lastWritten(frontmatter: Readonly<Record<string, unknown>>): Timestamp | undefined {
  const { updated_at, promoted_at, created_at } = frontmatter;
  const at = noteTime(updated_at) ?? noteTime(promoted_at) ?? noteTime(created_at);
  return at === null ? undefined : timestamp(at);
}

/** Returns true for a note that was updated after its promotion, so that nobody has reviewed its current text. */
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
  // RFC 3339 allows a leap second. A Date has none, so it counts as second 59.
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
/** Ten years: longer than any log, and far below the limits of a Date. */
const MAX_WINDOW_MS = 3650 * UNIT_MS.d;

/** Reads a duration `Nh` or `Nd` of at least 1 h and at most 3650 days, in milliseconds; null for any other text. */
function parseDuration(text: string): number | null {
  const match = /^([1-9][0-9]*)([hd])$/.exec(text);
  const length = match ? Number(match[1]) * (match[2] === 'h' ? UNIT_MS.h : UNIT_MS.d) : NaN;
  return length <= MAX_WINDOW_MS ? length : null;
}

/**
 * Reads a duration as `parseDuration` does, in milliseconds.
 * @throws BrainError `invalid_window` for any other text.
 */
export function parseWindow(text: string): number {
  const length = parseDuration(text);
  if (length !== null) return length;
  throw new BrainError(
    'invalid_window',
    '"window" must be a number of hours or days such as "24h" or "7d", at most "3650d".',
  );
}

/**
 * Reads the beginning of a span that ends now: a time, a date, or a duration back from now.
 * @throws BrainError `invalid_field` for any other text.
 */
export function timeSince(given: string, now: Date): Date {
  const span = parseDuration(given);
  const time = span === null ? parseTime(given) : new Date(now.getTime() - span);
  if (time !== null) return time;
  throw new BrainError(
    'invalid_field',
    '"since" must be a time such as 2026-11-20T10:32:00Z, a date such as 2026-11-20, or a span back from now such as 24h or 7d.',
    { field: 'since' },
  );
}
