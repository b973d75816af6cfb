import type { CallError } from '../client';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { failureWords } from '../parts/problem';
import { useLate } from '../parts/use-late';
import { counted } from '../parts/words';
import type { Decided } from './decisions';
import type { Decision } from './kept-decisions';
import { isAway } from './promote-problem';
import type { Decisions } from './use-decisions';

const WORKING = { promote: 'Promoting', reject: 'Rejecting', undo: 'Undoing' } as const;

/** What was decided last and the way back, until the next decision. What was put back stands there in its turn. */
export function LastDecision({
  decisions,
  undo,
  wide,
}: {
  readonly decisions: Decisions;
  readonly undo: () => void;
  readonly wide: boolean;
}) {
  const { last, restored, undoError, working } = decisions;
  const isLate = useLate(working !== null);
  const isSlow = working !== null && isLate;
  return (
    <div class={isSlow ? lookOf(true, wide) : lookOf(last !== null || restored !== null, wide)} role="status">
      {isSlow ? (
        <>
          <Icon name="loader-circle" class="brain-spin" />
          <span class="brain-cut">
            {WORKING[working.kind]} <b class="brain-strong">{working.title}</b>
          </span>
        </>
      ) : undoError !== null ? (
        <>
          <Icon name="circle-x" class="brain-bad" />
          <span class="brain-cut" title={undoProblem(undoError)}>
            Not undone: {undoProblem(undoError)}
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
          <button type="button" class="brain-plain" onClick={undo}>
            {restored === null ? 'Undo' : 'Undo one more'}
            <Key>U</Key>
          </button>
        </>
      )}
    </div>
  );
}

/** The line takes its place once there is something to say; an empty one is only there to be read out later. */
function lookOf(says: boolean, wide: boolean): string {
  if (!says) return 'brain-sr';
  return wide ? 'brain-last brain-wide-only' : 'brain-last';
}

function undoProblem(error: CallError): string {
  return isAway(error) ? 'The note is no longer where the decision had put it.' : failureWords(error);
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
