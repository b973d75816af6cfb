import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../../core/registry/client';
import { UiProvider } from '../client/context';
import type { UiHost } from '../client/host';
import { type Connected, createHttpClient } from '../client/http';
import type { ScreenParams } from '../client/screens';
import { Icon } from '../kit/icons';
import { type Browser, createTheme, takeToken, typedToken } from './browser';
import {
  createLayerStack,
  formatRoute,
  Frame,
  Layers,
  type LayerStack,
  parseRoute,
  type WebRoute,
} from './frame';
import { shortQuote } from './note';

interface GatekeeperProps {
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
function Gatekeeper({ why, enter, onRefused }: GatekeeperProps) {
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
          <label for="brain-token-field">Token</label>
          <input
            id="brain-token-field"
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

/**
 * The web page as the screens' host. It has no editor and no place to insert a link into, and it manages no tokens: a
 * page that a browser shows must not be able to hand out access.
 */
function createWebHost(
  browser: Browser,
  client: BrainClient,
  layers: LayerStack,
  /** Told of a route that took the place of another one: the browser tells only of steps. */
  onReplaced: (route: WebRoute) => void,
): UiHost {
  const show = (route: WebRoute): void => browser.address.push(formatRoute(route));
  const host: UiHost = {
    kind: 'web',
    connection: { url: browser.url },
    openNote(path, options = {}) {
      const { newPane = false, heading, quote } = options;
      const params: ScreenParams = {
        path,
        ...(heading !== undefined && { heading }),
        ...(quote !== undefined && { quote: shortQuote(quote) }),
      };
      if (newPane) browser.address.openTab(formatRoute({ screen: 'note', params }));
      else show({ screen: 'note', params });
    },
    go(screen, params = {}, { replace = false } = {}) {
      const route = { screen, params };
      if (!replace) return show(route);
      browser.address.replace(formatRoute(route));
      onReplaced(route);
    },
    copy: (text) => browser.copy(text),
    openLayer: (title, content, onClose) =>
      layers.open(title, <UiProvider value={{ client, host }}>{content}</UiProvider>, onClose),
    preferences: browser.preferences,
    session: browser.session,
    now: () => browser.now(),
  };
  return host;
}

/** Whether the page may show anything yet, and why not. */
type Gate = 'checking' | 'open' | 'none' | 'refused';

/**
 * The whole web page: the screens behind a token. When the server stops taking the token, the question for another one
 * covers the screens but leaves them as they are, so that nothing typed is lost.
 */
export function WebPage({ browser }: { browser: Browser }) {
  const [gate, setGate] = useState<Gate>('checking');
  const [entered, setEntered] = useState(false);
  const [connected, setConnected] = useState<Connected>('yes');
  const [start] = useState(() => startOf(browser));
  const [route, setRoute] = useState<WebRoute>(start.route);
  const now = useRef(route);
  now.current = route;
  const { client, host, theme, tokens, layers } = useMemo(() => {
    const held = { token: browser.token.get() };
    const http = createHttpClient({
      url: browser.url,
      token: () => held.token,
      fetch: browser.fetch,
      pace: browser.pace,
      onAnswer(answer) {
        setConnected(answer);
        if (answer === 'unauthorized') setGate(held.token === null ? 'none' : 'refused');
      },
    });
    const stack = createLayerStack();
    return {
      layers: stack,
      tokens: held,
      client: http,
      host: createWebHost(browser, http, stack, setRoute),
      theme: createTheme(browser.theme),
    };
  }, [browser]);

  /** Takes a token once the server has; until then the one that is held stays. @throws CallError as the server answers. */
  const enter = async (token: string | null): Promise<void> => {
    if (token !== tokens.token) {
      const { url, fetch, pace } = browser;
      await createHttpClient({ url, fetch, pace, token: () => token }).check();
      tokens.token = token;
    }
    await client.check();
    if (token !== null) browser.token.set(token);
    setGate('open');
    setEntered(true);
  };

  useEffect(() => {
    /** Tries one after the other; the last one that is refused is asked for anew. */
    const begin = async (candidates: readonly (string | null)[]): Promise<void> => {
      for (const token of candidates) {
        try {
          return await enter(token);
        } catch (error) {
          if (!(error instanceof CallError)) throw error;
          if (error.code === 'unauthorized') continue;
          // The screens show what is wrong, and the token may be right.
          tokens.token ??= token;
          setGate('open');
          setEntered(true);
          return;
        }
      }
      setGate(candidates.every((token) => token === null) ? 'none' : 'refused');
    };
    /** Goes where the address leads; the token that it carries, if any. */
    const arrive = (): string | null => {
      const taken = takeToken(browser.address, formatRoute(now.current));
      const next = parseRoute(browser.address.hash);
      // What lies above a screen belongs to what that shows, and would act on it from anywhere.
      if (formatRoute(next) !== formatRoute(now.current)) layers.closeAll();
      setRoute(next);
      return taken?.token ?? null;
    };
    browser.address.onChange(() => {
      // A link of a new run, opened in this very tab: its token takes over when it is good, and the screen stays.
      const token = arrive();
      if (token !== null) void begin(tokens.token === null ? [token] : [token, tokens.token]);
    });
    // The address may have changed after the first drawing and before anybody listened.
    const candidates = [arrive(), start.token, tokens.token].filter((token) => token !== null);
    void begin(candidates.length === 0 ? [null] : candidates);
  }, [browser]);

  const asks = gate === 'none' || gate === 'refused';
  return (
    <>
      {entered && (
        <Frame
          browser={browser}
          client={client}
          host={host}
          theme={theme}
          route={route}
          connected={connected}
          hidden={asks}
        />
      )}
      {entered && <Layers stack={layers} hidden={asks} />}
      {asks && <Gatekeeper why={gate} enter={enter} onRefused={() => setGate('refused')} />}
    </>
  );
}

/** What the address with which the page was opened asks for, and the token that was in it. */
function startOf(browser: Browser): { readonly route: WebRoute; readonly token: string | null } {
  const taken = takeToken(browser.address, formatRoute({ screen: 'home', params: {} }));
  return { route: parseRoute(browser.address.hash), token: taken?.token ?? null };
}
