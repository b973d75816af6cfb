import type { DiffModel } from '../diff/model';
import type { Layout } from '../diff/view';
import { ActionButton, Segments, StepButtons } from '../kit/controls';
import { Notice } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { count, counted, day } from '../kit/words';
import { Author } from '../kit/writer';
import { type Compared, timeWords, type WholeVersion } from './versions';

/** The bar above the comparison: its layout, the number of changes, the steps between them, and "revert". */
export function DiffBar(props: {
  readonly model: DiffModel | null;
  /** Null when the pane has room for the inline layout only. */
  readonly layout: Layout | null;
  readonly properties: boolean;
  readonly stamps: boolean;
  readonly change: number;
  /** The name of the version that "revert" brings back; null when there is none. */
  readonly target: string | null;
  readonly onLayout: (layout: Layout) => void;
  readonly onProperties: () => void;
  readonly onStamps: () => void;
  readonly onStep: (step: number) => void;
  readonly onRevert: () => void;
  readonly onForget: () => void;
}) {
  const { model, layout, properties, stamps, change, target } = props;
  const { onLayout, onProperties, onStamps, onStep, onRevert, onForget } = props;
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
      <PartToggles {...{ properties, stamps, onProperties, onStamps }} />
      {layout !== null && <span class="brain-push" />}
      {model !== null && (
        <span
          class="brain-small brain-num brain-diff-count"
          aria-label={`${counted(model.added, 'line')} added, ${count(model.removed)} removed`}
          role="img"
        >
          <span class="brain-ok">+{count(model.added)}</span>{' '}
          <span class="brain-bad">−{count(model.removed)}</span>
        </span>
      )}
      <StepButtons noun="change" at={change} total={model?.changes ?? 0} onStep={onStep} />
      {layout === null && <span class="brain-push" />}
      {target !== null && (
        <ActionButton icon="undo-2" title={`Revert to ${target}`} onClick={onRevert}>
          <span class="brain-cut">
            Revert<span class="brain-diff-target"> to {target}</span>
          </span>
          {layout !== null && <Key>V</Key>}
        </ActionButton>
      )}
      <ActionButton icon="trash" title="Forget this note" aria-label="Forget this note" onClick={onForget}>
        {layout !== null && 'Forget'}
      </ActionButton>
    </div>
  );
}

/** The switches of what is compared beside the text: properties, and among them the stamps of the service. */
function PartToggles(props: {
  readonly properties: boolean;
  readonly stamps: boolean;
  readonly onProperties: () => void;
  readonly onStamps: () => void;
}) {
  const { properties, stamps, onProperties, onStamps } = props;
  return (
    <>
      <button
        type="button"
        class="brain-plain brain-wide-only"
        aria-pressed={properties}
        onClick={onProperties}
      >
        {properties && <Icon name="check" />}
        Properties
      </button>
      {properties && (
        <button
          type="button"
          class="brain-plain brain-wide-only"
          aria-pressed={stamps}
          title="What the service writes at every change: times, writers, hashes"
          onClick={onStamps}
        >
          {stamps && <Icon name="check" />}
          Stamps
        </button>
      )}
    </>
  );
}

/** The heads of the two sides: when each version was written, by whom, and its hash. */
export function DiffHead({ compared }: { readonly compared: Compared }) {
  const { older, newer } = compared;
  // The time distinguishes two versions of one day.
  const words = older?.updated_at !== undefined && isSameDay(older, newer) ? timeWords : day;
  return (
    <div class="brain-diff-head">
      <Side version={older} words={words} />
      <Side version={newer} words={words} />
    </div>
  );
}

function isSameDay(older: WholeVersion, newer: WholeVersion | null): boolean {
  return day(older.updated_at ?? '') === day(newer?.updated_at ?? '');
}

function Side(props: { readonly version: WholeVersion | null; readonly words: (time: string) => string }) {
  const { version, words } = props;
  if (version === null) {
    return (
      <div>
        <span class="brain-muted">Nothing before</span>
      </div>
    );
  }
  return (
    <div>
      <b class="brain-strong">
        {version.updated_at === undefined ? 'Time not recorded' : words(version.updated_at)}
      </b>
      <Author isOwners={version.status === 'vault'} origin={version.origin} writtenBy={version.written_by} />
      <span class="brain-push brain-mono brain-muted brain-wide-only" title={`Content hash ${version.hash}`}>
        {version.hash.slice(0, 8)}
      </span>
    </div>
  );
}

/** Notices about a comparison that its rows do not show, such as a change of properties only. */
export function DiffNotes(props: {
  readonly model: DiffModel;
  readonly properties: boolean;
  readonly stamps: boolean;
  /** Shows properties and stamps. */
  readonly onShowAll: () => void;
}) {
  const { model, properties, stamps, onShowAll } = props;
  const { propertiesChanged, textChanged, changes, rough } = model;
  return (
    <div class="brain-diff-notes">
      {rough && (
        <Notice icon="info">
          These versions are too different to be matched line by line. The old text stands beside the new.
        </Notice>
      )}
      {!textChanged && propertiesChanged && (
        <Notice icon="info">
          Only properties changed. The text is the same.{' '}
          {changes === 0 && !(properties && stamps) && (
            <button type="button" class="brain-plain" onClick={onShowAll}>
              {properties ? 'Show stamps' : 'Show properties'}
            </button>
          )}
        </Notice>
      )}
      {textChanged && changes === 0 && <Notice icon="info">Only line ends changed.</Notice>}
      {!textChanged && !propertiesChanged && <Notice icon="info">These versions are the same.</Notice>}
    </div>
  );
}
