import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../client';
import { useUi } from '../context';
import { CopyButton } from '../parts/copy-button';
import { FailureNotice } from '../parts/problem';
import { asCallError } from '../parts/use-async';
import { offerFor } from './offers';
import type { Check } from './report';

/** What can be done about a check without leaving the screen: a button where this host can, a command to copy. */
export function Remedy(props: {
  readonly check: Check;
  readonly class?: string;
  /** Called after something was done. */
  readonly onDone: () => void;
}) {
  const { check, onDone } = props;
  const { host, client } = useUi();
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const stands = useRef(true);
  useEffect(() => () => void (stands.current = false), []);
  const offer = offerFor(check, host, client);
  const { command } = check;
  if (offer === null && command === undefined) return null;
  const act = async (): Promise<void> => {
    if (offer === null || working) return;
    setWorking(true);
    setError(null);
    try {
      await offer.run();
      if (stands.current) onDone();
    } catch (thrown) {
      if (stands.current) setError(asCallError(thrown));
    } finally {
      if (stands.current) setWorking(false);
    }
  };
  return (
    <div class="brain-row">
      {offer !== null && (
        <button
          type="button"
          class={props.class ?? 'brain-action'}
          aria-disabled={working}
          onClick={() => void act()}
        >
          {working ? offer.working : offer.label}
        </button>
      )}
      {command !== undefined && (
        <>
          <span class="brain-cmd">
            <code class="brain-cut" title={command}>
              {command}
            </code>
          </span>
          <CopyButton text={command}>Copy the command</CopyButton>
        </>
      )}
      {error !== null && <FailureNotice error={error} />}
    </div>
  );
}
