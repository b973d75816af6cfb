import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { Segments } from '../parts/segments';
import { count } from '../parts/words';
import type { DiffModel } from './diff-model';
import type { Layout } from './diff-view';

/** Above the comparison: how it is laid out, how much changed, from change to change, and back to an older text. */
export function DiffBar(props: {
  readonly model: DiffModel | null;
  /** Null when the pane has only room for one. */
  readonly layout: Layout | null;
  readonly properties: boolean;
  readonly change: number;
  /** Name of the version that reverting brings back; null when none can be brought back. */
  readonly target: string | null;
  readonly onLayout: (layout: Layout) => void;
  readonly onProperties: () => void;
  readonly onStep: (step: number) => void;
  readonly onRevert: () => void;
}) {
  const { model, layout, properties, change, target, onLayout, onProperties, onStep, onRevert } = props;
  const none = model === null || model.changes === 0;
  return (
    <div class="brain-bar">
      {layout !== null && (
        <Segments
          label="Layout"
          value={layout}
          options={[
            { value: 'side by side', label: 'Side by side' },
            { value: 'inline', label: 'Inline' },
          ]}
          onChange={onLayout}
        />
      )}
      <button
        type="button"
        class="brain-plain brain-wide-only"
        aria-pressed={properties}
        onClick={onProperties}
      >
        {properties && <Icon name="check" />}
        Properties
      </button>
      {layout !== null && <span class="brain-push" />}
      {model !== null && (
        <span
          class="brain-small brain-num brain-diff-count"
          aria-label={`${model.added} lines added, ${model.removed} removed`}
          role="img"
        >
          <span class="brain-ok">+{count(model.added)}</span>{' '}
          <span class="brain-bad">−{count(model.removed)}</span>
        </span>
      )}
      <button
        type="button"
        class="clickable-icon"
        aria-label="Previous change"
        disabled={none || change <= 0}
        onClick={() => onStep(-1)}
      >
        <Icon name="chevron-up" />
      </button>
      <button
        type="button"
        class="clickable-icon"
        aria-label="Next change"
        disabled={none || change >= (model?.changes ?? 0) - 1}
        onClick={() => onStep(1)}
      >
        <Icon name="chevron-down" />
      </button>
      {layout === null && <span class="brain-push" />}
      {target !== null && (
        <button type="button" class="brain-action" title={`Revert to ${target}`} onClick={onRevert}>
          <Icon name="undo-2" />
          <span class="brain-cut">
            Revert<span class="brain-diff-target"> to {target}</span>
          </span>
          {layout !== null && <Key>V</Key>}
        </button>
      )}
    </div>
  );
}
