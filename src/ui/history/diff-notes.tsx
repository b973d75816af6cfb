import { Notice } from '../parts/notice';
import type { DiffModel } from './diff-model';

/** What the rows of a comparison do not say by themselves. */
export function DiffNotes(props: {
  readonly model: DiffModel;
  readonly properties: boolean;
  readonly onProperties: () => void;
}) {
  const { model, properties, onProperties } = props;
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
          {!properties && (
            <button type="button" class="brain-plain" onClick={onProperties}>
              Show properties
            </button>
          )}
        </Notice>
      )}
      {textChanged && changes === 0 && <Notice icon="info">Only line ends changed.</Notice>}
      {!textChanged && !propertiesChanged && <Notice icon="info">These versions are the same.</Notice>}
    </div>
  );
}
