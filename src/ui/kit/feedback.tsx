import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CallError } from '../../core/registry/client';
import { Icon, type IconName } from './icons';

/** An empty state. Its content says what would be here, then how it comes, then offers one action. */
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

/** A fact that asks for attention, with an icon and words, so that colour is never the only sign. */
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

/** Marks a note of the owner, which differs from a reviewed one. */
export function OwnersFlag() {
  return (
    <Flag
      icon="user"
      tone="accent"
      title="A note of your own: nobody has reviewed it, and no agent changes it"
    >
      Your note
    </Flag>
  );
}

const LOOKS = {
  neutral: { box: 'brain-notice', icon: 'refresh-cw', mark: '' },
  amber: { box: 'brain-notice mod-amber', icon: 'triangle-alert', mark: 'brain-warn' },
  red: { box: 'brain-notice mod-red', icon: 'circle-x', mark: 'brain-bad' },
} as const;

/**
 * A message: neutral for an event, amber for something to check, red for a failure. It stays until it is no longer true. Red
 * interrupts a screen reader; the others wait.
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
      <div dir="auto">{children}</div>
    </div>
  );
}

/** The error of a field, below it, in place of its help. A screen reader announces it at once. */
export function Problem({ id, children }: { readonly id?: string; readonly children: ComponentChildren }) {
  return (
    <div id={id} role="alert" class="brain-problem">
      <Icon name="circle-alert" />
      <span dir="auto">{children}</span>
    </div>
  );
}

/** The error of a call that no field explains: the message of the service, and the request id of its log. */
export function FailureNotice(props: {
  readonly error: CallError;
  /** True for a change: the notice then says that nothing was changed, if that is known. */
  readonly isChange?: boolean;
  readonly children?: ComponentChildren;
}) {
  const { error, isChange = false, children } = props;
  return (
    <Notice tone="red">
      {failureWords(error)} {error.requestId !== undefined && <>Request {error.requestId}. </>}
      {isChange && !MAY_HAVE_CHANGED.includes(error.code) && 'Nothing was changed. '}
      {children}
    </Notice>
  );
}

/** The codes of failures after which a change may have been made. */
const MAY_HAVE_CHANGED = ['unreachable', 'internal', 'busy'];

/** Returns the sentence for a failed call. */
export function failureWords({ code, message, details }: CallError): string {
  if (code !== 'unreachable') return message;
  return details.isUnknown === true
    ? 'The server does not answer, so it is not known whether this was done. Look again when it answers.'
    : 'The server does not answer.';
}

/**
 * The progress of a job, in words and as a bar, with an optional button that cancels it. Cancelling keeps what is already
 * done. A total of 0 means unknown; no amount is then shown.
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

/** Placeholder rows for a list that is loading, of the height of its rows. A screen reader reads only the label. */
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

/** Placeholder lines for a text that is loading. */
export function SkeletonLines({ lines, label }: { readonly lines: number; readonly label: string }) {
  return (
    <div class="brain-skeletons" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="brain-skeleton" style={{ width: WIDTHS[line % WIDTHS.length] ?? '100%' }} />
      ))}
    </div>
  );
}

/** The delay before a sign of work: shorter work ends before a person could read the sign (ms). */
const LATE_AFTER_MS = 150;

/** Returns true once `isGoingOn` has been true for `LATE_AFTER_MS`. */
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
