import type { BrainClient } from '../client';
import { UiProvider } from '../context';
import type { UiHost } from '../host';
import type { ScreenParams } from '../screens';
import type { Browser } from './browser';
import type { LayerStack } from './layers';
import { shortQuote } from './go-to-quote';
import { formatRoute, type WebRoute } from './route';

/**
 * The web page as the screens' host. It has no editor and no place to insert a link into, and it manages no tokens: a
 * page that a browser shows must not be able to hand out access.
 */
export function createWebHost(
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
