import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { hasMore } from '../intake/inbox';
import { useCall, useStatus } from '../kit/async';
import { CopyButton } from '../kit/controls';
import { Empty, FailureNotice, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Hints, Key, type KeyHelpGroup, useKeys } from '../kit/keys';
import { ScrollArea } from '../kit/lists';
import { clock } from '../kit/words';
import { InboxSection } from './inbox';
import { Remedy } from './remedy';
import { type Check, type Findings, groupChecks, reportText, summaryOf, titleOf } from './report';

/** The failed checks and the warnings, the failed first, each with its message and remedy. */
function FindingCards(props: { readonly findings: Findings; readonly onDone: () => void }) {
  const { failed, warnings } = props.findings;
  if (failed.length + warnings.length === 0) return null;
  return (
    <section aria-label="Needs you">
      <h2 class="brain-heading">Needs you</h2>
      {[...failed, ...warnings].map((check) => (
        <Finding key={check.name} check={check} onDone={props.onDone} />
      ))}
    </section>
  );
}

function Finding({ check, onDone }: { readonly check: Check; readonly onDone: () => void }) {
  const isFailed = check.state === 'failed';
  return (
    <div class={isFailed ? 'brain-card mod-red brain-finding' : 'brain-card brain-finding'}>
      <Icon name={isFailed ? 'circle-x' : 'triangle-alert'} class={isFailed ? 'brain-bad' : 'brain-warn'} />
      <b class="brain-strong">
        <span class="brain-sr">{isFailed ? 'Problem: ' : 'Warning: '}</span>
        {titleOf(check)}
      </b>
      <p>{check.message}</p>
      {check.fix !== undefined && (
        <p class="mod-fix">
          <Icon name="wrench" />
          <span>{check.fix}</span>
        </p>
      )}
      <Remedy check={check} onDone={onDone} />
    </div>
  );
}

/** The checks that passed, folded: nobody has to read them. */
function PassedList(props: {
  readonly checks: readonly Check[];
  readonly isAll: boolean;
  readonly onDone: () => void;
}) {
  const { checks, isAll, onDone } = props;
  if (checks.length === 0) return null;
  const title = isAll ? 'All checks' : 'Nothing to do';
  return (
    <section aria-label={title}>
      <details class="brain-card brain-fine-fold">
        <summary>
          <Icon name="circle-check" class="brain-ok" />
          <h2 class="brain-heading">{title}</h2>
          <span class="brain-count">{checks.length} fine</span>
        </summary>
        <ul class="brain-divided brain-fine">
          {checks.map((check) => (
            <li key={check.name}>
              <Icon name="circle-check" class="brain-ok" />
              <b class="brain-strong">{titleOf(check)}</b>
              <span class="brain-cut brain-muted" title={check.message}>
                {check.message}
              </span>
              <Remedy check={check} class="brain-plain" onDone={onDone} />
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Here',
    lines: [
      { label: 'Check again', keys: ['R'] },
      { label: 'Copy the report', keys: ['Y'] },
    ],
  },
];

/** The checks of the service, with a remedy for each that failed. */
export function DoctorScreen(_: { params: ScreenParams }) {
  const { host } = useUi();
  const status = useCall('status', { probe: true }, { keep: true });
  const inbox = useStatus(false);
  const [checkedAt, setCheckedAt] = useState<Date | null>(null);
  const value = status.value;
  useEffect(() => {
    if (value !== null) setCheckedAt(host.now());
  }, [value, host]);
  const findings = value === null ? null : groupChecks(value.checks);
  const hasFiles = inbox.value !== null && hasMore(inbox.value);
  const isClear = findings !== null && findings.failed.length + findings.warnings.length === 0 && !hasFiles;
  useReloadOnQuarantine(inbox.value?.quarantine.length, status.reload);
  const announcement = findings === null || checkedAt === null ? '' : announce(checkedAt, findings);
  const report = value === null ? '' : reportText(value, checkedAt ?? host.now());
  const copyButton = useRef<HTMLSpanElement>(null);
  const frame = useKeys({
    title: 'Keys on this screen',
    help: HELP,
    actions: [
      { keys: ['r'], run: () => status.reload() },
      { keys: ['y'], run: () => copyButton.current?.querySelector('button')?.click() },
    ],
  });
  return (
    <div class="brain-frame brain-doctor" {...frame}>
      <h1 class="brain-sr">Doctor</h1>
      <div class="brain-bar mod-head">
        {findings !== null && <Summary findings={findings} />}
        <span class="brain-push" />
        {value !== null && (
          <span class="brain-small brain-muted brain-wide-only">
            Checked at {clock(checkedAt ?? host.now())}
          </span>
        )}
        <span class="brain-sr" role="status">
          {announcement}
        </span>
        {value !== null && (
          <span ref={copyButton} class="brain-wide-only">
            <CopyButton text={report}>Copy report</CopyButton>
          </span>
        )}
        <button type="button" onClick={() => status.reload()}>
          <Icon name="refresh-cw" />
          Check again
          <Key>R</Key>
        </button>
      </div>
      <ScrollArea label="Checks">
        <div class="brain-sections brain-checks">
          {status.error !== null && <StatusFailure error={status.error} />}
          {status.loading && <SkeletonLines lines={6} label="Checking" />}
          {findings !== null && <FindingCards findings={withoutInbox(findings)} onDone={status.reload} />}
          {value !== null && <InboxSection status={inbox} />}
          {isClear && (
            <Empty icon="circle-check" title="All is well">
              <p>Every check came out fine. There is nothing to do.</p>
            </Empty>
          )}
          {findings !== null && <PassedList checks={findings.fine} isAll={isClear} onDone={status.reload} />}
        </div>
      </ScrollArea>
      <Hints
        hints={[
          { keys: ['R'], label: 'check again' },
          { keys: ['Y'], label: 'copy the report', wide: true },
          { keys: ['?'], label: 'all keys' },
        ]}
      />
    </div>
  );
}

/** Makes the checks again when the number of files in quarantine changes: the inbox is one of the checks. */
function useReloadOnQuarantine(count: number | undefined, reload: () => void): void {
  const known = useRef(count);
  useEffect(() => {
    if (known.current !== undefined && known.current !== count) reload();
    known.current = count;
  }, [count]);
}

function StatusFailure({ error }: { readonly error: CallError }) {
  const { host } = useUi();
  return (
    <FailureNotice error={error}>
      {error.code === 'unreachable' && host.kind === 'web' && (
        <>
          Start it with <code>brain serve</code>; this page finds it by itself.
        </>
      )}
    </FailureNotice>
  );
}

/** Leaves out the check of the inbox: each file in quarantine has a card of its own. */
function withoutInbox({ warnings, ...others }: Findings): Findings {
  return { ...others, warnings: warnings.filter(({ name }) => name !== 'inbox') };
}

/** Returns the text for screen readers after each check. The time makes it a new text, so that it is read again. */
function announce(at: Date, findings: Findings): string {
  return `Checked at ${at.toTimeString().slice(0, 8)}: ${summaryOf(findings)}`;
}

function Summary({ findings: { failed, warnings, fine } }: { readonly findings: Findings }) {
  return (
    <>
      {failed.length > 0 && (
        <span class="brain-row mod-close mod-tally">
          <Icon name="circle-x" class="brain-bad" />
          <b class="brain-strong">{failed.length === 1 ? '1 problem' : `${failed.length} problems`}</b>
        </span>
      )}
      {warnings.length > 0 && (
        <span class="brain-row mod-close mod-tally">
          <Icon name="triangle-alert" class="brain-warn" />
          {warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}
        </span>
      )}
      <span class="brain-row mod-close mod-tally brain-muted">
        <Icon name="circle-check" class="brain-ok" />
        {fine.length} fine
      </span>
    </>
  );
}
