import type { CallError } from '../../core/registry/client';
import { failureWords, useLate } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { counted } from '../kit/words';
import type { Decided, DecisionGroup } from './decisions';
import type { QueueScreenModel, Refusal } from './model';
import { isMissing } from './problem';

const WORKING = { promote: 'Promoting', reject: 'Rejecting', undo: 'Undoing' } as const;

/**
 * The bar that says what was done, with a button that takes it back; after an undo, the notes that were put back. It stays
 * until the next decision. A second line says why the last key did nothing.
 */
export function DecisionBar({ model }: { readonly model: QueueScreenModel }) {
  const { decisions, commands, refusal, shownKey, state } = model;
  const { last, restored, undoError, working } = decisions;
  const isLate = useLate(working !== null);
  const isSlow = working !== null && isLate;
  const hasLine = isSlow || hasDecisions(model);
  return (
    <div class={barClass(hasLine || refusal !== null)} role="status">
      {hasLine && (
        <div class={state.ticked.size > 0 ? 'brain-row brain-wide-only' : 'brain-row'}>
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
              <DecisionWords verb="Put back" group={restored} />
            </>
          ) : (
            last !== null && (
              <>
                <Icon name={kindOf(last) === 'rejected' ? 'ban' : 'check'} class="brain-ok" />
                <DecisionWords verb={VERBS[kindOf(last) ?? 'promoted']} group={last} />
              </>
            )
          )}
          {last !== null && (
            <>
              <span class="brain-push" />
              <button type="button" class="brain-plain" onClick={commands.undo}>
                {restored === null ? 'Undo' : 'Undo one more'}
                <Key>U</Key>
              </button>
            </>
          )}
        </div>
      )}
      {refusal !== null && (
        <div class="brain-row brain-refusal">
          <Icon name="circle-alert" class="brain-warn" />
          <span>{refusedWords(refusal, shownKey !== null)}</span>
        </div>
      )}
    </div>
  );
}

/** Returns true when the bar has a line about a decision, which the list above it leaves room for. */
export function hasDecisions({ decisions }: Pick<QueueScreenModel, 'decisions'>): boolean {
  const { last, restored, undoError } = decisions;
  return last !== null || restored !== null || undoError !== null;
}

/** Returns the class of the bar. An empty one is drawn only for screen readers, which announce its later content. */
function barClass(hasText: boolean): string {
  return hasText ? 'brain-last' : 'brain-sr';
}

/** Says why a key did nothing; `isShown` is true when the note is on the screen by now. */
function refusedWords({ why, title }: Refusal, isShown: boolean): string {
  switch (why) {
    case 'unread':
      if (title === '') return 'Nothing was done: the selected notes were not shown yet.';
      return isShown
        ? `${title} is shown now. The key before did nothing.`
        : `Nothing was done: the text, the gate and the similar notes of ${title} are not all shown yet.`;
    case 'unopened':
      return `Nothing was done before ${title} was open.`;
    case 'unchecked':
      return `Nothing was done: the check where ${title} goes failed, and runs again now. Press the key once more.`;
    case 'crowded':
      return 'Nothing was done: another key was still down.';
    case 'first':
      return 'Nothing was promoted in this session yet, so no wing and hall can be repeated.';
    case 'undoing':
      return `Nothing was done: ${title} is still being put back.`;
  }
}

function undoProblem(error: CallError): string {
  return isMissing(error) ? 'The note is no longer where the decision had put it.' : failureWords(error);
}

const VERBS: Readonly<Record<Decided['kind'], string>> = {
  promoted: 'Promoted',
  rejected: 'Rejected',
  replaced: 'Replaced a note by',
};

function kindOf(group: DecisionGroup): Decided['kind'] | undefined {
  return group[0]?.kind;
}

function DecisionWords({ verb, group }: { readonly verb: string; readonly group: DecisionGroup }) {
  const [first] = group;
  return (
    <span class="brain-cut">
      {verb} <b class="brain-strong">{group.length === 1 ? first?.title : counted(group.length, 'note')}</b>
    </span>
  );
}
