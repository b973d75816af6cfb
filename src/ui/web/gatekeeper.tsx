import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from '../client';
import { Icon } from '../parts/icon';
import { typedToken } from './page-token';

export interface GatekeeperProps {
  /** Why the page cannot go on: it has no token, or the server did not take the one it has. */
  readonly why: 'none' | 'refused';
  /** Tries a token. @throws CallError when the server does not take it, or does not answer. */
  readonly enter: (token: string) => Promise<void>;
  /** Told when the server did not take one that was tried here. */
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

const UNKNOWN = 'The server does not know this token.';

/** Asks for the token, and says in which way it was not enough. */
export function Gatekeeper({ why, enter, onRefused }: GatekeeperProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [trying, setTrying] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);

  const submit = async (): Promise<void> => {
    const typed = field.current?.value.trim() ?? '';
    if (trying) return;
    setTrying(true);
    try {
      const token = typedToken(typed);
      if (typed === '') setProblem('Paste the token here first.');
      else if (token === null) setProblem(UNKNOWN);
      else await enter(token);
    } catch (error) {
      setProblem(problemOf(error));
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
          <label for="brain-token">Token</label>
          <input
            id="brain-token"
            ref={field}
            type="password"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={problem !== null}
            aria-describedby={problem === null ? undefined : 'brain-token-problem'}
            onInput={() => setProblem(null)}
          />
          {problem !== null && (
            <div id="brain-token-problem" role="alert" class="brain-problem">
              <Icon name="circle-alert" />
              <span>{problem}</span>
            </div>
          )}
        </form>
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
          terminal, and <span class="brain-mono">brain token show</span> prints the owner’s. It is kept in
          this tab only and forgotten when you close it.
        </p>
      </div>
    </main>
  );
}

function problemOf(error: unknown): string {
  if (!(error instanceof CallError)) throw error;
  if (error.code === 'unauthorized') return UNKNOWN;
  return error.message;
}
