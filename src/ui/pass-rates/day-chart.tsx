import { counted } from '../parts/words';
import {
  chartWords,
  type Day,
  dayWords,
  labelled,
  longDay,
  middle,
  ratePaths,
  rateWords,
  shortDay,
  stretches,
} from './days';

const BOX = { width: 1000, top: 0, height: 200 };
/** A band needs this share of the width to hold the words "No data". */
const ROOM_FOR_WORDS = 0.09;

interface Props {
  readonly skill: string;
  readonly days: readonly Day[];
  /** The day that is looked at, null for none. */
  readonly chosen: number | null;
  readonly onChoose: (day: number | null) => void;
}

/** The rate of every day as a line, and below it how many runs it comes from. Failed runs stand on top of passed ones. */
export function DayChart({ skill, days, chosen, onChoose }: Props) {
  const { line, dots } = ratePaths(days, BOX);
  const day = chosen === null ? undefined : days[chosen];
  const follow = (event: MouseEvent & { currentTarget: HTMLElement }): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * days.length);
    onChoose(Math.min(Math.max(index, 0), days.length - 1));
  };
  return (
    <div>
      <div class="brain-chart mod-rate" role="img" aria-label={chartWords(skill, days)}>
        <div class="brain-y">
          <span class="mod-0">0 %</span>
          <span class="mod-50">50 %</span>
          <span class="mod-100">100 %</span>
        </div>
        <div class="brain-plot" onMouseMove={follow} onMouseLeave={() => onChoose(null)}>
          <svg viewBox={`0 0 ${BOX.width} ${BOX.height}`} preserveAspectRatio="none" aria-hidden="true">
            <path class="grid" d={`M0 0H${BOX.width}M0 ${BOX.height / 2}H${BOX.width}`} />
            <path class="line" d={line} />
            <path class="dots" d={dots} />
          </svg>
          <Voids days={days} />
          {day !== undefined && chosen !== null && <Tip day={day} at={middle(chosen, days.length)} />}
        </div>
      </div>
      <Runs days={days} />
      <span class="brain-sr" role="status">
        {day !== undefined && `${longDay(day.start)}: ${rateWords(day.pass_rate)}. ${dayWords(day)}`}
      </span>
    </div>
  );
}

/** Bands over the days without data, so that a gap in the line says what it is. */
function Voids({ days }: { readonly days: readonly Day[] }) {
  return (
    <>
      {stretches(days)
        .filter(({ hasData }) => !hasData)
        .map(({ from, to }) => (
          <div
            key={from}
            class="brain-void"
            style={{ left: `${(from / days.length) * 100}%`, width: `${((to - from) / days.length) * 100}%` }}
          >
            {(to - from) / days.length >= ROOM_FOR_WORDS && <span class="brain-wide-only">No data</span>}
          </div>
        ))}
    </>
  );
}

/** What the chosen day holds, on the side of it that has room. */
function Tip({ day, at }: { readonly day: Day; readonly at: number }) {
  const x = `${at * 100}%`;
  return (
    <>
      <div class="brain-cross" style={{ left: x }} />
      <div class={at > 0.6 ? 'brain-tip mod-left' : 'brain-tip'} style={{ '--brain-x': x }}>
        <b class="brain-strong">
          {longDay(day.start)}, {rateWords(day.pass_rate)}
        </b>
        <br />
        {dayWords(day)}
      </div>
    </>
  );
}

function Runs({ days }: { readonly days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ pass, fail }) => pass + fail));
  const labels = labelled(days);
  return (
    <div class="brain-chart mod-runs" aria-hidden="true">
      <div class="brain-y">
        <span class="mod-100">{counted(most, 'run')}</span>
      </div>
      <div class="brain-plot">
        <div class="brain-bars">
          {days.map(({ start, pass, fail }) => (
            <span key={start}>
              {pass > 0 && <i class="pass" style={{ height: `${(pass / most) * 100}%` }} />}
              {fail > 0 && <i class="fail" style={{ height: `${(fail / most) * 100}%` }} />}
            </span>
          ))}
        </div>
      </div>
      <div class="brain-axis mod-placed">
        {labels.map((index, place) => (
          <span
            key={index}
            class={`${edgeOf(index, days.length)}${(labels.length - place) % 2 === 0 ? ' brain-wide-only' : ''}`}
            style={{ left: `${middle(index, days.length) * 100}%` }}
          >
            {shortDay(days[index]?.start ?? '')}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Labels near an edge lean inwards. */
function edgeOf(index: number, days: number): string {
  const at = middle(index, days);
  if (at > 0.95) return 'mod-end';
  return at < 0.04 ? 'mod-start' : 'mod-middle';
}
