import type { CallError } from '../client';
import { FailureNotice } from '../parts/problem';
import { count } from '../parts/words';
import { DayChart } from './day-chart';
import { DayTable } from './day-table';
import { rateWords, type Skill } from './days';

export interface SkillChartProps {
  readonly skill: Skill;
  readonly chosenDay: number | null;
  readonly onChooseDay: (day: number | null) => void;
  readonly asTable: boolean;
  readonly onToggle: () => void;
  /** Why what is shown could not be brought up to date. */
  readonly error: CallError | null;
}

/** The chosen skill: its rate, and day by day as a chart or as a table. */
export function SkillChart({ skill, chosenDay, onChooseDay, asTable, onToggle, error }: SkillChartProps) {
  const { skill: name, pass_rate: rate, series = [] } = skill;
  return (
    <section class="brain-rates-main" aria-label={name}>
      {error !== null && <FailureNotice error={error} />}
      <div class="brain-row mod-wrap mod-rates-head">
        <h2 class="brain-heading mod-medium">{name}</h2>
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

/** `86 of 97 passed, 4 skipped`. */
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
