import { useEffect, useState } from 'preact/hooks';
import type { CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { TokenAdmin, TokenEntry } from '../client/host';
import { asCallError } from '../kit/async';
import { FailureNotice } from '../kit/feedback';
import { age, counted, day } from '../kit/words';
import type { AgentName } from './agents';
import { limitWords } from './limits';

/** A token that this screen created. Its text exists nowhere else, and is lost when the screen closes. */
export interface MadeToken {
  readonly agent: AgentName;
  readonly name: string;
  readonly text: string;
}

export interface Tokens {
  /** Null until it is loaded. */
  readonly list: readonly TokenEntry[] | null;
  readonly error: CallError | null;
  reload(): Promise<void>;
}

const EVERY_MS = 3_000;

/** Loads the tokens, if the host manages them, and polls them while `watching`. */
export function useTokens(watching: boolean): Tokens {
  const { tokens } = useUi().host;
  const [list, setList] = useState<readonly TokenEntry[] | null>(null);
  const [error, setError] = useState<CallError | null>(null);

  const reload = async (): Promise<void> => {
    if (tokens === undefined) return;
    try {
      setList(await tokens.list());
      setError(null);
    } catch (thrown) {
      setError(asCallError(thrown));
    }
  };
  useEffect(() => {
    let timer: number | undefined;
    let current = true;
    const round = async (): Promise<void> => {
      await reload();
      if (current && watching) timer = window.setTimeout(() => void round(), EVERY_MS);
    };
    void round();
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [tokens, watching]);
  return { list, error, reload };
}

/** The tokens of the service itself. Revoking them would lock the person out. */
const OWN_TOKENS: readonly string[] = ['owner', 'bridge'];

/** The list of tokens with their scopes and last uses. All but the service's own can be revoked. */
export function TokenList({ tokens, admin }: { readonly tokens: Tokens; readonly admin: TokenAdmin }) {
  const { list, error } = tokens;
  return (
    <aside class="brain-tokens" aria-label="Connected agents">
      <div class="brain-bar">
        <h2>Agents</h2>
        <span class="brain-count">{list !== null && counted(list.length, 'token')}</span>
      </div>
      {error !== null && <FailureNotice error={error} />}
      <ul class="brain-divided brain-scroll" tabIndex={0} aria-label="Tokens">
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
  const limits = limitWords(token);
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
      <p>{lastUseWords(token, isOwn, host.now())}</p>
      <div class="brain-row mod-wrap mod-tight">
        {scopes.map((scope) => (
          <span key={scope} class="brain-flag mod-word">
            {scope}
          </span>
        ))}
      </div>
      {limits !== null && <p>{limits}</p>}
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

function lastUseWords({ last_used: used, created_at: made }: TokenEntry, isOwn: boolean, now: Date): string {
  const origin = isOwn ? 'made by the service itself' : `made on ${day(made)}`;
  if (used === undefined) return `Never used, ${origin}`;
  const ago = age(used, now);
  return `Last call ${ago === 'now' ? 'just now' : `${ago} ago`}, ${origin}`;
}
