import { Icon } from '../parts/icon';
import { type AuditCall, agentOf, outcomeOf, subjectOf } from './audit-words';

/** What became of a call: an icon and a word, or the code of its failure. */
export function OutcomeWords({ call }: { readonly call: AuditCall }) {
  const { kind, words } = outcomeOf(call);
  if (kind === 'failed') {
    return (
      <span class="brain-outcome brain-bad">
        <Icon name="circle-alert" />
        {words}
      </span>
    );
  }
  if (kind === 'changed') {
    return (
      <span class="brain-outcome">
        <Icon name="pencil" />
        {words}
      </span>
    );
  }
  return (
    <span class="brain-outcome brain-muted">
      <Icon name="check" class="brain-ok" />
      {words}
    </span>
  );
}

/** The verified name, and muted what the client says of itself. */
export function AgentWords({ call }: { readonly call: AuditCall }) {
  const { name, claim } = agentOf(call);
  return (
    <>
      {name}
      {claim !== undefined && <span class="brain-muted"> ({claim})</span>}
    </>
  );
}

/** The note or the query that a call was about. */
export function SubjectWords({ call }: { readonly call: AuditCall }) {
  const { main, aside } = subjectOf(call);
  return (
    <>
      {main}
      {aside !== undefined && <span class="brain-muted"> {aside}</span>}
    </>
  );
}
