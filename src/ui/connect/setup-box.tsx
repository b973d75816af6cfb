import { useState } from 'preact/hooks';
import { useUi } from '../context';
import { CopyButton } from '../parts/copy-button';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { Segments } from '../parts/segments';
import type { Agent, Setup } from './agents';

/** Stands where the token is not shown, and where a person has to put theirs. */
const HIDDEN = '•'.repeat(28);

export interface SetupBoxProps {
  readonly agent: Agent;
  readonly setup: Setup;
  readonly onForm: (form: string) => void;
  /** The token, or what stands for it where this host may not make one. */
  readonly token: string;
  readonly isSecret: boolean;
}

/** The text to copy for an agent. A token is masked until the person wants to see it; copying always takes it along. */
export function SetupBox({ agent, setup, onForm, token, isSecret }: SetupBoxProps) {
  const { connection } = useUi().host;
  const [shown, setShown] = useState(false);
  const visible = isSecret && !shown ? `${HIDDEN}${token.slice(-4)}` : token;
  return (
    <div class="brain-codebox">
      <div class="brain-row mod-wrap">
        {agent.setups.length > 1 && (
          <Segments
            label="Form"
            value={setup.form}
            options={agent.setups.map(({ form }) => ({ value: form, label: form }))}
            onChange={onForm}
          />
        )}
        <span class="brain-push" />
        {isSecret && (
          <button type="button" class="brain-plain" onClick={() => setShown(!shown)}>
            <Icon name={shown ? 'eye-off' : 'eye'} />
            {shown ? 'Hide token' : 'Show token'}
          </button>
        )}
        <CopyButton text={setup.text(connection, token)} class="mod-cta brain-action">
          Copy
          <Key>Y</Key>
        </CopyButton>
      </div>
      <pre class="brain-code" tabIndex={0} aria-label={setup.title}>
        {setup.text(connection, visible)}
      </pre>
      {setup.note !== undefined && <p class="brain-small brain-muted brain-step-note">{setup.note}</p>}
    </div>
  );
}
