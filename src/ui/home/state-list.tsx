import { useState } from 'preact/hooks';
import { useUi } from '../context';
import { FailureNotice } from '../parts/problem';
import { asCallError, useCall } from '../parts/use-async';
import { SkeletonLines } from '../parts/skeleton';
import { SearchRow } from './search-row';
import { auditRow, checkRows, inboxRow, serverRow, type StateRow, unreachableRow } from './state-rows';
import { useBackfill } from './use-backfill';
import { useStatus } from '../parts/use-status';
import type { CallError } from '../client';

/** How the parts of the service are, with the one action that some of them have. */
export function StateList() {
  const { host } = useUi();
  const backfill = useBackfill(() => status.reload());
  const status = useStatus(backfill.running);
  // Not again after every change: to verify it is to read all of it, and a note says nothing about its chain.
  const audit = useCall('verifyAudit', {}, { keep: true });
  const { url } = host.connection;
  const error = status.error ?? audit.error;
  const isReachable = error?.code !== 'unreachable';
  const { value } = status;
  const isKnown = !isReachable || value !== null || audit.value !== null;
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
      {isKnown && (
        <ul class="brain-state">
          {!isReachable && <State row={unreachableRow(url)} />}
          {isReachable && value !== null && (
            <>
              <State row={serverRow(value, url)} />
              <SearchRow status={value} backfill={backfill} />
              <State row={inboxRow(value)} />
              {checkRows(value).map((row) => (
                <State key={row.title} row={row} />
              ))}
            </>
          )}
          {isReachable && audit.value !== null && <State row={auditRow(audit.value)} />}
        </ul>
      )}
      {!isKnown && error === null && <SkeletonLines lines={4} label="Reading the state" />}
    </section>
  );
}

function State({ row: { title, state, mark, words, more } }: { row: StateRow }) {
  return (
    <li>
      <i class={`brain-dot mod-${state}`} />
      <b class="brain-strong">
        {title}
        <span class="brain-sr">: {mark}</span>
      </b>
      {title === 'Server' ? <Restart /> : more === true ? <Show of={title} /> : <span />}
      <p>{words}</p>
    </li>
  );
}

/** Leads to where the files of the inbox are shown. */
function Show({ of }: { readonly of: string }) {
  const { host } = useUi();
  return (
    <button
      type="button"
      class="brain-plain"
      aria-label={`Show ${of.toLowerCase()}`}
      onClick={() => host.go('doctor')}
    >
      Show
    </button>
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
