import { type ScreenName, type ScreenParams, SCREENS } from '../ui/screens';

/** What a link may say about where a screen opens. Anything else in it is ignored: a link never fills in a decision. */
const PARAMS = [
  'path',
  'hash',
  'q',
  'wing',
  'hall',
  'raw',
  'agent',
  'tool',
  'time',
  'note',
  'skill',
] as const;

/** The screen that `obsidian://brain-server?screen=queue&path=raw/…` asks for; null when there is none of that name. */
export function readDeepLink(
  link: Readonly<Record<string, string | undefined>>,
): { readonly screen: ScreenName; readonly params: ScreenParams } | null {
  const { screen = 'home' } = link;
  if (!isScreen(screen)) return null;
  const given = PARAMS.flatMap((name) => {
    const value = link[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { screen, params: Object.fromEntries(given) };
}

function isScreen(name: string): name is ScreenName {
  return Object.hasOwn(SCREENS, name);
}
