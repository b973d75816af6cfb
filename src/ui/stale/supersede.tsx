import { useState } from 'preact/hooks';
import type { Answer, Ask } from '../../core/registry/client';
import { useUi } from '../client/context';
import { useAct } from '../kit/async';
import { Field, Menu, type MenuOption, TextField } from '../kit/controls';
import { FailureNotice, Notice } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { useKept } from '../kit/kept';
import { isSubmitOfText, useFirstFocus } from '../kit/keys';

type Provenance = NonNullable<Ask<'update'>['claim_provenance']>;
const PROVENANCES: Readonly<Record<Provenance, string>> = {
  asserted: 'A source says it',
  inferred: 'Its writer concludes it',
};
const PROVENANCE_VALUES = Object.keys(PROVENANCES) as readonly Provenance[]; // The type of Object.keys is string[].

const PROVENANCE_OPTIONS: readonly MenuOption<Provenance | ''>[] = [
  { value: '', label: 'Choose one' },
  ...PROVENANCE_VALUES.map((value) => ({ value, label: PROVENANCES[value] })),
];

/** Asks where a claim comes from. The service refuses to write a claim with a half-life that does not say so. */
function ProvenanceField(props: {
  readonly value: Provenance | null;
  readonly onChange: (value: Provenance | null) => void;
}) {
  const { value, onChange } = props;
  return (
    <Field label="Where it comes from" note="missing in the note">
      {(control) => (
        <Menu
          {...control}
          value={value ?? ''}
          options={PROVENANCE_OPTIONS}
          onChange={(one) => onChange(one === '' ? null : one)}
        />
      )}
    </Field>
  );
}

interface SupersedeProps {
  readonly note: Answer<'note'>;
  readonly close: () => void;
  readonly onDone: (answer: Answer<'update'>) => void;
}

/** Holds what is typed into the form, and sends it. The text outlives the form until it is sent. */
function useSupersede({ note, close, onDone }: SupersedeProps) {
  const { client } = useUi();
  const [kept, keep, wasKept] = useKept(`supersede ${note.path}`);
  const text = kept?.text ?? note.body;
  const base = kept?.base ?? note.content_hash;
  const [reason, setReason] = useState('');
  const asksProvenance = !PROVENANCE_VALUES.some((one) => one === note.frontmatter.claim_provenance);
  const [provenance, setProvenance] = useState<Provenance | null>(null);
  const isComplete = text.trim() !== '' && reason.trim() !== '' && (!asksProvenance || provenance !== null);
  const isReady = isComplete && text !== note.body;
  const { working, error, run } = useAct(
    async () => {
      const answer = await client.call('update', {
        path: note.path,
        content: text,
        reason: reason.trim(),
        expected_hash: note.content_hash,
        ...(asksProvenance && provenance !== null && { claim_provenance: provenance }),
      });
      keep(null);
      close();
      onDone(answer);
    },
    () => undefined,
  );
  return {
    text,
    setText: (now: string): void => keep(now === note.body ? null : { base, text: now }),
    discard: (): void => keep(null),
    /** True for a text that was typed before and not sent. */
    wasKept: wasKept && kept !== null,
    hasChanged: base !== note.content_hash,
    reason,
    setReason,
    asksProvenance,
    provenance,
    setProvenance,
    isReady,
    working,
    error,
    supersede: (): void => {
      if (isReady) run();
    },
  };
}

/**
 * Edits the text of a note in place: what it says becomes a version, and the new text counts from now. The service refuses when the
 * note has changed since it was read.
 */
export function SupersedeForm(props: SupersedeProps) {
  const form = useSupersede(props);
  const { supersede, working, error } = form;
  const field = useFirstFocus<HTMLTextAreaElement>();
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
      {form.wasKept && (
        <Notice icon="history">
          Your unsaved text from before is here.
          {form.hasChanged && ' The claim has changed since you began it.'}{' '}
          <button type="button" class="brain-plain" onClick={form.discard}>
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
            value={form.text}
            onInput={(event) => form.setText(event.currentTarget.value)}
          />
        )}
      </Field>
      {form.asksProvenance && <ProvenanceField value={form.provenance} onChange={form.setProvenance} />}
      <TextField label="Reason" value={form.reason} placeholder="What has changed" onInput={form.setReason} />
      {error !== null && (
        <FailureNotice error={error} isChange>
          {error.code === 'invalid_envelope' && 'Correct the properties in the file of the note first.'}
        </FailureNotice>
      )}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={props.close}>
          Cancel
        </button>
        <button type="submit" class="mod-cta" disabled={working || !form.isReady}>
          <Icon name={working ? 'loader-circle' : 'check'} />
          {working ? 'Superseding' : 'Supersede'}
        </button>
      </div>
    </form>
  );
}
