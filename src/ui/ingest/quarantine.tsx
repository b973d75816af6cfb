import { useState } from 'preact/hooks';
import type { Answer, CallError } from '../client';
import { useUi } from '../context';
import { Icon } from '../parts/icon';
import { FailureNotice } from '../parts/problem';
import { asCallError } from '../parts/use-async';
import { count, counted, moment } from '../parts/words';
import { nameOf } from './inbox-words';
import { useAct } from './use-act';

type Quarantined = Answer<'status'>['quarantine'][number];

/** So many files are shown before the person asks for all. */
const MAX_SHOWN = 10;

/** The files that could not be ingested, each with why and since when, to be tried again or looked at. */
export function Quarantine(props: { readonly files: readonly Quarantined[]; readonly onDone: () => void }) {
  const { files, onDone } = props;
  const { client } = useUi();
  const [all, setAll] = useState(false);
  const act = useAct(async () => {
    // One that cannot be put back, perhaps because it is gone by now, keeps no other one here.
    let first: CallError | null = null;
    for (const { path } of files) {
      try {
        await client.call('retryQuarantined', { path });
      } catch (error) {
        first ??= asCallError(error);
      }
    }
    if (first !== null) throw first;
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
      {code !== undefined && <span class="brain-small brain-muted brain-wide-only">{code}</span>}
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
