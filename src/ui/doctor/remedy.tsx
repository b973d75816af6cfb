import { useEffect, useRef, useState } from 'preact/hooks';
import type { BrainClient, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { UiHost } from '../client/host';
import { asCallError } from '../kit/async';
import { CopyButton } from '../kit/controls';
import { FailureNotice } from '../kit/feedback';
import type { Check } from './report';

/** An action of the screen that remedies a check. */
interface Offer {
  readonly label: string;
  /** The label of the button while the action runs. */
  readonly working: string;
  readonly run: () => Promise<void>;
}

/** Returns the remedy of a check; null when it has none, or this host cannot run it. */
export function offerFor(
  { action }: Check,
  host: Pick<UiHost, 'go' | 'restartServer' | 'makeFolders' | 'openSettings'>,
  client: Pick<BrainClient, 'call'>,
): Offer | null {
  const { restartServer, makeFolders, openSettings } = host;
  const go = (label: string, run: () => void): Offer => ({ label, working: label, run: async () => run() });
  switch (action) {
    case undefined:
      return null;
    case 'restart-server':
      return restartServer === undefined
        ? null
        : { label: 'Restart the server', working: 'Restarting', run: () => restartServer() };
    case 'make-folders':
      return makeFolders === undefined
        ? null
        : { label: 'Make the folders', working: 'Making them', run: () => makeFolders() };
    case 'rebuild-index':
      return {
        label: 'Rebuild the maps',
        working: 'Rebuilding',
        run: async () => void (await client.call('index', {})),
      };
    case 'try-texts-again':
      return {
        label: 'Try again',
        working: 'Trying again',
        run: async () => void (await client.call('index', {})),
      };
    case 'read-attachments':
      return {
        label: 'Have them searched',
        working: 'Starting',
        run: async () => void (await client.call('chooseAttachments', { read: true })),
      };
    case 'leave-attachments':
      return {
        label: 'Leave them out',
        working: 'Forgetting them',
        run: async () => void (await client.call('chooseAttachments', { read: false })),
      };
    case 'mend-links':
      return {
        label: 'Have the links follow',
        working: 'Mending them',
        run: async () => void (await client.call('mendLinks', {})),
      };
    case 'open-settings':
      return openSettings === undefined ? null : go('Open the settings', () => openSettings());
    case 'open-connect':
      return go('Connect an agent', () => host.go('connect'));
    case 'open-audit':
      return go('Open the audit log', () => host.go('audit'));
  }
}

/** The remedy of a check: a button if this host can run it, or a command to copy. */
export function Remedy(props: {
  readonly check: Check;
  readonly class?: string;
  /** Called after the remedy succeeds. */
  readonly onDone: () => void;
}) {
  const { check, onDone } = props;
  const { host, client } = useUi();
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const isMounted = useRef(true);
  useEffect(() => () => void (isMounted.current = false), []);
  const offer = offerFor(check, host, client);
  const { command } = check;
  if (offer === null && command === undefined) return null;
  const act = async (): Promise<void> => {
    if (offer === null || working) return;
    setWorking(true);
    setError(null);
    try {
      await offer.run();
      if (isMounted.current) onDone();
    } catch (thrown) {
      if (isMounted.current) setError(asCallError(thrown));
    } finally {
      if (isMounted.current) setWorking(false);
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
