import { useEffect, useMemo, useState } from 'preact/hooks';
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
  const [route, setRoute] = useState<WebRoute>(() => startRoute(browser));
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
      host: createWebHost(browser, http, stack),
      theme: createTheme(browser.theme),
    };
  }, [browser]);

  const enter = async (token: string | null): Promise<void> => {
    tokens.token = token;
    await client.check();
    if (token !== null) browser.token.set(token);
    setGate('open');
    setEntered(true);
  };

  useEffect(() => {
    const start = (token: string | null): void => {
      void enter(token).catch((error: unknown) => {
        if (!(error instanceof CallError)) throw error;
        // The answer itself has asked for a token; anything else is shown by the screens.
        if (error.code !== 'unauthorized') openAnyway();
      });
    };
    const openAnyway = (): void => {
      setGate('open');
      setEntered(true);
    };
    let now = parseRoute(browser.address.hash);
    browser.address.onChange(() => {
      // A link of a new run, opened in this very tab: its token takes over, and the screen stays.
      if (takeToken(browser.address, browser.token, formatRoute(now))) start(browser.token.get());
      else {
        now = parseRoute(browser.address.hash);
        setRoute(now);
      }
    });
    start(tokens.token);
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
      {entered && !asks && <Layers stack={layers} />}
      {asks && <Gatekeeper why={gate} enter={enter} />}
    </>
  );
}

/** The route of the address with which the page was opened, whose token is taken out first. */
function startRoute(browser: Browser): WebRoute {
  takeToken(browser.address, browser.token, formatRoute({ screen: 'home', params: {} }));
  return parseRoute(browser.address.hash);
}
