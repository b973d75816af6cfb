import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CallError } from '../../core/registry/client';
import { UiProvider } from '../client/context';
import type { UiHost } from '../client/host';
import { type Connected, createHttpClient, type HttpClient } from '../client/http';
import type { ScreenParams } from '../client/screens';
import { shortQuote } from '../note/screen';
import { AccessLayer, Gatekeeper } from './access';
import { type Browser, createTheme, takeToken, type Theme } from './browser';
import {
  createLayerStack,
  formatRoute,
  Frame,
  Layers,
  type LayerStack,
  parseRoute,
  type WebRoute,
} from './frame';
import { GO_HELP } from './palette';

/**
 * Creates the host of the screens on the web page. It has no editor, so it inserts no links. It manages no tokens, for a page
 * in a browser must not hand out access.
 */
function createWebHost(
  browser: Browser,
  client: HttpClient,
  layers: LayerStack,
  /** Called with a route that replaces another. The browser has no event for that. */
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
    ingestFile: (name, file) => client.sendFile('ingestFile', { name, background: true }, file),
    sendPart: (ask, part) => client.sendFile('sendBatchFile', ask, part),
    imageUrl: async (path) => URL.createObjectURL(await client.readFile('file', { path })),
    copy: (text) => browser.copy(text),
    openLayer: (title, content, onClose) =>
      layers.open(title, <UiProvider value={{ client, host }}>{content}</UiProvider>, onClose),
    preferences: browser.preferences,
    sharedKeys: [GO_HELP],
    session: browser.session,
    now: () => browser.now(),
  };
  return host;
}

/** The state of the page: checking its tokens, open, without a token, or with one that the server refused. */
type Gate = 'checking' | 'open' | 'none' | 'refused';

/** The parts of the page that are created once. */
interface Page {
  readonly client: HttpClient;
  readonly host: UiHost;
  readonly theme: Theme;
  readonly layers: LayerStack;
  /** The token that the client sends. */
  readonly credential: { token: string | null };
}

function createPage(
  browser: Browser,
  /** Called after every request with its outcome and the token of the page. */
  onAnswer: (answer: Connected, token: string | null) => void,
  onReplaced: (route: WebRoute) => void,
): Page {
  const credential = { token: browser.token.get() };
  const client = createHttpClient({
    url: browser.url,
    token: () => credential.token,
    fetch: browser.fetch,
    pace: browser.pace,
    onAnswer: (answer) => onAnswer(answer, credential.token),
  });
  const layers = createLayerStack();
  return {
    client,
    host: createWebHost(browser, client, layers, onReplaced),
    theme: createTheme(browser.theme),
    layers,
    credential,
  };
}

/** Makes a token that the server accepts the page's own. Keeps the previous one otherwise. @throws CallError of the server. */
async function acceptToken(
  browser: Browser,
  page: Page,
  token: string | null,
  remember?: boolean,
): Promise<void> {
  if (token !== page.credential.token) {
    const { url, fetch, pace } = browser;
    await createHttpClient({ url, fetch, pace, token: () => token }).check();
    page.credential.token = token;
  }
  await page.client.check();
  if (token !== null) browser.token.set(token, remember);
}

/** Tries tokens in order until the server accepts one. Returns the next state of the page. */
async function tryTokens(
  browser: Browser,
  page: Page,
  candidates: readonly (string | null)[],
): Promise<Gate> {
  for (const token of candidates) {
    try {
      await acceptToken(browser, page, token);
      return 'open';
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.code === 'unauthorized') continue;
      // The screens show the error. The token may be valid.
      page.credential.token ??= token;
      return 'open';
    }
  }
  return candidates.every((token) => token === null) ? 'none' : 'refused';
}

/**
 * The whole web page: the screens behind a token. When the server refuses the token later, the form for another one covers
 * the screens and leaves them as they are, so that nothing typed is lost.
 */
export function WebPage({ browser }: { browser: Browser }) {
  const [gate, setGate] = useState<Gate>('checking');
  const [entered, setEntered] = useState(false);
  const [connected, setConnected] = useState<Connected>('yes');
  const [start] = useState(() => readAddress(browser));
  const [route, setRoute] = useState<WebRoute>(start.route);
  const shown = useRef(route);
  shown.current = route;
  const page = useMemo(() => {
    const onAnswer = (answer: Connected, token: string | null): void => {
      setConnected(answer);
      if (answer === 'unauthorized') setGate(token === null ? 'none' : 'refused');
    };
    return createPage(browser, onAnswer, setRoute);
  }, [browser]);
  const { client, host, theme, layers, credential } = page;

  const changeGate = (next: Gate): void => {
    setGate(next);
    if (next === 'open') setEntered(true);
  };
  const enter = async (token: string, remember: boolean): Promise<void> => {
    await acceptToken(browser, page, token, remember);
    changeGate('open');
  };
  /** Leaves nothing of the notes on the page. */
  const leave = (): void => {
    layers.closeAll();
    credential.token = null;
    setEntered(false);
    setGate('none');
  };

  useEffect(() => {
    const begin = async (candidates: readonly (string | null)[]): Promise<void> =>
      changeGate(await tryTokens(browser, page, candidates));
    /** Shows the route in the address. Returns the token that the address carries; null for none. */
    const arrive = (): string | null => {
      const taken = takeToken(browser.address, formatRoute(shown.current));
      const next = parseRoute(browser.address.hash);
      // A layer belongs to what its screen shows, and would act on that from any other screen.
      if (formatRoute(next) !== formatRoute(shown.current)) layers.closeAll();
      setRoute(next);
      return taken?.token ?? null;
    };
    browser.address.onChange(() => {
      // The link of a restarted server was opened in this tab: its token takes over when it is valid, and the screen stays.
      const token = arrive();
      if (token !== null) void begin(credential.token === null ? [token] : [token, credential.token]);
    });
    browser.token.onForgotten(leave);
    // The address may have changed between the first rendering and the subscription.
    const candidates = [arrive(), start.token, credential.token].filter((token) => token !== null);
    void begin(candidates.length === 0 ? [null] : candidates);
  }, [browser]);

  const needsToken = gate === 'none' || gate === 'refused';
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
          hidden={needsToken}
          onAccess={() => showAccess(browser, page, leave)}
        />
      )}
      {entered && <Layers stack={layers} hidden={needsToken} />}
      {needsToken && (
        <Gatekeeper
          why={gate}
          remembered={browser.token.isRemembered()}
          enter={enter}
          onRefused={() => setGate('refused')}
        />
      )}
    </>
  );
}

/** Shows the layer about the token. `onLeft` is called when the person has signed out. */
function showAccess({ token: storage }: Browser, { host, credential }: Page, onLeft: () => void): void {
  const signOut = (): void => {
    storage.forget();
    onLeft();
  };
  host.openLayer(
    'Token on this device',
    <AccessLayer storage={storage} token={credential.token} onSignOut={signOut} />,
  );
}

/** Reads the route and the token from the address with which the page was opened. Removes the token from the address. */
function readAddress(browser: Browser): { readonly route: WebRoute; readonly token: string | null } {
  const taken = takeToken(browser.address, formatRoute({ screen: 'home', params: {} }));
  return { route: parseRoute(browser.address.hash), token: taken?.token ?? null };
}
