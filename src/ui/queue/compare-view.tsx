import { useRef } from 'preact/hooks';
import { DiffView } from '../history/diff-view';
import { Icon } from '../parts/icon';
import { Notice } from '../parts/notice';
import { FailureNotice } from '../parts/problem';
import { SkeletonLines } from '../parts/skeleton';
import { useWidth } from '../parts/use-width';
import { count, day } from '../parts/words';
import { parseWriter } from '../parts/writer-name';
import type { Entry } from './entry';
import type { Compare } from './use-compare';

/** Below this width in pixels both texts stand in one column. */
const SIDE_BY_SIDE = 760;

/** How much differs, and the way from change to change. */
export function CompareBar(props: {
  readonly compare: Compare;
  readonly change: number;
  readonly onStep: (step: number) => void;
}) {
  const { compare, change, onStep } = props;
  const { model } = compare;
  if (model === null) return null;
  return (
    <>
      <span
        class="brain-small brain-num"
        role="img"
        aria-label={`${model.added} lines added, ${model.removed} removed`}
      >
        <span class="brain-ok">+{count(model.added)}</span>{' '}
        <span class="brain-bad">−{count(model.removed)}</span>
      </span>
      <button
        type="button"
        class="clickable-icon"
        aria-label="Previous change"
        disabled={change <= 0}
        onClick={() => onStep(-1)}
      >
        <Icon name="chevron-up" />
      </button>
      <button
        type="button"
        class="clickable-icon"
        aria-label="Next change"
        disabled={change >= model.changes - 1}
        onClick={() => onStep(1)}
      >
        <Icon name="chevron-down" />
      </button>
    </>
  );
}

/** A pending note beside a similar one. */
export function CompareView(props: {
  readonly compare: Compare;
  readonly entry: Entry;
  readonly areaRef: { current: HTMLDivElement | null };
  readonly change: number;
}) {
  const { compare, entry, areaRef, change } = props;
  const { other, model, cut } = compare;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const title = other.value?.title ?? '';
  return (
    <div class="brain-compare" ref={frame}>
      {other.error !== null && other.value === null && <FailureNotice error={other.error} />}
      {other.loading && <SkeletonLines lines={6} label="Reading the similar note" />}
      {model !== null && other.value !== null && (
        <>
          <div class="brain-diff-head">
            <div title={`${title}\n${other.value.path}`}>
              <b class="brain-strong">{statusWords(other.value.status)}</b>
              <span class="brain-muted brain-cut">
                {byWords(other.value.updated_at, other.value.written_by)}
              </span>
            </div>
            <div>
              <b class="brain-strong">This note</b>
              <span class="brain-muted brain-cut">{byWords(entry.created_at, entry.written_by)}</span>
            </div>
          </div>
          {cut && <Notice icon="info">Only the beginning is compared: one of the notes is very long.</Notice>}
          {model.changes === 0 && (
            <Notice icon="info">Both texts are the same; only properties differ.</Notice>
          )}
          <DiffView
            key={other.value.path}
            model={model}
            layout={width !== null && width >= SIDE_BY_SIDE ? 'side by side' : 'inline'}
            areaRef={areaRef}
            change={change}
          />
        </>
      )}
    </div>
  );
}

function statusWords(status: 'wiki' | 'knowledge' | 'raw' | 'root'): string {
  if (status === 'raw') return 'In the queue';
  return status === 'root' ? 'Root note' : `In ${status === 'wiki' ? 'the wiki' : 'knowledge'}`;
}

function byWords(time: string | undefined, writtenBy: string | undefined): string {
  const by = writtenBy === undefined ? '' : `by ${parseWriter(writtenBy).name}`;
  return [time === undefined ? '' : day(time), by].filter((word) => word !== '').join(', ');
}
