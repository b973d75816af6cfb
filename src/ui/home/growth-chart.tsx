import { count, day } from '../parts/words';
import { countTicks, type Growth, growthWords, monthTicks } from './growth';

const WIDTH = 1000;
const HEIGHT = 200;

/** How the number of notes grew, as a line; as a table for those who would rather read figures. */
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
  return (
    <div class="brain-chart mod-growth" role="img" aria-label={growthWords(growth)}>
      <div class="brain-y">
        {ticks.map(({ at, words }) => (
          <span key={words} style={{ bottom: `${at * 100}%` }}>
            {words}
          </span>
        ))}
      </div>
      <div class="brain-plot">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d={grid} />
          <path class="area" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
          <path class="line" d={line} />
        </svg>
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
