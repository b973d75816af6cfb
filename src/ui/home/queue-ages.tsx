import type { Answer } from '../client';
import { count } from '../parts/words';

type Ages = Answer<'overview'>['queue']['ages'];

const ROWS = [
  { age: 'under_1_day', words: 'Under 1 day' },
  { age: 'days_1_to_3', words: '1 to 3 days' },
  { age: 'days_4_to_7', words: '4 to 7 days' },
  { age: 'over_7_days', words: 'Over 7 days' },
] as const;

/** How long the notes of the queue have been waiting. More than a week is marked. */
export function QueueAges({ ages }: { readonly ages: Ages }) {
  const most = Math.max(...ROWS.map(({ age }) => ages[age]), 1);
  return (
    <section class="brain-panel" aria-label="Age of the queue">
      <div class="brain-panel-head">
        <h2 class="brain-heading">Age of the queue</h2>
      </div>
      <div class="brain-ages">
        {ROWS.map(({ age, words }) => [
          <span key={`${age} words`}>{words}</span>,
          ages[age] === 0 ? (
            <span key={`${age} bar`} />
          ) : (
            <i
              key={`${age} bar`}
              class={age === 'over_7_days' ? 'mod-amber' : undefined}
              style={{ width: `${(ages[age] / most) * 100}%` }}
            />
          ),
          <span key={`${age} count`}>{count(ages[age])}</span>,
        ])}
      </div>
    </section>
  );
}
