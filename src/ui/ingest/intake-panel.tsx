import { Icon } from '../parts/icon';
import { Progress } from '../parts/progress';
import { count } from '../parts/words';
import type { Intake, IntakeItem } from './intake';
import { IntakeLine } from './intake-line';
import { progressOf, summaryOf } from './intake-words';
import { useIntakeItems } from './use-intake-items';

/** Most sources that are named at once; those that failed come first. */
const MAX_SHOWN = 40;

/** What is being ingested, with a way to call it off, and what came of it until the person closes it. */
export function IntakePanel({ intake }: { readonly intake: Intake }) {
  const items = useIntakeItems(intake);
  if (items.length === 0) return null;
  const busy = intake.isBusy;
  const ended = items.filter(({ state }) => state !== 'waiting' && state !== 'running');
  const shown = [...ended.filter(isFailed), ...ended.filter((item) => !isFailed(item))];
  return (
    <section class="brain-intake" aria-label="Ingestion">
      {busy && <Progress {...progressOf(items)} onCancel={() => intake.cancel()} />}
      <div class={ended.length === 0 ? 'brain-sr' : 'brain-row brain-intake-head'}>
        <span role="status">{busy ? '' : summaryOf(items)}</span>
        {!busy && (
          <>
            <span class="brain-push" />
            <button
              type="button"
              class="clickable-icon"
              aria-label="Close what was ingested"
              onClick={() => intake.clear()}
            >
              <Icon name="x" />
            </button>
          </>
        )}
      </div>
      {shown.length > 0 && (
        <ul class="brain-intake-items">
          {shown.slice(0, MAX_SHOWN).map((item) => (
            <IntakeLine key={item.id} item={item} alone={items.length === 1} />
          ))}
          {shown.length > MAX_SHOWN && (
            <li>
              <Icon name="ellipsis" />
              <span class="brain-muted">and {count(shown.length - MAX_SHOWN)} more</span>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function isFailed({ state, outcome }: IntakeItem): boolean {
  return state === 'failed' || (outcome !== null && outcome.failures.length > 0);
}
