import { useState } from 'preact/hooks';
import { useUi } from '../context';
import { FailureNotice } from '../parts/problem';
import { asCallError, useCall } from '../parts/use-async';
import { useChanges } from '../parts/use-changes';
import { SkeletonLines } from '../parts/skeleton';
import { auditRow, type StateRow, statusRows, unreachableRow } from './state-rows';
import type { CallError } from '../client';

/** How the parts of the service are, with the one action that some of them have. */
export function StateList() {
  const { host } = useUi();
  const status = useCall('status', {}, { keep: true });
  const audit = useCall('verifyAudit', {}, { keep: true });
  // Not the audit: to verify it is to read all of it, and a change of a note says nothing about its chain.
  useChanges(() => status.reload());
  const { url } = host.connection;
  const error = status.error ?? audit.error;
  const isReachable = error?.code !== 'unreachable';
  const rows = isReachable
    ? [
        ...(status.value === null ? [] : statusRows(status.value, url)),
        ...(audit.value === null ? [] : [auditRow(audit.value)]),
      ]
    : [unreachableRow(url)];
  return (
    <section class="brain-panel" aria-label="State">
      <div class="brain-panel-head">
        <h2 class="brain-heading">State</h2>
        <span class="brain-push" />
        <button type="button" class="brain-plain" onClick={() => host.go('doctor')}>
          Doctor
        </button>
      </div>
      {error !== null && isReachable && <FailureNotice error={error} />}
      {rows.length > 0 && (
        <ul class="brain-state">
          {rows.map((row) => (
            <State key={row.title} row={row} />
          ))}
        </ul>
      )}
      {rows.length === 0 && error === null && <SkeletonLines lines={4} label="Reading the state" />}
    </section>
  );
}

function State({ row: { title, state, mark, words } }: { row: StateRow }) {
  return (
    <li>
      <i class={`brain-dot mod-${state}`} />
      <b class="brain-strong">
        {title}
        <span class="brain-sr">: {mark}</span>
      </b>
      {title === 'Server' ? <Restart /> : <span />}
      <p>{words}</p>
    </li>
  );
}

/** Where the host runs the server, it can start it again. */
function Restart() {
  const { host } = useUi();
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const { restartServer } = host;
  if (restartServer === undefined) return <span />;
  const restart = async (): Promise<void> => {
    if (working) return;
    setWorking(true);
    setError(null);
    try {
      await restartServer();
    } catch (thrown) {
      setError(asCallError(thrown));
    } finally {
      setWorking(false);
    }
  };
  return (
    <>
      <button type="button" class="brain-plain" aria-disabled={working} onClick={() => void restart()}>
        {working ? 'Restarting' : 'Restart'}
      </button>
      {error !== null && <FailureNotice error={error} />}
    </>
  );
}
