import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { counted } from '../parts/words';
import type { Decided } from './decisions';
import type { Decision, Decisions } from './use-decisions';

/** What was decided last and the way back, until the next decision. What was put back stands there in its turn. */
export function LastDecision({ decisions, wide }: { readonly decisions: Decisions; readonly wide: boolean }) {
  const { last, restored, undoError, working, undo } = decisions;
  return (
    <div class={lookOf(last ?? restored, wide)} role="status">
      {undoError !== null ? (
        <>
          <Icon name="circle-x" class="brain-bad" />
          <span class="brain-cut" title={undoError.message}>
            Not undone: {undoError.message}
          </span>
        </>
      ) : restored !== null ? (
        <>
          <Icon name="undo-2" />
          <DecisionWords verb="Put back" decision={restored} />
        </>
      ) : (
        last !== null && (
          <>
            <Icon name={kindOf(last) === 'rejected' ? 'ban' : 'check'} class="brain-ok" />
            <DecisionWords verb={kindOf(last) === 'rejected' ? 'Rejected' : 'Promoted'} decision={last} />
          </>
        )
      )}
      {last !== null && (
        <>
          <span class="brain-push" />
          <button type="button" class="brain-plain" disabled={working !== null} onClick={() => void undo()}>
            {working === 'undo' ? 'Undoing' : restored === null ? 'Undo' : 'Undo one more'}
            <Key>U</Key>
          </button>
        </>
      )}
    </div>
  );
}

/** The line takes its place once there is something to say; an empty one is only there to be read out later. */
function lookOf(decision: Decision | null, wide: boolean): string {
  if (decision === null) return 'brain-sr';
  return wide ? 'brain-last brain-wide-only' : 'brain-last';
}

function kindOf(decision: Decision): Decided['kind'] | undefined {
  return decision[0]?.kind;
}

function DecisionWords({ verb, decision }: { readonly verb: string; readonly decision: Decision }) {
  const [first] = decision;
  return (
    <span class="brain-cut">
      {verb}{' '}
      <b class="brain-strong">{decision.length === 1 ? first?.title : counted(decision.length, 'note')}</b>
    </span>
  );
}
