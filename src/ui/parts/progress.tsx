/**
 * How far a long job is, in words and as a bar, with a way to stop it. It stands beside the thing that it works on. What is
 * already done stays done when it is stopped.
 */
export function Progress(props: {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  /** Shown at the right instead of "3 of 12". */
  readonly words?: string;
  readonly onCancel?: () => void;
}) {
  const { label, done, total, words, onCancel } = props;
  // Where nobody knows how much there is, nothing is said of how far it is.
  const percent = total === 0 ? 0 : Math.round((done / total) * 100);
  return (
    <div class="brain-stack">
      <div class="brain-row">
        <span>{label}</span>
        <span class="brain-push brain-count">{words ?? (total === 0 ? '' : `${done} of ${total}`)}</span>
        {onCancel !== undefined && (
          <button type="button" class="brain-plain" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
      <div
        class="brain-progress"
        role="progressbar"
        aria-label={label}
        {...(total > 0 && { 'aria-valuenow': percent })}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}
