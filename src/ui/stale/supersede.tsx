import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../../core/registry/client';
import { useUi } from '../client/context';
import { useAct } from '../kit/async';
import { Field, TextField } from '../kit/controls';
import { FailureNotice, Notice } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { useKept } from '../kit/kept';
import { isSubmitOfText } from '../kit/keys';

/**
 * Edits the text of a note in place: what it says becomes a version, and the new text counts from now. The service refuses when the
 * note has changed since it was read.
 */
export function SupersedeForm(props: {
  readonly note: Answer<'note'>;
  readonly close: () => void;
  readonly onDone: (answer: Answer<'update'>) => void;
}) {
  const { note, close, onDone } = props;
  const { client } = useUi();
  const [kept, keep, wasKept] = useKept(`supersede ${note.path}`);
  const text = kept?.text ?? note.body;
  const base = kept?.base ?? note.content_hash;
  const setText = (now: string): void => keep(now === note.body ? null : { base, text: now });
  const [reason, setReason] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isReady = text.trim() !== '' && text !== note.body && reason.trim() !== '';

  const { working, error, run } = useAct(
    async () => {
      const ask = { path: note.path, content: text, reason: reason.trim(), expected_hash: note.content_hash };
      const answer = await client.call('update', ask);
      keep(null);
      close();
      onDone(answer);
    },
    () => undefined,
  );
  const supersede = (): void => {
    if (isReady) run();
  };
  return (
    <form
      class="brain-ask"
      onSubmit={(event) => {
        event.preventDefault();
        supersede();
      }}
      onKeyDown={(event) => {
        // In a field of one line Enter submits the form by itself.
        if (isSubmitOfText(event)) supersede();
      }}
    >
      {wasKept && kept !== null && (
        <Notice icon="history">
          Your unsaved text from before is here.
          {base !== note.content_hash && ' The claim has changed since you began it.'}{' '}
          <button type="button" class="brain-plain" onClick={() => keep(null)}>
            Discard it
          </button>
        </Notice>
      )}
      <Field label="What holds now">
        {(control) => (
          <textarea
            {...control}
            ref={field}
            rows={14}
            readOnly={working}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <TextField label="Reason" value={reason} placeholder="What has changed" onInput={setReason} />
      {error !== null && <FailureNotice error={error}>Nothing was changed.</FailureNotice>}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="mod-cta" disabled={working || !isReady}>
          <Icon name={working ? 'loader-circle' : 'check'} />
          {working ? 'Superseding' : 'Supersede'}
        </button>
      </div>
    </form>
  );
}
