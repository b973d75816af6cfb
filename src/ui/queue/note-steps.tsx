import { Icon } from '../parts/icon';
import { count } from '../parts/words';
import { currentIndex } from './queue-state';
import type { QueueScreenModel } from './use-queue-screen';

/** "2 of 14", and the way to the notes before and after. A note that has gone has no place; the notice above it leads on. */
export function NoteSteps({ model }: { readonly model: QueueScreenModel }) {
  const { state, commands } = model;
  const at = currentIndex(state);
  const total = state.visible.length;
  if (at < 0) return null;
  return (
    <>
      <span class="brain-count">{`${count(at + 1)} of ${count(total)}`}</span>
      <span class="brain-push" />
      <button
        type="button"
        class="clickable-icon"
        aria-label="Previous note"
        disabled={at <= 0}
        onClick={() => commands.step(-1)}
      >
        <Icon name="chevron-up" />
      </button>
      <button
        type="button"
        class="clickable-icon"
        aria-label="Next note"
        disabled={at >= total - 1}
        onClick={() => commands.step(1)}
      >
        <Icon name="chevron-down" />
      </button>
    </>
  );
}
