import { ScrollArea } from '../parts/scroll-area';
import { count } from '../parts/words';
import { type Day, longDay } from './days';
import { RateCell } from './rate-cell';

/** The chart as figures, the last day first. */
export function DayTable({ skill, days }: { readonly skill: string; readonly days: readonly Day[] }) {
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
