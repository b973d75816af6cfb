import { useState } from 'preact/hooks';
import { tokenNameFault } from '../../core/access/token-name';
import type { TokenLimits } from '../../core/access/tokens';
import type { CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { TokenAdmin } from '../client/host';
import { asCallError } from '../kit/async';
import { ActionButton, CopyButton, Segments } from '../kit/controls';
import { FailureNotice, Notice } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { moment } from '../kit/words';
import { type Agent, type AgentName, type ScopeName, type Setup, tokenCommand } from './agents';
import type { MadeToken, Tokens } from './tokens';

/** The mask of a hidden token. */
const MASK = '•'.repeat(28);

interface SetupBoxProps {
  readonly agent: Agent;
  readonly setup: Setup;
  readonly onForm: (form: string) => void;
  /** The token, or a placeholder where this host cannot create one. */
  readonly token: string;
  readonly isSecret: boolean;
}

/** The configuration of an agent, to copy. It masks the token until the person shows it. The copy contains the token. */
function SetupBox({ agent, setup, onForm, token, isSecret }: SetupBoxProps) {
  const { connection } = useUi().host;
  const [shown, setShown] = useState(false);
  const visible = isSecret && !shown ? `${MASK}${token.slice(-4)}` : token;
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
      {setup.note !== undefined && <p class="brain-small brain-muted brain-prose">{setup.note}</p>}
    </div>
  );
}

/** The placeholder of the token in a configuration. */
const PLACEHOLDER = '<token>';

/** The steps on a page that cannot create tokens: the command that creates one, and the configuration. */
export function ByCommand(props: {
  readonly agent: Agent;
  readonly setup: Setup;
  readonly onForm: (form: string) => void;
  readonly name: string;
  readonly scopes: readonly ScopeName[];
  /** Null while a field has an error. */
  readonly limits: TokenLimits | null;
}) {
  const { agent, setup, onForm, name, scopes, limits } = props;
  const { host } = useUi();
  const command = limits === null ? null : tokenCommand(name, scopes, limits);
  const isNamed = tokenNameFault(name) === null;
  return (
    <>
      <section class="brain-step">
        <h2>Make its token in a terminal</h2>
        <div class="brain-codebox">
          <div class="brain-row">
            <span class="brain-push" />
            {command === null ? (
              <ActionButton icon="copy" disabled>
                Copy
              </ActionButton>
            ) : (
              <CopyButton text={command} class="brain-action">
                Copy
              </CopyButton>
            )}
          </div>
          {command === null ? (
            <p class="brain-muted">
              {!isNamed
                ? 'The command stands here once the name can be used.'
                : limits === null
                  ? 'The command stands here once the limits can be used.'
                  : 'The command stands here once the token may do something.'}
            </p>
          ) : (
            <pre class="brain-code" tabIndex={0} aria-label="Command that makes the token">
              {command}
            </pre>
          )}
          <p class="brain-small brain-muted brain-prose">
            {host.kind === 'web'
              ? 'Tokens are made on the machine of the server and never on a web page.'
              : `Tokens for ${host.connection.url} are made on its own machine.`}{' '}
            The command prints the token once. In a clone of Brain Server, say{' '}
            <code>node dist/brain.mjs</code> instead of <code>brain</code>.
          </p>
        </div>
      </section>
      <section class="brain-step">
        <h2>{setup.title}</h2>
        <SetupBox agent={agent} setup={setup} onForm={onForm} token={PLACEHOLDER} isSecret={false} />
        <p class="brain-small brain-muted brain-prose">
          Put the token where it says {PLACEHOLDER}. What there is, and what may go:{' '}
          <code>brain token list</code> and <code>brain token revoke {isNamed ? name : '<name>'}</code>.
        </p>
      </section>
    </>
  );
}

interface ByTokenProps {
  readonly agent: Agent;
  readonly setup: Setup;
  readonly onForm: (form: string) => void;
  readonly admin: TokenAdmin;
  readonly agentName: AgentName;
  readonly name: string;
  readonly scopes: readonly ScopeName[];
  /** Null while a field has an error. */
  readonly limits: TokenLimits | null;
  readonly tokens: Tokens;
  /** The token of this agent and name; null until it is created. */
  readonly made: MadeToken | null;
  readonly onMade: (made: MadeToken) => void;
  readonly onNameProblem: (problem: string) => void;
}

/** The steps on a host that creates tokens: the button, the configuration with the token, and a sign of the first call. */
export function ByToken(props: ByTokenProps) {
  const { agent, setup, onForm, admin, agentName, name, scopes, limits, tokens, made } = props;
  const { onMade, onNameProblem } = props;
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);

  const isMakeable = scopes.length > 0 && limits !== null && tokenNameFault(name) === null;
  const make = async (): Promise<void> => {
    if (working || !isMakeable || limits === null) return;
    setWorking(true);
    setError(null);
    try {
      onMade({ agent: agentName, name, text: await admin.add(name, scopes, limits) });
      await tokens.reload();
    } catch (thrown) {
      const failure = asCallError(thrown);
      if (failure.details.field === 'name') onNameProblem(failure.message);
      else setError(failure);
    } finally {
      setWorking(false);
    }
  };

  if (made === null) {
    return (
      <section class="brain-step">
        <h2>Make its token</h2>
        <div class="brain-codebox">
          <div class="brain-row">
            <button
              type="button"
              class="mod-cta"
              disabled={!isMakeable}
              aria-disabled={working}
              onClick={() => void make()}
            >
              {working ? 'Making the token' : `Make a token for ${agent.title}`}
            </button>
          </div>
          <p class="brain-small brain-muted brain-prose">
            It is shown once, inside the configuration of the agent, and kept nowhere in readable form.
          </p>
          {error !== null && <FailureNotice error={error} />}
        </div>
      </section>
    );
  }
  return (
    <>
      <section class="brain-step">
        <h2>{setup.title}</h2>
        <SetupBox agent={agent} setup={setup} onForm={onForm} token={made.text} isSecret />
        <p class="brain-small brain-muted brain-prose">
          Copying includes the token. It cannot be shown again after you leave this screen.
        </p>
      </section>
      <section class="brain-step">
        <h2>Wait for its first call</h2>
        <FirstCall name={made.name} tokens={tokens} />
      </section>
    </>
  );
}

function FirstCall({ name, tokens }: { readonly name: string; readonly tokens: Tokens }) {
  const used = tokens.list?.find((token) => token.name === name)?.last_used;
  if (used !== undefined) {
    return (
      <Notice icon="circle-check">
        <b class="brain-strong">{name}</b> is connected. Its first call came on {moment(used)}.
      </Notice>
    );
  }
  return (
    <Notice icon="hourglass">
      Waiting for <b class="brain-strong">{name}</b>. Ask the agent: “What does my brain know about backups?”
    </Notice>
  );
}
