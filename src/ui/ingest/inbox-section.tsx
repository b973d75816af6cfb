import type { Answer } from '../client';
import { useUi } from '../context';
import { Icon } from '../parts/icon';
import { Progress } from '../parts/progress';
import { FailureNotice } from '../parts/problem';
import { clock, count, counted } from '../parts/words';
import type { AsyncState } from '../parts/use-async';
import { hasMore, leftByReason, nameOf, type Watcher, watchWords } from './inbox-words';
import { Quarantine } from './quarantine';
import { useAct } from './use-act';

/** Most files of a kind that are named. */
const MAX_NAMED = 5;

/** What is in the inbox, as `status` says, and what a person can do about it; nothing while there is nothing. */
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
          ? 'They were there before the folder was watched, so nothing takes them by itself.'
          : 'Nothing watches the folder here, so nothing takes them by itself.'}
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
