import { useState } from 'preact/hooks';
import type { CallError } from '../client';
import { useUi } from '../context';
import type { TokenAdmin, TokenEntry } from '../host';
import { FailureNotice } from '../parts/problem';
import { asCallError } from '../parts/use-async';
import { age, counted, day } from '../parts/words';
import type { Tokens } from './use-tokens';

/** Tokens that the service made for itself; without them the person would lock themselves out. */
const OWN_TOKENS: readonly string[] = ['owner', 'bridge'];

/** Every token with what it may do and when it was last used; all but the service's own can be revoked. */
export function TokenList({ tokens, admin }: { readonly tokens: Tokens; readonly admin: TokenAdmin }) {
  const { list, error } = tokens;
  return (
    <aside class="brain-tokens" aria-label="Connected agents">
      <div class="brain-bar">
        <h2>Agents</h2>
        <span class="brain-count">{list !== null && counted(list.length, 'token')}</span>
      </div>
      {error !== null && <FailureNotice error={error} />}
      <ul class="brain-scroll" tabIndex={0} aria-label="Tokens">
        {list?.map((token) => (
          <Token
            key={token.name}
            token={token}
            revoke={async () => {
              await admin.revoke(token.name);
              await tokens.reload();
            }}
          />
        ))}
      </ul>
    </aside>
  );
}

function Token({ token, revoke }: { readonly token: TokenEntry; readonly revoke: () => Promise<void> }) {
  const { host } = useUi();
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const { name, scopes } = token;
  const isOwn = OWN_TOKENS.includes(name);
  const confirm = async (): Promise<void> => {
    try {
      await revoke();
    } catch (thrown) {
      setError(asCallError(thrown));
    }
  };
  return (
    <li class="brain-token">
      <b class="brain-strong brain-cut" title={name}>
        {name}
      </b>
      {isOwn || asking ? (
        <span />
      ) : (
        <button
          type="button"
          class="brain-plain"
          aria-label={`Revoke ${name}`}
          onClick={() => setAsking(true)}
        >
          Revoke
        </button>
      )}
      <p>{lifeWords(token, isOwn, host.now())}</p>
      <div class="brain-row mod-wrap mod-tight">
        {scopes.map((scope) => (
          <span key={scope} class="brain-flag mod-word">
            {scope}
          </span>
        ))}
      </div>
      {asking && (
        <div class="brain-token-ask" role="group" aria-label={`Revoke ${name}`}>
          <p>What uses it is refused from now on. This cannot be undone.</p>
          <div class="brain-row">
            <button
              type="button"
              class="brain-action mod-warning"
              ref={(button) => button?.focus()}
              onClick={() => void confirm()}
            >
              Revoke {name}
            </button>
            <button type="button" class="brain-action" onClick={() => setAsking(false)}>
              Keep
            </button>
          </div>
          {error !== null && <FailureNotice error={error} />}
        </div>
      )}
    </li>
  );
}

function lifeWords({ last_used: used, created_at: made }: TokenEntry, isOwn: boolean, now: Date): string {
  const origin = isOwn ? 'made by the service itself' : `made on ${day(made)}`;
  if (used === undefined) return `Never used, ${origin}`;
  const ago = age(used, now);
  return `Last call ${ago === 'now' ? 'just now' : `${ago} ago`}, ${origin}`;
}
