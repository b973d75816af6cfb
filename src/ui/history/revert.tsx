import { useState } from 'preact/hooks';
import type { Answer, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { asCallError } from '../kit/async';
import { TextField } from '../kit/controls';
import { FailureNotice, Notice } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { useFirstFocus } from '../kit/keys';
import { timeWords, type WholeVersion } from './versions';

/** The answer of the update; `unlinked` names the links of the old text that lead nowhere today. */
export type Reverted = Answer<'update'>;

/**
 * Asks for a confirmation, then makes an old text the present one. Nothing is lost: the present text becomes a version. The
 * service refuses when the note is not at the version `expected`.
 */
export function RevertForm(props: {
  readonly path: string;
  readonly version: WholeVersion;
  /** The hash of the note as the person saw it. */
  readonly expected: string;
  readonly close: () => void;
  readonly onDone: (reverted: Reverted) => void;
  /** Called when the note has changed meanwhile, so that the list behind the layer is read again. */
  readonly onStale: () => void;
}) {
  const { path, version, expected, close, onDone, onStale } = props;
  const { client } = useUi();
  const name = version.updated_at === undefined ? version.hash.slice(0, 8) : timeWords(version.updated_at);
  const [reason, setReason] = useState(`Reverted to the version of ${name}`);
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const button = useFirstFocus<HTMLButtonElement>();

  const revert = async (): Promise<void> => {
    setWorking(true);
    setError(null);
    try {
      const ask = { path, content: version.body, reason: reason.trim(), expected_hash: expected };
      const reverted = await client.call('update', ask);
      close();
      onDone(reverted);
    } catch (thrown) {
      const failure = asCallError(thrown);
      setError(failure);
      setWorking(false);
      if (failure.code === 'hash_mismatch') onStale();
    }
  };
  const isStale = error?.code === 'hash_mismatch';
  return (
    <form
      class="brain-ask"
      onSubmit={(event) => {
        event.preventDefault();
        void revert();
      }}
    >
      <p>
        The text of {name} comes back as a new version. The present text stays in the history, and the
        properties stay as they are.
      </p>
      <TextField
        label="Reason"
        value={reason}
        onInput={setReason}
        {...(reason.trim() === '' && { error: 'Say in a few words why' })}
      />
      {isStale && (
        <Notice tone="amber">
          The note has changed since you opened its history. Nothing was changed. Look at the newest version,
          then revert again.
        </Notice>
      )}
      {error !== null && !isStale && <FailureNotice error={error} isChange />}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={close}>
          {isStale ? 'Close' : 'Cancel'}
        </button>
        {!isStale && (
          <button
            ref={button}
            type="submit"
            class="mod-cta"
            disabled={working || reason.trim() === '' || reason.trim().length > 500}
          >
            <Icon name={working ? 'loader-circle' : 'undo-2'} />
            {working ? 'Reverting' : 'Revert'}
          </button>
        )}
      </div>
    </form>
  );
}
