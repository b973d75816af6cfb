/** The screens, in the order in which the web page lists them; `note`, `neighbours` and `history` open from a note. */
export const SCREENS = {
  home: { title: 'Home', icon: 'house' },
  queue: { title: 'Review queue', icon: 'inbox' },
  imports: { title: 'Imports', icon: 'folder-input' },
  rules: { title: 'Rules', icon: 'list-checks' },
  stale: { title: 'Stale claims', icon: 'hourglass' },
  search: { title: 'Search', icon: 'search' },
  note: { title: 'Note', icon: 'file-text' },
  neighbours: { title: 'Neighbours', icon: 'git-fork' },
  history: { title: 'Note history', icon: 'history' },
  audit: { title: 'Audit', icon: 'scroll-text' },
  'pass-rates': { title: 'Pass rates', icon: 'chart-line' },
  connect: { title: 'Connect an agent', icon: 'plug' },
  doctor: { title: 'Doctor', icon: 'stethoscope' },
} as const;

export type ScreenName = keyof typeof SCREENS;

/** The names of the screens, in the same order. */
export const SCREEN_NAMES = Object.keys(SCREENS) as readonly ScreenName[]; // The type of Object.keys is string[].

/** The parameters of a screen, all text, so that they fit into a link: `{ path: 'raw/2026-11-14-mtu.md' }`. */
export type ScreenParams = Readonly<Record<string, string>>;
