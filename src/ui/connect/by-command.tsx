import { CopyButton } from '../parts/copy-button';
import { Icon } from '../parts/icon';
import type { Agent, Setup } from './agents';
import { type ScopeName, tokenCommand } from './scopes';
import { SetupBox } from './setup-box';
import { tokenNameFault } from '../../core/rules/token-name';

/** Stands in a file where the token goes. */
const PLACE = '<token>';

/** For a page that may not make tokens: the command that makes one, and the configuration to put it into. */
export function ByCommand(props: {
  readonly agent: Agent;
  readonly setup: Setup;
  readonly onForm: (form: string) => void;
  readonly name: string;
  readonly scopes: readonly ScopeName[];
}) {
  const { agent, setup, onForm, name, scopes } = props;
  const command = tokenCommand(name, scopes);
  const isNamed = tokenNameFault(name) === null;
  return (
    <>
      <section class="brain-step">
        <h2>Make its token in a terminal</h2>
        <div class="brain-codebox">
          <div class="brain-row">
            <span class="brain-push" />
            {command === null ? (
              <button type="button" class="brain-action" disabled>
                <Icon name="copy" />
                Copy
              </button>
            ) : (
              <CopyButton text={command} class="brain-action">
                Copy
              </CopyButton>
            )}
          </div>
          {command === null ? (
            <p class="brain-muted">
              {isNamed
                ? 'The command stands here once the token may do something.'
                : 'The command stands here once the name can be used.'}
            </p>
          ) : (
            <pre class="brain-code" tabIndex={0} aria-label="Command that makes the token">
              {command}
            </pre>
          )}
          <p class="brain-small brain-muted brain-step-note">
            Tokens are made on the machine of the server and never on a web page. The command prints the token
            once. In a clone of Brain Server, say <code>node dist/brain.mjs</code> instead of{' '}
            <code>brain</code>.
          </p>
        </div>
      </section>
      <section class="brain-step">
        <h2>{setup.title}</h2>
        <SetupBox agent={agent} setup={setup} onForm={onForm} token={PLACE} isSecret={false} />
        <p class="brain-small brain-muted brain-step-note">
          Put the token where it says {PLACE}. What there is, and what may go: <code>brain token list</code>{' '}
          and <code>brain token revoke {isNamed ? name : '<name>'}</code>.
        </p>
      </section>
    </>
  );
}
