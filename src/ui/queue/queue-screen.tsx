import { useCallback } from 'preact/hooks';
import { useUi } from '../context';
import { Empty } from '../parts/empty';
import { Hints } from '../parts/hints';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { FailureNotice } from '../parts/problem';
import { useKeys } from '../parts/use-keys';
import { IntakePanel } from '../ingest/intake-panel';
import { useDropTarget } from '../ingest/use-drop-target';
import type { ScreenParams } from '../screens';
import { BulkPanel } from './bulk-panel';
import { DecisionPane } from './decision-pane';
import { LastDecision } from './last-decision';
import { NotePane } from './note-pane';
import { NoteSteps } from './note-steps';
import { QueueList } from './queue-list';
import { NotDecided, QueueNotices } from './queue-notices';
import { queueHelp, queueHints, queueKeys } from './queue-keys';
import { type QueueScreenModel, useQueueScreen } from './use-queue-screen';

/**
 * The review queue: the pending notes, oldest first, the one that is looked at, and the decision on it. Opened with
 * `path` it shows that note; with `act` as well, its form to promote or to reject.
 */
export function QueueScreen({ params }: { readonly params: ScreenParams }) {
  const model = useQueueScreen(params);
  const { state, commands, refs, queue } = model;
  const { host } = useUi();
  const keys = useKeys({
    title: 'Keys in the review queue',
    actions: queueKeys(commands, state),
    help: queueHelp(host.editNote !== undefined),
    home: () => refs.list.current,
  });
  const keysRef = keys.ref;
  const attach = useCallback(
    (element: HTMLDivElement | null) => {
      keysRef.current = element;
      refs.root.current = element;
    },
    [keysRef, refs],
  );
  const isHeldAbove = useDropTarget(refs.root, commands.drop);
  const nothing = state.entries?.length === 0 && state.current === null;
  return (
    <div
      ref={attach}
      tabIndex={keys.tabIndex}
      onKeyDown={keys.onKeyDown}
      onKeyDownCapture={model.onAct}
      onPointerDownCapture={model.onAct}
      class={nothing ? 'brain-queue mod-empty' : 'brain-queue'}
      data-pane={state.pane}
      data-form={state.form}
    >
      <h1 class="brain-sr">Review queue</h1>
      {nothing ? (
        <EmptyQueue model={model} />
      ) : queue.error !== null && state.entries === null ? (
        <div class="brain-queue-failure">
          <FailureNotice error={queue.error}>
            <button type="button" class="brain-plain" onClick={queue.reload}>
              Try again
            </button>
          </FailureNotice>
        </div>
      ) : (
        <FullQueue model={model} />
      )}
      {isHeldAbove && <DropCover takesAll={host.ingestFile !== undefined} />}
      <Hints hints={nothing ? EMPTY_HINTS : queueHints(state, host.editNote !== undefined)} />
    </div>
  );
}

/** What lies over the screen while something is held above it. */
function DropCover({ takesAll }: { readonly takesAll: boolean }) {
  return (
    <div class="brain-drop">
      <Icon name="upload" />
      <p>Drop to make notes of it</p>
      <p class="brain-small brain-muted">
        {takesAll ? 'They wait here for review.' : 'Text and Markdown; other kinds go into the folder inbox.'}
      </p>
    </div>
  );
}

const EMPTY_HINTS = [
  { keys: ['I'], label: 'add files or text' },
  { keys: ['U'], label: 'undo the last decision' },
  { keys: ['?'], label: 'all keys' },
];

function EmptyQueue({ model }: { readonly model: QueueScreenModel }) {
  const { host } = useUi();
  return (
    <div class="brain-list mod-empty">
      <NotDecided model={model} class="brain-notices" />
      <IntakePanel intake={model.intake} />
      <Empty icon="inbox" title="Nothing waits for review">
        <p>
          New notes appear here as agents and the inbox bring them. They stay out of the wiki until you
          promote them.
        </p>
        <div class="brain-row">
          <button type="button" onClick={() => host.go('connect')}>
            <Icon name="plug" />
            Connect an agent
          </button>
          <button type="button" onClick={model.commands.add}>
            <Icon name="plus" />
            Add files or text
            <Key>I</Key>
          </button>
        </div>
        <p class="brain-small">Or drop files anywhere on this screen.</p>
      </Empty>
      <LastDecision decisions={model.decisions} undo={model.commands.undo} wide={false} />
    </div>
  );
}

function FullQueue({ model }: { readonly model: QueueScreenModel }) {
  const { state, queue, entry, refs, commands, decisions } = model;
  const several = state.ticked.size > 0;
  return (
    <>
      <QueueList
        state={state}
        loading={queue.loading}
        dispatch={queue.dispatch}
        listRef={refs.list}
        filterRef={refs.filter}
        onAdd={commands.add}
        head={<IntakePanel intake={model.intake} />}
      >
        <NotDecided model={model} class="brain-notices brain-narrow-only" />
        <LastDecision decisions={decisions} undo={commands.undo} wide={several} />
        {several && (
          <div class="brain-last brain-row brain-narrow-only">
            <b class="brain-strong">{state.ticked.size} selected</b>
            <span class="brain-push" />
            <button type="button" class="brain-plain" onClick={commands.untick}>
              Clear
            </button>
            <button type="button" class="mod-cta brain-action" onClick={commands.decideTicked}>
              Decide
            </button>
          </div>
        )}
      </QueueList>
      <div class="brain-detail">
        <div class="brain-bar brain-back">
          <button type="button" class="brain-plain" onClick={() => commands.goTo('list')}>
            <Icon name="chevron-left" />
            Queue
          </button>
          <span class="brain-push" />
          <NoteSteps model={model} />
        </div>
        {entry === null ? (
          <section class="brain-preview" aria-label="Preview" />
        ) : (
          <NotePane
            entry={entry}
            note={model.note}
            links={model.links}
            view={state.view}
            compareWith={state.compareWith}
            propertiesOpen={model.propertiesOpen}
            areaRef={refs.note}
            change={model.change}
            notices={<QueueNotices model={model} />}
            onView={(view) =>
              view === 'compare' ? commands.compare() : queue.dispatch({ type: 'view', view })
            }
            onToggleProperties={commands.toggleProperties}
            onChangeStep={commands.stepChange}
          />
        )}
        {several ? (
          <BulkPanel
            items={model.bulkItems}
            decisions={decisions}
            hall={model.bulkHall}
            rejecting={state.mode === 'reject'}
            reason={model.reason}
            reasonRef={refs.reason}
            onHall={model.setBulkHall}
            onReason={model.setReason}
            onLook={commands.look}
            onPromote={commands.promote}
            onStartReject={commands.startReject}
            onReject={commands.reject}
            onCancelReject={commands.cancelReject}
            onClear={commands.untick}
          />
        ) : (
          <DecisionPane model={model} />
        )}
      </div>
    </>
  );
}
