import { useState } from 'preact/hooks';
import type { Answer } from '../../core/registry/client';
import { count, day } from '../kit/words';

type Growth = Answer<'overview'>['growth'];

/** A tick of an axis: its position as a share from 0 to 1, and its label. */
interface Tick {
  readonly at: number;
  readonly words: string;
}

/**
 * Returns the ticks of the axis of counts: round numbers from 0 that divide it into two to five parts. `top` is the upper
 * end of the axis.
 */
export function countTicks(most: number): { readonly top: number; readonly ticks: readonly Tick[] } {
  const least = Math.max(most, 4);
  const rough = least / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  const whole = Math.max(1, Math.round(step));
  const top = Math.max(least * 1.06, whole);
  const ticks = Array.from({ length: Math.floor(top / whole) + 1 }, (_, index) => index * whole);
  return { top, ticks: ticks.map((number) => ({ at: number / top, words: count(number) })) };
}

/** Returns the ticks of the time axis: the first week of each month, without labels that would overlap. */
export function monthTicks(growth: Growth): readonly Tick[] {
  const last = Math.max(growth.length - 1, 1);
  const starts = growth.flatMap(({ until }, index) => {
    const month = monthOf(until);
    return index > 0 && month !== monthOf(growth[index - 1]?.until ?? until)
      ? [{ at: index / last, words: month }]
      : [];
  });
  return starts.filter(({ at }, index) => index === 0 || at - (starts[index - 1]?.at ?? 0) > 0.06);
}

/** Describes the chart in one sentence, for screen readers. */
export function growthWords(growth: Growth): string {
  const first = growth[0];
  const last = growth.at(-1);
  if (first === undefined || last === undefined) return 'No data';
  const verb = last.notes > first.notes ? 'rose' : 'stayed';
  const from = verb === 'rose' ? `from ${count(first.notes)} on ${day(first.until)} to` : 'at';
  return `Notes ${verb} ${from} ${count(last.notes)} on ${day(last.until)}.`;
}

function monthOf(time: string): string {
  return day(time).split(' ')[1] ?? '';
}

const WIDTH = 1000;
const HEIGHT = 200;

/** The growth of the number of notes, as a line or as a table. */
export function GrowthChart(props: {
  readonly growth: Growth;
  readonly asTable: boolean;
  readonly onToggle: () => void;
}) {
  const { growth, asTable, onToggle } = props;
  return (
    <section class="brain-panel" aria-label="Growth">
      <div class="brain-panel-head">
        <h2 class="brain-heading">Growth</h2>
        <span class="brain-count">{growth.length} weeks</span>
        <span class="brain-push" />
        <button type="button" class="brain-plain" onClick={onToggle}>
          {asTable ? 'As a chart' : 'As a table'}
        </button>
      </div>
      {asTable ? <GrowthTable growth={growth} /> : <GrowthLine growth={growth} />}
    </section>
  );
}

function GrowthLine({ growth }: { readonly growth: Growth }) {
  const { top, ticks } = countTicks(Math.max(0, ...growth.map(({ notes }) => notes)));
  const last = Math.max(growth.length - 1, 1);
  const points = growth.map(
    ({ notes }, index) =>
      `${((index / last) * WIDTH).toFixed(1)} ${(HEIGHT - (notes / top) * HEIGHT).toFixed(1)}`,
  );
  const line = `M${points.join('L')}`;
  const grid = ticks
    .filter(({ at }) => at > 0)
    .map(({ at }) => `M0 ${(HEIGHT - at * HEIGHT).toFixed(1)}H${WIDTH}`)
    .join('');
  const [hovered, setHovered] = useState<number | null>(null);
  // The last week is marked while no other one is pointed at.
  const marked = growth[hovered ?? growth.length - 1];
  const at = (hovered ?? growth.length - 1) / last;
  return (
    <div class="brain-chart mod-growth" role="img" aria-label={growthWords(growth)}>
      <div class="brain-y">
        {ticks.map(({ at, words }) => (
          <span key={words} style={{ bottom: `${at * 100}%` }}>
            {words}
          </span>
        ))}
      </div>
      <div
        class="brain-plot"
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const share = Math.min(1, Math.max(0, (event.clientX - left) / Math.max(width, 1)));
          setHovered(Math.round(share * (growth.length - 1)));
        }}
        onPointerLeave={() => setHovered(null)}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d={grid} />
          <path class="area" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
          <path class="line" d={line} />
          {marked !== undefined && (
            <path class="dots" d={`M${at * WIDTH} ${HEIGHT - (marked.notes / top) * HEIGHT}h0`} />
          )}
        </svg>
        {marked !== undefined && (
          <span
            class={at > 0.5 ? 'brain-growth-value mod-left' : 'brain-growth-value'}
            style={{ '--brain-x': `${at * 100}%`, bottom: `${(marked.notes / top) * 100}%` }}
          >
            <b class="brain-strong">{count(marked.notes)}</b>
            {hovered !== null && ` on ${day(marked.until)}`}
          </span>
        )}
      </div>
      <div class="brain-axis mod-placed">
        {monthTicks(growth).map(({ at, words }) => (
          <span key={at} style={{ left: `${at * 100}%` }}>
            {words}
          </span>
        ))}
      </div>
    </div>
  );
}

function GrowthTable({ growth }: { readonly growth: Growth }) {
  return (
    <table class="brain-table">
      <thead>
        <tr>
          <th scope="col">Week until</th>
          <th scope="col" class="mod-right">
            Notes
          </th>
        </tr>
      </thead>
      <tbody>
        {[...growth].reverse().map(({ until, notes }) => (
          <tr key={until}>
            <td>{day(until)}</td>
            <td class="mod-right">{count(notes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
