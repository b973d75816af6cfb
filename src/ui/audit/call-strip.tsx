import { clock, count, counted, day } from '../parts/words';
import { countSlots } from './audit-days';
import { type AuditTime, TIMES } from './audit-filter';
import type { AuditCall } from './audit-words';
import type { AuditRead } from './use-audit';

/** Bars of the strip by the chosen time: half hours of a day, four hours of a week, days of a month. */
const SLOTS: Readonly<Record<AuditTime, number>> = { day: 48, week: 42, month: 30, all: 48 };
const TICKS = 5;

/** When the shown calls happened, as bars: failed ones stand on top of the others. */
export function CallStrip(props: {
  readonly read: AuditRead;
  readonly calls: readonly AuditCall[];
  readonly time: AuditTime;
  /** The chosen call, whose bar is marked. */
  readonly current: AuditCall | null;
}) {
  const { read, calls, time, current } = props;
  const oldest = read.calls.at(-1)?.ts;
  const to = read.at;
  // Calls that were not read must not look like calls that did not happen.
  const isCut = read.total > read.calls.length;
  const first = oldest === undefined ? to : new Date(oldest);
  const from = read.since === null || isCut ? first : read.since;
  const slots = countSlots(calls, from, to, SLOTS[time]);
  const highest = Math.max(1, ...slots.map(({ passed, failed }) => passed + failed));
  const failed = calls.filter(({ ok }) => !ok).length;
  const isAllRead = calls.length === read.calls.length;
  const number =
    isCut && isAllRead
      ? `newest ${count(calls.length)} of ${count(read.total)} calls`
      : counted(calls.length, 'call');
  const words = `${number}, ${count(failed)} failed`;
  const width = (to.getTime() - from.getTime()) / slots.length;
  const at = current === null ? -1 : Math.floor((Date.parse(current.ts) - from.getTime()) / width);
  return (
    <div class="brain-strip" role="img" aria-label={`${TIMES[time].label}: ${words}`}>
      <span class="brain-count brain-wide-only">{words}</span>
      <div class="brain-strip-bars">
        {slots.map((slot, index) => (
          <span
            key={slot.from.getTime()}
            class={index === Math.min(at, slots.length - 1) ? 'is-on' : undefined}
          >
            {slot.passed > 0 && <i style={{ height: share(slot.passed, highest) }} />}
            {slot.failed > 0 && <i class="bad" style={{ height: share(slot.failed, highest) }} />}
          </span>
        ))}
      </div>
      <div class="brain-axis">
        {Array.from({ length: TICKS }, (_, tick) => {
          const moment = new Date(from.getTime() + (tick / (TICKS - 1)) * (to.getTime() - from.getTime()));
          return <span key={tick}>{tickWords(moment, from, to)}</span>;
        })}
      </div>
    </div>
  );
}

function share(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)}%`;
}

const TWO_DAYS_MS = 2 * 86_400_000;

/** The time of a short stretch, the day of a long one. */
function tickWords(moment: Date, from: Date, to: Date): string {
  if (to.getTime() - from.getTime() > TWO_DAYS_MS) return day(moment).replace(/ \d{4}$/, '');
  const isFirst = moment.getTime() === from.getTime() && day(from) !== day(to);
  return isFirst ? `${clock(moment)}, ${day(moment).replace(/ \d{4}$/, '')}` : clock(moment);
}
