import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { Remedy } from '../doctor/remedy';
import type { Check } from '../doctor/report';
import { backfillWords, otherErrors, searchState, type SearchState } from '../found/state';
import { inboxState } from '../intake/inbox';
import { asCallError, useCall, useStatus } from '../kit/async';
import { FailureNotice, SkeletonLines } from '../kit/feedback';
import { count, counted } from '../kit/words';

/** The state of one part of the service. */
interface StateRow {
  readonly title:
    'Server' | 'Your notes' | 'Inbox' | 'Attachments' | 'Model' | 'Converter' | 'Room' | 'Audit' | 'Tokens';
  readonly state: 'green' | 'amber' | 'red' | 'off';
  /** The state in words, for screen readers. */
  readonly mark: string;
  readonly words: string;
  /** True when the doctor shows more about it. */
  readonly more?: boolean;
  /** True when the settings change it. */
  readonly isSetting?: boolean;
  /** The check that tells it, which may have a remedy. */
  readonly check?: Check;
}

/** The meanings of the colours, for screen readers. */
const MARKS = { green: 'Fine', amber: 'Look at this', red: 'Failed', off: 'Off' } as const;
const DOTS = {
  green: 'brain-dot mod-green',
  amber: 'brain-dot mod-amber',
  red: 'brain-dot mod-red',
  off: 'brain-dot mod-off',
} as const;

function row(title: StateRow['title'], state: StateRow['state'], words: string): StateRow {
  return { title, state, mark: MARKS[state], words };
}

/** Returns the row of a server that answers. */
export function serverRow({ version }: Answer<'status'>, url: string): StateRow {
  return row('Server', 'green', `Version ${version}, listening on ${new URL(url).host}`);
}

/** Returns the rows of the language model, the converter, the room that is taken and the tokens, if the service checks them. */
export function checkRows({ checks }: Answer<'status'>): readonly StateRow[] {
  const rowsFor = (title: StateRow['title'], wanted: string) =>
    checks
      .filter(({ name }) => name === wanted)
      .map((check) => ({ ...row(title, COLOURS[check.state], check.message), check }));
  return [
    ...rowsFor('Attachments', 'attachments'),
    ...rowsFor('Model', 'language model'),
    ...rowsFor('Converter', 'converter'),
    ...rowsFor('Room', 'room'),
    ...rowsFor('Tokens', 'tokens'),
  ];
}

/** Returns the row of the notes of the owner: which are read, how many, and how to change that where they are not. */
export function readingRows({ checks }: Pick<Answer<'status'>, 'checks'>): readonly StateRow[] {
  return checks
    .filter(({ name }) => name === 'what is read')
    .map(({ state, message, fix }) => {
      const words = fix === undefined ? message : `${message} ${fix}`;
      return { ...row('Your notes', COLOURS[state], words), isSetting: fix !== undefined };
    });
}

/** Returns the row of the inbox. */
function inboxRow(status: Pick<Answer<'status'>, 'watcher' | 'quarantine'>): StateRow {
  const { state, words, more } = inboxState(status);
  return { ...row('Inbox', state, words), more };
}

/** Returns the row of a server that does not answer. The list then has no other. */
function unreachableRow(url: string): StateRow {
  return row('Server', 'red', `No answer from ${new URL(url).host}`);
}

const COLOURS = { ok: 'green', warning: 'amber', failed: 'red' } as const;

/** Returns the row of the audit log. */
export function auditRow({ lines, problem_count: problems }: Answer<'verifyAudit'>): StateRow {
  if (problems === 0) return row('Audit', 'green', `${counted(lines, 'line')}, chain unbroken`);
  return row('Audit', 'red', `${counted(lines, 'line')}, chain broken at ${counted(problems, 'place')}`);
}

interface Backfill {
  /** True while this screen waits for the answer to `backfill`. */
  readonly running: boolean;
  /** The result of the last backfill; null before the first and while one runs. */
  readonly result: Answer<'backfill'> | null;
  readonly error: CallError | null;
  readonly start: () => void;
  /** Stops the running sync, whoever started it. Finished embeddings are kept. */
  readonly cancel: () => void;
}

/** Starts and cancels the backfill of embeddings. `onEnd` is called after either. */
function useBackfill(onEnd: () => void): Backfill {
  const { client } = useUi();
  const [running, setRunning] = useState(false);
  const [result, setResult] = useState<Answer<'backfill'> | null>(null);
  const [error, setError] = useState<CallError | null>(null);
  const isMounted = useRef(true);
  const latestOnEnd = useRef(onEnd);
  latestOnEnd.current = onEnd;
  useEffect(() => () => void (isMounted.current = false), []);

  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setError(null);
    try {
      await act();
    } catch (thrown) {
      if (isMounted.current) setError(asCallError(thrown));
    }
    if (isMounted.current) latestOnEnd.current();
  };
  return {
    running,
    result,
    error,
    start() {
      if (running) return;
      setRunning(true);
      setResult(null);
      void attempt(async () => {
        try {
          const answer = await client.call('backfill', {});
          if (isMounted.current) setResult(answer);
        } finally {
          if (isMounted.current) setRunning(false);
        }
      });
    },
    cancel: () => void attempt(async () => void (await client.call('cancelBackfill', {}))),
  };
}

/** The number of errors that are listed. A broken embedder gives one per note. */
const MOST_ERRORS = 5;

/** The row of the search, with the progress of the embeddings if hybrid retrieval is configured. */
function SearchRow(props: { readonly status: Answer<'status'>; readonly backfill: Backfill }) {
  const { status, backfill } = props;
  const { state, words, progress, action } = searchState(status);
  return (
    <li>
      <i class={DOTS[state]} />
      <b class="brain-strong">
        Search
        <span class="brain-sr">: {MARKS[state]}</span>
      </b>
      <Action action={action} backfill={backfill} />
      <p>{words}</p>
      {progress !== undefined && <Bar {...progress} />}
      {backfill.error !== null && (
        <div class="brain-state-more">
          <FailureNotice error={backfill.error} />
        </div>
      )}
      <Outcome result={backfill.result} />
    </li>
  );
}

function Action({ action, backfill }: { action: SearchState['action']; backfill: Backfill }) {
  if (action === 'cancel') {
    return (
      <button type="button" class="brain-plain" aria-label="Pause the backfill" onClick={backfill.cancel}>
        Pause
      </button>
    );
  }
  if (action === undefined) return <span />;
  return (
    <button
      type="button"
      class="brain-plain"
      aria-disabled={backfill.running}
      aria-label={action === 'resume' ? 'Go on with the backfill' : 'Backfill embeddings'}
      onClick={backfill.start}
    >
      {backfill.running ? 'Starting' : action === 'resume' ? 'Go on' : 'Backfill'}
    </button>
  );
}

function Bar({ label, done, total }: { label: string; done: number; total: number }) {
  return (
    <div
      class="brain-progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(total, 1)}
      aria-valuenow={done}
      aria-valuetext={`${count(done)} of ${count(total)}`}
    >
      <span style={{ width: `${total === 0 ? 0 : (done / total) * 100}%` }} />
    </div>
  );
}

function Outcome({ result }: { readonly result: Answer<'backfill'> | null }) {
  const { host } = useUi();
  const errors = otherErrors(result?.errors ?? []);
  const more = errors.length - MOST_ERRORS;
  return (
    <>
      <p role="status">{result !== null && backfillWords(result)}</p>
      {errors.length > 0 && (
        <ul class="brain-pile brain-state-more brain-backfill-errors" aria-label="Errors of the backfill">
          {errors.slice(0, MOST_ERRORS).map(({ path, error }) => (
            <li key={`${path ?? ''} ${error}`}>
              {path !== undefined && (
                <button type="button" class="brain-plain mod-inline" onClick={() => host.openNote(path)}>
                  {path}
                </button>
              )}
              <span>{error}</span>
            </li>
          ))}
          {more > 0 && <li>and {count(more)} more</li>}
        </ul>
      )}
    </>
  );
}

/** The states of the parts of the service, with an action for some. */
export function StateList() {
  const { host } = useUi();
  const backfill = useBackfill(() => status.reload());
  const status = useStatus(backfill.running);
  // The audit log is verified once and not after every change: that reads all of it, and no note affects its chain.
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
        <ul class="brain-card brain-divided brain-state">
          {!isReachable && <State row={unreachableRow(url)} onDone={status.reload} />}
          {isReachable && value !== null && (
            <>
              <State row={serverRow(value, url)} onDone={status.reload} />
              <SearchRow status={value} backfill={backfill} />
              {readingRows(value).map((row) => (
                <State key={row.title} row={row} onDone={status.reload} />
              ))}
              <State row={inboxRow(value)} onDone={status.reload} />
              {checkRows(value).map((row) => (
                <State key={row.title} row={row} onDone={status.reload} />
              ))}
            </>
          )}
          {isReachable && audit.value !== null && (
            <State row={auditRow(audit.value)} onDone={status.reload} />
          )}
        </ul>
      )}
      {!isKnown && error === null && <SkeletonLines lines={4} label="Reading the state" />}
    </section>
  );
}

function State(props: { readonly row: StateRow; readonly onDone: () => void }) {
  const { title, state, mark, words, more, isSetting, check } = props.row;
  return (
    <li>
      <i class={DOTS[state]} />
      <b class="brain-strong">
        {title}
        <span class="brain-sr">: {mark}</span>
      </b>
      {title === 'Server' ? (
        <Restart />
      ) : more === true ? (
        <Show of={title} />
      ) : isSetting === true ? (
        <SettingsButton />
      ) : title === 'Attachments' && check !== undefined ? (
        <Choice check={check} onDone={props.onDone} />
      ) : (
        <span />
      )}
      <p>{words}</p>
    </li>
  );
}

/** What may be chosen about the attachments: both ways while nobody has chosen. */
function Choice({ check, onDone }: { readonly check: Check; readonly onDone: () => void }) {
  const { name, state, message, action } = check;
  const both = ['read-attachments', 'leave-attachments'] as const;
  const actions = state === 'ok' ? both.filter((each) => each === action) : both;
  return (
    <span class="brain-row">
      {actions.map((each) => (
        <Remedy
          key={each}
          check={{ name, state, message, action: each }}
          class="brain-plain"
          onDone={onDone}
        />
      ))}
    </span>
  );
}

/** The button that opens the doctor. */
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

/** The button that opens the settings, if the host has them. */
function SettingsButton() {
  const { host } = useUi();
  if (host.openSettings === undefined) return <span />;
  return (
    <button type="button" class="brain-plain" onClick={() => host.openSettings?.()}>
      Settings
    </button>
  );
}

/** The button that restarts the server, if the host runs it. */
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
