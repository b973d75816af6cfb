import { useState } from 'preact/hooks';
import type { CallError } from '../client';
import type { TokenAdmin } from '../host';
import { FailureNotice } from '../parts/problem';
import { Notice } from '../parts/notice';
import { asCallError } from '../parts/use-async';
import { moment } from '../parts/words';
import type { Agent, AgentName, Setup } from './agents';
import type { MadeToken } from './made-token';
import type { ScopeName } from './scopes';
import { SetupBox } from './setup-box';
import { tokenNameFault } from '../../core/rules/token-name';
import type { Tokens } from './use-tokens';

export interface ByTokenProps {
  readonly agent: Agent;
  readonly setup: Setup;
  readonly onForm: (form: string) => void;
  readonly admin: TokenAdmin;
  readonly agentName: AgentName;
  readonly name: string;
  readonly scopes: readonly ScopeName[];
  readonly tokens: Tokens;
  /** The token for exactly this agent and name, once it is made. */
  readonly made: MadeToken | null;
  readonly onMade: (made: MadeToken) => void;
  readonly onNameProblem: (problem: string) => void;
}

/** For a host that makes tokens: one button, then the ready configuration, then a sign that the agent has called. */
export function ByToken(props: ByTokenProps) {
  const { agent, setup, onForm, admin, agentName, name, scopes, tokens, made, onMade, onNameProblem } = props;
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);

  const isMakeable = scopes.length > 0 && tokenNameFault(name) === null;
  const make = async (): Promise<void> => {
    if (working || !isMakeable) return;
    setWorking(true);
    setError(null);
    try {
      onMade({ agent: agentName, name, text: await admin.add(name, scopes) });
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
          <p class="brain-small brain-muted brain-step-note">
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
        <p class="brain-small brain-muted brain-step-note">
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
