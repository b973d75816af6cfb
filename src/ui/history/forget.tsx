import { useState } from 'preact/hooks';
import type { Answer } from '../../core/registry/client';
import { type UiContext, useUi } from '../client/context';
import { useAct, useCall } from '../kit/async';
import { Check, TextField } from '../kit/controls';
import { FailureNotice, Notice, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { counted } from '../kit/words';

/** The most notes of a kind that are named; their number is always told. */
const MAX_NAMED = 5;
/** What is told of the file. */
const FILES = {
  removed: 'Its file goes',
  kept: 'Its file stays, as it is yours',
  gone: 'Its file is gone already',
} as const;

/** Opens the layer where a person has a note forgotten; `onDone` is called once it is. */
export function openForget({ host }: Pick<UiContext, 'host'>, path: string, onDone: () => void): void {
  const close = host.openLayer(
    'Forget this note',
    <ForgetForm
      path={path}
      close={() => close()}
      onDone={() => {
        close();
        onDone();
      }}
    />,
  );
}

/** Shows what goes with a note and what stays, asks for its title and a reason, and removes it for good. */
function ForgetForm(props: {
  readonly path: string;
  readonly close: () => void;
  readonly onDone: () => void;
}) {
  const { path, close, onDone } = props;
  const { client } = useUi();
  const [original, setOriginal] = useState(false);
  const [title, setTitle] = useState('');
  const [reason, setReason] = useState('');
  const looked = useCall('forget', { path, original, dry_run: true }, { keep: true });
  const seen = looked.value;
  const act = useAct(
    async () => {
      if (seen === null) return;
      const ask = { path, original, reason: reason.trim(), plan: seen.plan };
      await client.call('forget', ask).then(onDone, (error: unknown) => {
        looked.reload();
        throw error;
      });
    },
    () => undefined,
  );
  if (seen === null)
    return looked.error === null ? (
      <SkeletonLines lines={4} label="Looking what goes with the note" />
    ) : (
      <FailureNotice error={looked.error} />
    );
  const isNamed = title.trim() === seen.title.trim();
  return (
    <form
      class="brain-ask"
      onSubmit={(event) => {
        event.preventDefault();
        if (isNamed && reason.trim() !== '') act.run();
      }}
    >
      <Goes seen={seen} />
      {seen.original !== undefined && seen.original_of.length > 0 && (
        <Check
          checked={original}
          title="Its original too"
          help={`${counted(seen.original_of.length, 'other note')} came of the same document`}
          onChange={setOriginal}
        />
      )}
      <Notice tone="amber">
        It cannot be taken back. The service does not reach {seen.elsewhere.unreachable.join('; ')}.
      </Notice>
      <TextField label="Why, without naming the note" value={reason} onInput={setReason} />
      <TextField label={`Its title, to be sure: ${seen.title}`} value={title} onInput={setTitle} />
      {act.error !== null && <FailureNotice error={act.error} isChange />}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="mod-warning" disabled={act.working || !isNamed || reason.trim() === ''}>
          <Icon name={act.working ? 'loader-circle' : 'trash'} />
          {act.working ? 'Forgetting' : 'Forget for good'}
        </button>
      </div>
    </form>
  );
}

/** What goes with a note, and what stays. */
function Goes({ seen }: { readonly seen: Answer<'forget'> }) {
  const { file, versions, shared, original, original_goes: goes, linked_from: links, others } = seen;
  return (
    <ul class="brain-small">
      <li>
        {FILES[file]}. Its place in searches, answers and logs goes
        {versions > 0 && `, with ${counted(versions, 'older version')}`}.
      </li>
      {original !== undefined && (
        <li>{goes ? `Its original goes: ${original}.` : `Its original stays: ${original}.`}</li>
      )}
      {links.length > 0 && <li>The links of {named(links)} become text.</li>}
      {shared.length > 0 && <li>{counted(shared.length, 'text')} stays, as it is elsewhere too.</li>}
      {others.length > 0 && <li>Words of it stay in {named(others.map((other) => other.title))}.</li>}
      {seen.elsewhere.devices > 0 && (
        <li>
          {counted(seen.elsewhere.devices, 'other device')} will do the same when the service runs there.
        </li>
      )}
      {seen.warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  );
}

function named(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
