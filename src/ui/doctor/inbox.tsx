import { useState } from 'preact/hooks';
import type { Answer, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { hasMore, leftByReason, nameOf, type Watcher, watchWords } from '../intake/inbox';
import { asCallError, type AsyncState, useAct } from '../kit/async';
import { errorWords } from '../kit/error-words';
import { FailureNotice, Progress } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { clock, count, counted, moment } from '../kit/words';

type Quarantined = Answer<'status'>['quarantine'][number];

/** The number of files that are shown at first. */
const MAX_SHOWN = 10;

/** The files in quarantine, each with its error and time, to be tried again or opened. */
function Quarantine(props: { readonly files: readonly Quarantined[]; readonly onDone: () => void }) {
  const { files, onDone } = props;
  const { client } = useUi();
  const [all, setAll] = useState(false);
  const act = useAct(async () => {
    // A file that cannot be moved back, for example because it is gone, does not stop the others.
    let firstError: CallError | null = null;
    for (const { path } of files) {
      try {
        await client.call('retryQuarantined', { path });
      } catch (error) {
        firstError ??= asCallError(error);
      }
    }
    if (firstError !== null) throw firstError;
  }, onDone);
  if (files.length === 0) return null;
  const shown = all ? files : files.slice(0, MAX_SHOWN);
  return (
    <>
      {files.length > 1 && (
        <div class="brain-row">
          <span class="brain-strong">{counted(files.length, 'file')} in quarantine</span>
          <span class="brain-push" />
          <button type="button" class="brain-plain" aria-disabled={act.working} onClick={act.run}>
            {act.working ? 'Trying' : 'Try all again'}
          </button>
        </div>
      )}
      {act.error !== null && <FailureNotice error={act.error} />}
      {shown.map((file) => (
        <QuarantinedFile key={file.path} file={file} onDone={onDone} />
      ))}
      {shown.length < files.length && (
        <div class="brain-row">
          <button type="button" class="brain-plain" onClick={() => setAll(true)}>
            Show {count(files.length - shown.length)} more
          </button>
        </div>
      )}
    </>
  );
}

function QuarantinedFile({ file, onDone }: { readonly file: Quarantined; readonly onDone: () => void }) {
  const { client, host } = useUi();
  const { path, code, message, at, attempts = 1 } = file;
  const name = nameOf(file.file ?? path);
  const act = useAct(async () => void (await client.call('retryQuarantined', { path })), onDone);
  return (
    <div class="brain-card brain-finding">
      <Icon name="triangle-alert" class="brain-warn" />
      <b class="brain-strong brain-cut" title={path}>
        <span class="brain-sr">In quarantine: </span>
        {name}
      </b>
      {code !== undefined && <span class="brain-small brain-muted brain-wide-only">{errorWords(code)}</span>}
      <p>{message ?? 'The note that said why is gone.'}</p>
      <p class="brain-small">
        {at !== undefined && `${moment(at)}, `}
        {attempts === 1 ? 'tried once' : `tried ${count(attempts)} times`}, now at {path}
      </p>
      <div class="brain-row">
        <button
          type="button"
          class="brain-action"
          aria-disabled={act.working}
          aria-label={`Try again: ${name}`}
          onClick={act.run}
        >
          {act.working ? 'Trying' : 'Try again'}
        </button>
        {host.openFile !== undefined && (
          <button
            type="button"
            class="brain-action"
            aria-label={`Open the file: ${name}`}
            onClick={() => host.openFile?.(path)}
          >
            Open the file
          </button>
        )}
      </div>
      {act.error !== null && <FailureNotice error={act.error} />}
    </div>
  );
}

/** The number of files of a kind that are named. */
const MAX_NAMED = 5;

/** The inbox and what a person can do about it. Renders nothing for an empty inbox. */
export function InboxSection({ status }: { readonly status: AsyncState<Answer<'status'>> }) {
  const { value, reload } = status;
  if (value === null || !hasMore(value)) return null;
  const { watcher, quarantine } = value;
  const { running } = watcher;
  return (
    <section aria-label="Inbox">
      <div class="brain-row">
        <h2 class="brain-heading">Inbox</h2>
        <span class="brain-count">{watchWords(watcher)}</span>
      </div>
      {running !== undefined && (
        <div class="brain-card brain-inbox-running">
          <Progress
            label={`Ingesting ${nameOf(running.file)}`}
            done={running.done}
            total={running.total}
            words={`${count(running.done + 1)} of ${count(running.total)}`}
          />
        </div>
      )}
      {watcher.waiting_count > 0 && <Waiting watcher={watcher} onDone={reload} />}
      <Quarantine files={quarantine} onDone={reload} />
      <Retrying watcher={watcher} />
      <Left watcher={watcher} />
    </section>
  );
}

function Waiting({ watcher, onDone }: { readonly watcher: Watcher; readonly onDone: () => void }) {
  const { client } = useUi();
  const { waiting, waiting_count: all, state, folder = 'inbox' } = watcher;
  const act = useAct(async () => void (await client.call('ingestInbox', {})), onDone);
  const files = all === 1 ? 'this file' : `these ${count(all)} files`;
  return (
    <div class="brain-card brain-finding">
      <Icon name="inbox" class="brain-muted" />
      <b class="brain-strong">
        {counted(all, 'file')} {all === 1 ? 'waits' : 'wait'} in {folder}
      </b>
      <p>
        {state === 'on'
          ? `${all === 1 ? 'It was' : 'They were'} there before the folder was watched. Nothing is taken until you ask for it.`
          : 'The folder is not watched on this device. Nothing is taken until you ask for it.'}
      </p>
      <Names paths={waiting} all={all} />
      <div class="brain-row">
        <button type="button" class="brain-action" aria-disabled={act.working} onClick={act.run}>
          {act.working ? 'Starting' : `Ingest ${files}`}
        </button>
      </div>
      {act.error !== null && <FailureNotice error={act.error} />}
    </div>
  );
}

function Retrying({ watcher: { retrying } }: { readonly watcher: Watcher }) {
  if (retrying.length === 0) return null;
  return (
    <div class="brain-card brain-finding">
      <Icon name="hourglass" class="brain-warn" />
      <b class="brain-strong">
        {counted(retrying.length, 'file')} {retrying.length === 1 ? 'is' : 'are'} tried again
      </b>
      <ul class="brain-inbox-names">
        {retrying.slice(0, MAX_NAMED).map(({ path, message, next_at: at }) => (
          <li key={path}>
            <b>{nameOf(path)}</b>, again at {clock(at)}: {message}
          </li>
        ))}
        <More of={retrying.length} />
      </ul>
    </div>
  );
}

function Left({ watcher }: { readonly watcher: Watcher }) {
  const { host } = useUi();
  const { left_count: all } = watcher;
  if (all === 0) return null;
  const groups = leftByReason(watcher);
  const isUnconverted = groups.some(({ reason }) => reason === 'no_converter');
  return (
    <div class="brain-card brain-finding">
      <Icon name="circle-minus" class="brain-muted" />
      <b class="brain-strong">
        {all === 1 ? '1 file stays where it is' : `${count(all)} files stay where they are`}
      </b>
      {groups.map(({ reason, words, paths }) => (
        <p key={reason}>
          {words}: {paths.slice(0, MAX_NAMED).map(nameOf).join(', ')}
          {paths.length > MAX_NAMED && ` and ${count(paths.length - MAX_NAMED)} more`}.
        </p>
      ))}
      {isUnconverted && host.openSettings !== undefined && (
        <div class="brain-row">
          <button type="button" class="brain-action" onClick={() => host.openSettings?.()}>
            Set a converter
          </button>
        </div>
      )}
    </div>
  );
}

function Names({ paths, all }: { readonly paths: readonly string[]; readonly all: number }) {
  return (
    <ul class="brain-inbox-names">
      {paths.slice(0, MAX_NAMED).map((path) => (
        <li key={path}>{path}</li>
      ))}
      {all > Math.min(paths.length, MAX_NAMED) && (
        <li>and {count(all - Math.min(paths.length, MAX_NAMED))} more</li>
      )}
    </ul>
  );
}

function More({ of }: { readonly of: number }) {
  return of > MAX_NAMED ? <li>and {count(of - MAX_NAMED)} more</li> : null;
}
