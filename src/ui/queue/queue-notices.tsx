import { Notice } from '../parts/notice';
import { FailureNotice } from '../parts/problem';
import { clock } from '../parts/words';
import { isAway } from './promote-problem';
import type { QueueScreenModel } from './use-queue-screen';

/** What happened to the note while it is shown, above its text: it changed, it went away, or the list could not be read. */
export function QueueNotices({ model }: { readonly model: QueueScreenModel }) {
  const { state, gone, decisions, queue, commands } = model;
  const { error } = decisions;
  const away = gone || (error !== null && isAway(error));
  const stale = error?.code === 'hash_mismatch' ? error : null;
  const unread = queue.error !== null && state.entries !== null ? queue.error : null;
  const missing = state.wanted !== null && state.entries !== null && decisions.working === null;
  if (!away && state.changedAt === null && stale === null && unread === null && !missing) return null;
  return (
    <div class="brain-notices">
      {unread !== null && (
        <FailureNotice error={unread}>
          <button type="button" class="brain-plain" onClick={queue.reload}>
            Try again
          </button>
        </FailureNotice>
      )}
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
      ) : stale !== null ? (
        <Notice tone="amber">{stale.message}</Notice>
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
