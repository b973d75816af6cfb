import { Icon } from '../parts/icon';
import { Remedy } from './remedy';
import { type Check, type Findings, titleOf } from './report';

/** What needs the person, the worst first, each with what is so and what to do. */
export function FindingCards(props: { readonly findings: Findings; readonly onDone: () => void }) {
  const { failed, warnings } = props.findings;
  if (failed.length + warnings.length === 0) return null;
  return (
    <section aria-label="Needs you">
      <h2 class="brain-heading">Needs you</h2>
      {[...failed, ...warnings].map((check) => (
        <Finding key={check.name} check={check} onDone={props.onDone} />
      ))}
    </section>
  );
}

function Finding({ check, onDone }: { readonly check: Check; readonly onDone: () => void }) {
  const isFailed = check.state === 'failed';
  return (
    <div class={isFailed ? 'brain-card mod-red brain-finding' : 'brain-card brain-finding'}>
      <Icon name={isFailed ? 'circle-x' : 'triangle-alert'} class={isFailed ? 'brain-bad' : 'brain-warn'} />
      <b class="brain-strong">
        <span class="brain-sr">{isFailed ? 'Problem: ' : 'Warning: '}</span>
        {titleOf(check)}
      </b>
      <p>{check.message}</p>
      {check.fix !== undefined && (
        <p class="mod-fix">
          <Icon name="wrench" />
          <span>{check.fix}</span>
        </p>
      )}
      <Remedy check={check} onDone={onDone} />
    </div>
  );
}

/** What is as it should be. */
export function FineList(props: {
  readonly checks: readonly Check[];
  readonly isAll: boolean;
  readonly onDone: () => void;
}) {
  const { checks, isAll, onDone } = props;
  if (checks.length === 0) return null;
  const title = isAll ? 'All checks' : 'Nothing to do';
  return (
    <section aria-label={title}>
      <h2 class="brain-heading">{title}</h2>
      <ul class="brain-card brain-fine">
        {checks.map((check) => (
          <li key={check.name}>
            <Icon name="circle-check" class="brain-ok" />
            <b class="brain-strong">{titleOf(check)}</b>
            <span class="brain-cut brain-muted" title={check.message}>
              {check.message}
            </span>
            <Remedy check={check} class="brain-plain" onDone={onDone} />
          </li>
        ))}
      </ul>
    </section>
  );
}
