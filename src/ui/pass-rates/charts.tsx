import type { CallError } from '../../core/registry/client';
import { FailureNotice } from '../kit/feedback';
import { ScrollArea } from '../kit/lists';
import { count, counted } from '../kit/words';
import {
  chartWords,
  type Day,
  dayWords,
  labelledDays,
  longDay,
  middle,
  ratePaths,
  rateWords,
  shortDay,
  type Skill,
  splitByData,
} from './days';
import { RateCell } from './table';

const BOX = { width: 1000, top: 0, height: 200 };
/** The least share of the width at which a gap is labelled "No data". */
const ROOM_FOR_WORDS = 0.09;

interface Props {
  readonly skill: string;
  readonly days: readonly Day[];
  /** The index of the chosen day; null for none. */
  readonly chosen: number | null;
  readonly onChoose: (day: number | null) => void;
}

/** The chart of the rate per day as a line, above bars of the runs. Failed runs are stacked on passed ones. */
function DayChart({ skill, days, chosen, onChoose }: Props) {
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
          <Gaps days={days} />
          {day !== undefined && chosen !== null && <Tooltip day={day} at={middle(chosen, days.length)} />}
        </div>
      </div>
      <Runs days={days} />
      <span class="brain-sr" role="status">
        {day !== undefined && `${longDay(day.start)}: ${rateWords(day.pass_rate)}. ${dayWords(day)}`}
      </span>
    </div>
  );
}

/** Labelled bands over the days without data. */
function Gaps({ days }: { readonly days: readonly Day[] }) {
  return (
    <>
      {splitByData(days)
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

/** The tooltip of the chosen day, on the side that has room. */
function Tooltip({ day, at }: { readonly day: Day; readonly at: number }) {
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
  const labels = labelledDays(days);
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
            class={`${alignClass(index, days.length)} ${(labels.length - place) % 2 === 0 ? 'brain-wide-only' : ''}`}
            style={{ left: `${middle(index, days.length) * 100}%` }}
          >
            {shortDay(days[index]?.start ?? '')}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Returns the class that aligns a label near an edge inwards. */
function alignClass(index: number, days: number): string {
  const at = middle(index, days);
  if (at > 0.95) return 'mod-end';
  return at < 0.04 ? 'mod-start' : 'mod-middle';
}

/** The chart as a table, the last day first. */
function DayTable({ skill, days }: { readonly skill: string; readonly days: readonly Day[] }) {
  return (
    <div class="brain-rates-days">
      <ScrollArea label={`${skill} per day`}>
        <table class="brain-table brain-num">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="mod-right">
                Passed
              </th>
              <th scope="col" class="mod-right">
                Failed
              </th>
              <th scope="col" class="mod-right">
                Skipped
              </th>
              <th scope="col" class="mod-right">
                Rate
              </th>
            </tr>
          </thead>
          <tbody>
            {[...days].reverse().map((day) => (
              <tr key={day.start}>
                <td>{longDay(day.start)}</td>
                <td class="mod-right">{count(day.pass)}</td>
                <td class="mod-right">{count(day.fail)}</td>
                <td class="mod-right brain-muted">{count(day.skip)}</td>
                <RateCell rate={day.pass_rate} />
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </div>
  );
}

interface SkillChartProps {
  readonly skill: Skill;
  readonly chosenDay: number | null;
  readonly onChooseDay: (day: number | null) => void;
  readonly asTable: boolean;
  readonly onToggle: () => void;
  /** The error of the last reload; null for none. */
  readonly error: CallError | null;
}

/** The chosen skill: its rate, and the days as a chart or a table. */
export function SkillChart({ skill, chosenDay, onChooseDay, asTable, onToggle, error }: SkillChartProps) {
  const { skill: name, pass_rate: rate, series = [] } = skill;
  return (
    <section class="brain-rates-main" aria-label={name}>
      {error !== null && <FailureNotice error={error} />}
      <div class="brain-row mod-wrap mod-rates-head">
        <h2 class="brain-heading mod-title">{name}</h2>
        <span class="brain-row">
          <span class="brain-figure">{rateWords(rate)}</span>
          <span class="brain-muted">{totalWords(skill)}</span>
        </span>
        <span class="brain-push" />
        {!asTable && <ChartKey />}
        <button type="button" class="brain-plain" onClick={onToggle}>
          {asTable ? 'As a chart' : 'As a table'}
        </button>
      </div>
      {asTable ? (
        <DayTable skill={name} days={series} />
      ) : (
        <DayChart skill={name} days={series} chosen={chosenDay} onChoose={onChooseDay} />
      )}
    </section>
  );
}

/** Returns the counts of a skill: `86 of 97 passed, 4 skipped`. */
export function totalWords({ pass, fail, skip, unknown, pass_rate: rate }: Skill): string {
  return [
    rate === null ? 'No run that passed or failed' : `${count(pass)} of ${count(pass + fail)} passed`,
    ...(skip > 0 ? [`${count(skip)} skipped`] : []),
    ...(unknown > 0 ? [`${count(unknown)} with an unknown outcome`] : []),
  ].join(', ');
}

function ChartKey() {
  return (
    <>
      <span class="brain-key">
        <i class="line" />
        Pass rate of the day
      </span>
      <span class="brain-key">
        <i class="pass" />
        Passed
      </span>
      <span class="brain-key">
        <i class="fail" />
        Failed
      </span>
      <span class="brain-key">
        <i class="void" />
        No data
      </span>
    </>
  );
}
