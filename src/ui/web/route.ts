import { SCREENS, type ScreenName, type ScreenParams } from '../screens';

/** What the web page shows: a screen, or a note to be read. */
export interface WebRoute {
  readonly screen: ScreenName | 'note';
  readonly params: ScreenParams;
}

/** The fragment of the address that stands for a route: `#/queue?path=raw%2Fa.md`. */
export function formatRoute({ screen, params }: WebRoute): string {
  const query = new URLSearchParams(params).toString();
  return `#/${screen}${query === '' ? '' : `?${query}`}`;
}

/** The route that a fragment stands for; home when it stands for none. */
export function parseRoute(fragment: string): WebRoute {
  const [, name = '', query = ''] = /^#\/([a-z-]+)(?:\?(.*))?$/s.exec(fragment) ?? [];
  if (!isShown(name)) return { screen: 'home', params: {} };
  return { screen: name, params: Object.fromEntries(new URLSearchParams(query)) };
}

function isShown(name: string): name is WebRoute['screen'] {
  return name === 'note' || Object.hasOwn(SCREENS, name);
}

/** What a route is called in the head of the page and in the tab of the browser. */
export function titleOf({ screen }: WebRoute): string {
  return screen === 'note' ? 'Note' : SCREENS[screen].title;
}
