import { useState } from 'preact/hooks';
import { CallError } from '../../core/registry/client';
import { Check } from '../kit/controls';
import { Icon } from '../kit/icons';
import { useFirstFocus } from '../kit/keys';
import { parseToken, type TokenStorage } from './browser';

const REMEMBER = 'Remember on this device';
const REMEMBER_HELP =
  'New tabs and bookmarks then open without asking, for everyone who uses this browser. Otherwise the token stays in this tab and is forgotten with it.';

interface GatekeeperProps {
  /** The reason for the form: the page has no token, or the server refused it. */
  readonly why: 'none' | 'refused';
  /** True when the device kept the token so far. */
  readonly remembered: boolean;
  /** Opens the page with a token. @throws CallError when the server refuses it or does not answer. */
  readonly enter: (token: string, remember: boolean) => Promise<void>;
  /** Called when the server refuses a token that was entered here. */
  readonly onRefused: () => void;
}

const WORDS = {
  none: {
    title: 'This page needs a token',
    text: 'It shows your notes and decides about them, so the server answers only to someone who has a token of its owner.',
  },
  refused: {
    title: 'This token was not accepted',
    text: 'A link that the server prints holds until it stops; after a new start it prints another one.',
  },
} as const;

/** A first visit begins with an empty field, which is no mistake. */
const EMPTY = 'Paste the token here first.';
const UNKNOWN = 'The server does not know this token.';

/** The form that asks for a token. */
export function Gatekeeper({ why, remembered, enter, onRefused }: GatekeeperProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [trying, setTrying] = useState(false);
  const [remember, setRemember] = useState(remembered);
  const field = useFirstFocus<HTMLInputElement>();

  const submit = async (): Promise<void> => {
    const typed = field.current?.value.trim() ?? '';
    if (trying) return;
    setTrying(true);
    try {
      const token = parseToken(typed);
      if (typed === '') setProblem(EMPTY);
      else if (token === null) setProblem(UNKNOWN);
      else await enter(token, remember);
    } catch (error) {
      setProblem(problemText(error));
      if (error instanceof CallError && error.code === 'unauthorized') onRefused();
    } finally {
      setTrying(false);
      field.current?.focus();
    }
  };

  return (
    <main class="brain-screen brain-gatekeeper">
      <div>
        <h1>{WORDS[why].title}</h1>
        <p class="brain-muted">{WORDS[why].text}</p>
        <form
          class="brain-field"
          id="brain-enter"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <label for="brain-token-field">Token</label>
          <input
            id="brain-token-field"
            ref={field}
            type="password"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={problem !== null && problem !== EMPTY}
            aria-describedby={problem === null ? undefined : 'brain-token-problem'}
            onInput={() => setProblem(null)}
          />
          {problem !== null && (
            <div
              id="brain-token-problem"
              role="alert"
              class={problem === EMPTY ? 'brain-row brain-small' : 'brain-problem'}
            >
              <Icon name="circle-alert" />
              <span>{problem}</span>
            </div>
          )}
        </form>
        <Check checked={remember} title={REMEMBER} help={REMEMBER_HELP} onChange={setRemember} />
        <div class="brain-buttons">
          <button type="submit" form="brain-enter" class="mod-cta" aria-disabled={trying}>
            {trying ? 'Opening' : 'Open the brain'}
            <kbd class="brain-kbd" aria-hidden="true">
              ↵
            </kbd>
          </button>
        </div>
        <p class="brain-small brain-muted">
          Where to find it: <span class="brain-mono">brain serve</span> prints a link that carries one into a
          terminal, and <span class="brain-mono">brain token show</span> prints the owner’s.
        </p>
      </div>
    </main>
  );
}

function problemText(error: unknown): string {
  if (!(error instanceof CallError)) throw error;
  if (error.code === 'unauthorized') return UNKNOWN;
  return error.message;
}

/** The choice whether the device keeps the token, and the button that makes it forget everything. */
export function AccessLayer(props: {
  readonly storage: TokenStorage;
  /** The token of the page; null where the server asks for none. */
  readonly token: string | null;
  readonly onSignOut: () => void;
}) {
  const { storage, token, onSignOut } = props;
  const [remember, setRemember] = useState(storage.isRemembered());
  if (token === null) return <p class="brain-ask">This server asks for no token.</p>;
  return (
    <div class="brain-ask">
      <Check
        checked={remember}
        title={REMEMBER}
        help={REMEMBER_HELP}
        onChange={(next) => {
          storage.set(token, next);
          setRemember(next);
        }}
      />
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={onSignOut}>
          <Icon name="log-out" />
          Sign out and forget the token
        </button>
      </div>
    </div>
  );
}
