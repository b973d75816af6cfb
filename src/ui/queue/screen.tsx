import { Fragment } from 'preact';
import { useCallback } from 'preact/hooks';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { useDropTarget } from '../intake/add';
import { IntakePanel } from '../intake/panel';
import { Empty, FailureNotice, Notice } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Hints, Key, useKeys } from '../kit/keys';
import { joinNames, noteName } from '../kit/names';
import { ScreenLink } from '../kit/screen-link';
import { clock, moment } from '../kit/words';
import { parseWriter } from '../kit/writer';
import { DecisionBar, hasDecisions } from './bar';
import { BulkPanel } from './bulk';
import { DecisionPane } from './decide';
import type { Entry } from './entry';
import { QUEUE_HELP, queueHints, queueKeys } from './keys';
import { QueueList } from './list';
import { type QueueScreenModel, useQueueScreen } from './model';
import { NotePane, NoteSteps } from './note';
import { isMissing, refusalWords } from './problem';

/** Notices above the text of the note: it has changed, it has left the queue, or the queue could not be read. */
function QueueNotices({ model }: { readonly model: QueueScreenModel }) {
  const { state, entry, gone, problem, decisions, queue, commands } = model;
  const away = gone || (problem !== null && isMissing(problem));
  const stale = problem?.code === 'hash_mismatch';
  const unread = queue.error !== null && state.entries !== null ? queue.error : null;
  const missing = state.wanted !== null && state.entries !== null && decisions.working === null;
  return (
    <div class="brain-notices">
      {unread !== null && (
        <FailureNotice error={unread}>
          <button type="button" class="brain-plain" onClick={queue.reload}>
            Try again
          </button>
        </FailureNotice>
      )}
      <FailedDecisions model={model} />
      {missing && (
        <Notice tone="amber">
          {state.wanted} is not in the queue. Somebody may have decided on it already.
        </Notice>
      )}
      {away ? (
        <Notice tone="amber">
          This note is no longer in the queue: it was decided on, moved or removed elsewhere.{' '}
          <button type="button" class="brain-plain" onClick={commands.leave}>
            Next note
          </button>
        </Notice>
      ) : stale ? (
        <Notice tone="amber">
          The file changed while you were reading. Nothing was changed. You see the new text; your wing, hall
          and slug are kept.
        </Notice>
      ) : (
        state.changedAt !== null && (
          <Notice>
            Changed on disk at {clock(state.changedAt)}. You see the new text; your wing, hall and slug are
            kept.
          </Notice>
        )
      )}
      {!away && entry !== null && <Revision model={model} entry={entry} />}
      {!away && entry !== null && <NearEqual model={model} entry={entry} />}
    </div>
  );
}

/** The near-equal notes that one line names. */
const NAMED = 3;

/** Names the notes of the queue that say nearly the same as this one, each with a button that compares it. */
function NearEqual({ model, entry }: { readonly model: QueueScreenModel; readonly entry: Entry }) {
  const { state, commands } = model;
  const { same, similar } = entry;
  if (same.length === 0) return null;
  // The key compares with the most similar note first. It moves to that note's button, so it is not shown before these are known.
  const isFirst = model.similar.value !== null && similar.length === 0;
  const compared =
    state.view === 'compare' && state.compareWith?.kind === 'note' ? state.compareWith.path : null;
  const titleOf = (path: string): string =>
    state.entries?.find((other) => other.path === path)?.title ?? noteName(path);
  return (
    <Notice icon="copy">
      Nearly the same as:{' '}
      {same.slice(0, NAMED).map((path, index) => (
        <Fragment key={path}>
          {index > 0 && ', '}
          <button type="button" class="brain-notelink" title={path} onClick={() => commands.find(path)}>
            <bdi>{titleOf(path)}</bdi>
          </button>
          {path !== compared && (
            <>
              {' '}
              <button type="button" class="brain-plain" onClick={() => commands.compareWith(path)}>
                Compare
                <span class="brain-sr"> with {titleOf(path)}</span>
                {index === 0 && isFirst && <Key>C</Key>}
              </button>
            </>
          )}
        </Fragment>
      ))}
      {same.length > NAMED && ` and ${same.length - NAMED} more`}
    </Notice>
  );
}

/** Says that the writer of a queued note has changed it, and offers the difference to the text before. */
function Revision({ model, entry }: { readonly model: QueueScreenModel; readonly entry: Entry }) {
  const { state, commands } = model;
  const { previous_hash: previous, revised_at: at, written_by: writtenBy } = entry;
  if (previous === undefined) return null;
  const isShown =
    state.view === 'compare' && state.compareWith?.kind === 'revision' && state.compareWith.hash === previous;
  return (
    <Notice icon="history">
      {writtenBy === undefined ? 'Its writer' : parseWriter(writtenBy).name} revised this note
      {at !== undefined && ` on ${moment(at)}`}.{' '}
      {!isShown && (
        <>
          <button type="button" class="brain-plain" onClick={commands.showRevision}>
            Show what changed
          </button>{' '}
        </>
      )}
      <ScreenLink screen="history" params={{ path: entry.path }}>
        All versions
      </ScreenLink>
    </Notice>
  );
}

/** The failed decisions on notes other than the current one, by title, since their rows may be gone. */
function FailedDecisions(props: {
  readonly model: QueueScreenModel;
  /** The class of a box around the notices; without it there is none. */
  readonly class?: string;
}) {
  const { model } = props;
  const { state, entry, decisions, commands } = model;
  const { failure, bulk } = decisions;
  const listed = new Set(state.entries?.map(({ path }) => path));
  const other = failure !== null && failure.path !== entry?.path ? failure : null;
  // While notes are ticked, their panel names the failed ones.
  const unlisted =
    bulk === null || bulk.running || state.ticked.size > 0
      ? []
      : bulk.job.items.filter(
          ({ entry: one }) => bulk.progress.failures.has(one.path) && !listed.has(one.path),
        );
  if (other === null && unlisted.length === 0) return null;
  const notices = (
    <>
      {other !== null && (
        <Notice tone="red">
          <bdi>{other.title}</bdi> was not {other.kind === 'promote' ? 'promoted' : 'rejected'}.{' '}
          {refusalWords(other.error)}{' '}
          {listed.has(other.path) ? (
            <button type="button" class="brain-plain" onClick={() => commands.lookAtFailure(other)}>
              Look
            </button>
          ) : (
            <button type="button" class="brain-plain" onClick={decisions.clearFailure}>
              Close
            </button>
          )}
        </Notice>
      )}
      {unlisted.length > 0 && (
        <Notice tone="amber">
          Not {bulk?.job.kind === 'reject' ? 'rejected' : 'promoted'}, since no longer in the queue:{' '}
          {joinNames(unlisted.map(({ entry: one }) => one.title))}{' '}
          <button type="button" class="brain-plain" onClick={decisions.closeBulk}>
            Close
          </button>
        </Notice>
      )}
    </>
  );
  return props.class === undefined ? notices : <div class={props.class}>{notices}</div>;
}

/**
 * The review queue: the pending notes, oldest first, the current note, and the decision on it. With the parameter `path` it
 * opens on that note; with `act` as well, on its form to promote or to reject.
 */
export function QueueScreen({ params }: { readonly params: ScreenParams }) {
  const model = useQueueScreen(params);
  const { state, commands, refs, queue } = model;
  const keys = useKeys({
    title: 'Keys in the review queue',
    actions: queueKeys(commands, state),
    help: QUEUE_HELP,
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
  const isDragOver = useDropTarget(refs.root, commands.drop);
  const nothing = state.entries?.length === 0 && state.current === null;
  return (
    <div
      ref={attach}
      tabIndex={keys.tabIndex}
      onKeyDown={keys.onKeyDown}
      onKeyDownCapture={model.onKey}
      onPointerDownCapture={model.onAct}
      class={nothing ? 'brain-frame brain-queue mod-empty' : 'brain-frame brain-queue'}
      data-pane={state.pane}
      data-form={state.form}
      data-bar={hasDecisions(model) ? '' : undefined}
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
      {isDragOver && <DropCover />}
      <DecisionBar model={model} />
      <Hints hints={nothing ? EMPTY_HINTS : queueHints(state)} />
    </div>
  );
}

/** The overlay of the screen while files are dragged above it. */
function DropCover() {
  return (
    <div class="brain-drop">
      <Icon name="upload" />
      <p>Drop to make notes of it</p>
      <p class="brain-small brain-muted">They wait here for review.</p>
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
      <FailedDecisions model={model} class="brain-notices" />
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
    </div>
  );
}

function FullQueue({ model }: { readonly model: QueueScreenModel }) {
  const { state, queue, refs, commands } = model;
  const several = state.ticked.size > 0;
  return (
    <>
      <QueueList
        state={state}
        loading={queue.loading}
        looking={queue.looking}
        dispatch={queue.dispatch}
        listRef={refs.list}
        filterRef={refs.filter}
        onAdd={commands.add}
        head={<IntakePanel intake={model.intake} />}
      >
        <FailedDecisions model={model} class="brain-notices brain-narrow-only" />
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
        <CurrentNote model={model} />
        {several ? <TickedNotes model={model} /> : <DecisionPane model={model} />}
      </div>
    </>
  );
}

/** The text of the current note. */
function CurrentNote({ model }: { readonly model: QueueScreenModel }) {
  const { state, queue, entry, refs, commands } = model;
  if (entry === null) return <section class="brain-preview" aria-label="Preview" />;
  return (
    <NotePane
      entry={entry}
      note={model.note}
      links={model.links}
      standing={model.destination.state === 'free' ? (model.destination.body ?? null) : null}
      asWritten={model.asWritten}
      onAsWritten={model.setAsWritten}
      view={state.view}
      compareWith={state.compareWith}
      propertiesOpen={model.propertiesOpen}
      areaRef={refs.note}
      change={model.change}
      notices={<QueueNotices model={model} />}
      onEdit={commands.edit}
      onView={(view) => (view === 'compare' ? commands.compare() : queue.dispatch({ type: 'view', view }))}
      onToggleProperties={commands.toggleProperties}
      onChangeStep={commands.stepChange}
    />
  );
}

/** The decision on several notes at once. */
function TickedNotes({ model }: { readonly model: QueueScreenModel }) {
  const { state, decisions, refs, commands } = model;
  return (
    <BulkPanel
      items={model.bulkItems}
      check={model.bulkCheck}
      decisions={decisions}
      hall={model.bulkHall}
      rejecting={state.mode === 'reject'}
      reason={model.reason}
      reasonRef={refs.reason}
      onHall={model.setBulkHall}
      onReason={model.setReason}
      onLook={commands.look}
      onPromote={commands.promote}
      onPromoteRisky={commands.promoteRisky}
      onStartReject={commands.startReject}
      onReject={commands.reject}
      onCancelReject={commands.cancelReject}
      onClear={commands.untick}
    />
  );
}
