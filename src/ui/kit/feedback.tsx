import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CallError } from '../../core/registry/client';
import { Icon, type IconName } from './icons';

/** Nothing to show: what would be here, how it comes, and one way on, in that order. */
export function Empty(props: {
  readonly icon?: IconName;
  readonly title?: string;
  readonly children?: ComponentChildren;
}) {
  const { icon, title, children } = props;
  return (
    <div class="brain-empty">
      {icon !== undefined && <Icon name={icon} />}
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </div>
  );
}

const FLAGS = {
  amber: 'brain-flag mod-amber',
  red: 'brain-flag mod-red',
  accent: 'brain-flag mod-accent',
} as const;

/** A fact that asks for attention: always an icon and words, so that colour is never the only sign. */
export function Flag(props: {
  readonly icon: IconName;
  readonly tone?: keyof typeof FLAGS;
  readonly title?: string;
  readonly children: ComponentChildren;
}) {
  const { icon, tone, title, children } = props;
  return (
    <span class={tone === undefined ? 'brain-flag' : FLAGS[tone]} title={title}>
      <Icon name={icon} />
      {children}
    </span>
  );
}

const LOOKS = {
  neutral: { box: 'brain-notice', icon: 'refresh-cw', mark: '' },
  amber: { box: 'brain-notice mod-amber', icon: 'triangle-alert', mark: 'brain-warn' },
  red: { box: 'brain-notice mod-red', icon: 'circle-x', mark: 'brain-bad' },
} as const;

/**
 * A message in its place: neutral for something that happened, amber for something to look at, red for something that
 * failed. It stays until what it says is no longer so. Red interrupts a screen reader, the others wait.
 */
export function Notice(props: {
  readonly tone?: keyof typeof LOOKS;
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}) {
  const { tone = 'neutral', icon, children } = props;
  const { box, icon: usual, mark } = LOOKS[tone];
  return (
    <div class={box} role={tone === 'red' ? 'alert' : 'status'}>
      <Icon name={icon ?? usual} class={mark} />
      <div>{children}</div>
    </div>
  );
}

/** What is wrong with a field, below it, in place of its help. Announced at once. */
export function Problem({ id, children }: { readonly id?: string; readonly children: ComponentChildren }) {
  return (
    <div id={id} role="alert" class="brain-problem">
      <Icon name="circle-alert" />
      <span>{children}</span>
    </div>
  );
}

/** A call that failed in a way that no field explains: what the service said, and the number that its log knows. */
export function FailureNotice(props: { readonly error: CallError; readonly children?: ComponentChildren }) {
  const { error, children } = props;
  return (
    <Notice tone="red">
      {failureWords(error)} {error.requestId !== undefined && <>Request {error.requestId}. </>}
      {children}
    </Notice>
  );
}

/** The sentence for a failed call. */
export function failureWords(error: CallError): string {
  return error.code === 'unreachable' ? 'The server does not answer. Nothing was changed.' : error.message;
}

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

const WIDTHS = ['72%', '100%', '88%', '56%'];

/** Rows that stand in for a list that is being read, of the height that its rows will have. Silent but for its name. */
export function SkeletonRows({ rows, label }: { readonly rows: number; readonly label: string }) {
  return (
    <div class="brain-items brain-scroll" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="brain-entry brain-item mod-skeleton">
          {WIDTHS.map((width) => (
            <span key={width} class="brain-skeleton" style={{ width }} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Lines that stand in for text that is being read. */
export function SkeletonLines({ lines, label }: { readonly lines: number; readonly label: string }) {
  return (
    <div class="brain-skeletons" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="brain-skeleton" style={{ width: WIDTHS[line % WIDTHS.length] ?? '100%' }} />
      ))}
    </div>
  );
}

/** Shorter waits are over before a sign of them could be read. */
const LATE_AFTER_MS = 150;

/** True once something has been going on for long enough to be worth a sign. */
export function useLate(isGoingOn: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isGoingOn) return undefined;
    const timer = window.setTimeout(() => setLate(true), LATE_AFTER_MS);
    return () => {
      window.clearTimeout(timer);
      setLate(false);
    };
  }, [isGoingOn]);
  return isGoingOn && isLate;
}
