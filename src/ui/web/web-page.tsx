import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CallError } from '../client';
import { type Connected, createHttpClient } from '../http-client';
import type { Browser } from './browser';
import { Frame } from './frame';
import { Gatekeeper } from './gatekeeper';
import { createLayerStack, Layers } from './layers';
import { takeToken } from './page-token';
import { formatRoute, parseRoute, type WebRoute } from './route';
import { createTheme } from './theme';
import { createWebHost } from './web-host';

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
