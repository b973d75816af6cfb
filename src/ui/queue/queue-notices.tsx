import { Notice } from '../parts/notice';
import { FailureNotice } from '../parts/problem';
import { clock } from '../parts/words';
import { namesOf } from './names-of';
import { isAway, refusalWords } from './promote-problem';
import type { QueueScreenModel } from './use-queue-screen';

/** What happened to the note while it is shown, above its text: it changed, it went away, or the list could not be read. */
export function QueueNotices({ model }: { readonly model: QueueScreenModel }) {
  const { state, gone, problem, decisions, queue, commands } = model;
  const away = gone || (problem !== null && isAway(problem));
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
      <NotDecided model={model} />
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
    </div>
  );
}

/** Notes other than the one that is shown on which a decision failed, each by its name: their rows may be gone. */
export function NotDecided(props: {
  readonly model: QueueScreenModel;
  /** Of the box around them, where there is none yet. */
  readonly class?: string;
}) {
  const { model } = props;
  const { state, entry, decisions, commands } = model;
  const { failure, bulk } = decisions;
  const listed = new Set(state.entries?.map(({ path }) => path));
  const other = failure !== null && failure.path !== entry?.path ? failure : null;
  // While notes are ticked their panel names those that failed.
  const lost =
    bulk === null || bulk.running || state.ticked.size > 0
      ? []
      : bulk.job.items.filter(
          ({ entry: one }) => bulk.progress.failures.has(one.path) && !listed.has(one.path),
        );
  if (other === null && lost.length === 0) return null;
  const notices = (
    <>
      {other !== null && (
        <Notice tone="red">
          {other.title} was not {other.kind === 'promote' ? 'promoted' : 'rejected'}.{' '}
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
      {lost.length > 0 && (
        <Notice tone="amber">
          Not {bulk?.job.kind === 'reject' ? 'rejected' : 'promoted'}, since no longer in the queue:{' '}
          {namesOf(lost.map(({ entry: one }) => one.title))}{' '}
          <button type="button" class="brain-plain" onClick={decisions.closeBulk}>
            Close
          </button>
        </Notice>
      )}
    </>
  );
  return props.class === undefined ? notices : <div class={props.class}>{notices}</div>;
}
