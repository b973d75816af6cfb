import type { CallError } from '../client';
import { Field } from '../parts/field';
import { Key } from '../parts/key';
import { FailureNotice } from '../parts/problem';
import { isAway } from './promote-problem';

const REASONS = ['Duplicate', 'Not verified', 'Outdated', 'Not ours'];

/** What the service keeps at most. */
const MAX_REASON = 500;

interface Props {
  /** What the button says: "Reject", "Reject 4". */
  readonly verb: string;
  readonly reason: string;
  readonly error: CallError | null;
  readonly areaRef: { current: HTMLTextAreaElement | null };
  readonly onReason: (reason: string) => void;
  readonly onReject: () => void;
  readonly onCancel: () => void;
}

/**
 * Why a note is rejected, in own words or ready-made ones, and the confirmation. Enter confirms; Shift and Enter breaks the
 * line.
 */
export function RejectForm({ verb, reason, error, areaRef, onReason, onReject, onCancel }: Props) {
  return (
    <form
      class="brain-form"
      aria-label="Reject"
      onSubmit={(event) => {
        event.preventDefault();
        onReject();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
    >
      <Field label="Why reject it?" note="optional">
        {(control) => (
          <textarea
            {...control}
            ref={areaRef}
            rows={3}
            maxLength={MAX_REASON}
            value={reason}
            onInput={(event) => onReason(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              onReject();
            }}
          />
        )}
      </Field>
      <div class="brain-chips">
        {REASONS.map((words) => (
          <button
            key={words}
            type="button"
            onClick={() => {
              onReason(words);
              areaRef.current?.focus();
            }}
          >
            {words}
          </button>
        ))}
      </div>
      <p class="brain-small brain-muted brain-note-line">
        The note moves to <span class="brain-mono">raw/rejected/</span> and the reason is kept with it. You
        can undo this.
      </p>
      {error !== null && !isAway(error) && error.code !== 'hash_mismatch' && <FailureNotice error={error} />}
      <div class="brain-buttons">
        <button class="mod-warning brain-grow" type="submit">
          {verb}
          <Key>↵</Key>
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
          <Key>Esc</Key>
        </button>
      </div>
    </form>
  );
}
