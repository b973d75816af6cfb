const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns a whole number with commas: `8,412`. The locale does not matter, since all UI texts are English. */
export function count(number: number): string {
  return Math.round(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Returns a number and its noun: `1 note`, `12 notes`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** Returns a number of bytes in words: `840 B`, `1.9 kB`, `12 kB`, `3.4 MB`. */
export function sizeWords(bytes: number): string {
  let [size, unit] = [bytes, 'B'];
  for (const next of ['kB', 'MB', 'GB']) if (size >= 1000) [size, unit] = [size / 1000, next];
  return unit === 'B' || size >= 10
    ? `${count(Math.floor(size))} ${unit}`
    : `${(Math.floor(size * 10) / 10).toString()} ${unit}`;
}

/** Returns a share between 0 and 1 as `97 %`, with a thin space. */
export function percent(share: number): string {
  return `${Math.round(share * 100)}\u2009%`;
}

/** Returns a short age for lists: `now`, `5 min`, `3 h`, `6 d`. A time in the future counts as now. */
export function age(then: string | Date, now: Date): string {
  const passed = now.getTime() - new Date(then).getTime();
  if (!(passed >= MINUTE)) return 'now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h`;
  return `${count(Math.floor(passed / DAY))} d`;
}

/** Returns the day in the local time zone: `14 Nov 2026`; the text itself when it is no time. */
export function day(time: string | Date): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  return `${date.getDate()} ${MONTHS[date.getMonth()] ?? ''} ${date.getFullYear()}`;
}

/** Returns the minute in the local time zone: `14 Nov 2026, 09:12`; the text itself when it is no time. */
export function moment(time: string | Date): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : `${day(date)}, ${clock(date)}`;
}

/** Returns the time of day in the local time zone: `09:12`. */
export function clock(time: string | Date): string {
  const date = new Date(time);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}

/** Returns the time of day in the local time zone, with seconds: `12:05:58`. */
export function seconds(time: string | Date): string {
  return `${clock(time)}:${String(new Date(time).getSeconds()).padStart(2, '0')}`;
}
