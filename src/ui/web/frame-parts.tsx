import type { Connected } from '../http-client';
import { Flag } from '../parts/flag';
import { Icon } from '../parts/icon';
import { count } from '../parts/words';
import { SCREENS, type ScreenName } from '../screens';
import { formatRoute, type WebRoute } from './route';
import { NEXT_THEME, type ThemeChoice } from './theme';
import type { StateLine } from './use-state-line';

/** The history of a note is opened from that note, so the list leaves it out. */
const LISTED: readonly ScreenName[] = ['home', 'queue', 'search', 'audit', 'pass-rates', 'connect', 'doctor'];

export interface NavProps {
  readonly route: WebRoute;
  readonly line: StateLine;
  readonly connected: Connected;
  /** The server as a person knows it: `127.0.0.1:27246`. */
  readonly address: string;
  readonly onChoose: () => void;
}

/** The list of screens, and at its foot how the server is. */
export function Nav({ route, line, connected, address, onChoose }: NavProps) {
  return (
    <nav class="brain-web-nav" id="brain-screens" aria-label="Screens">
      <div class="brain-web-name">Brain Server</div>
      <ul>
        {LISTED.map((screen) => (
          <li key={screen}>
            <a
              href={formatRoute({ screen, params: {} })}
              aria-current={screen === route.screen ? 'page' : undefined}
              onClick={onChoose}
            >
              <Icon name={SCREENS[screen].icon} />
              {SCREENS[screen].title}
              <Count screen={screen} line={line} />
            </a>
          </li>
        ))}
      </ul>
      <div class="brain-web-foot">
        <span class="brain-web-state">
          <i class={`brain-dot ${connected === 'unreachable' ? 'mod-red' : 'mod-green'}`} />
          {stateWords(connected, line)}
        </span>
        <span>{address}</span>
      </div>
    </nav>
  );
}

function Count({ screen, line }: { screen: ScreenName; line: StateLine }) {
  if (screen === 'queue' && line.pending !== undefined && line.pending > 0) {
    return (
      <span class="brain-count">
        {count(line.pending)}
        <span class="brain-sr"> waiting</span>
      </span>
    );
  }
  if (screen === 'doctor' && line.failing !== undefined && line.failing > 0) {
    return (
      <span class="brain-count">
        {line.failing}
        <span class="brain-sr"> {line.failing === 1 ? 'check fails' : 'checks fail'}</span>
      </span>
    );
  }
  return null;
}

function stateWords(connected: Connected, { version }: StateLine): string {
  if (connected === 'unreachable') return 'Not reachable';
  return version === undefined ? 'Running' : `Running, version ${version}`;
}

export interface HeadProps {
  readonly title: string;
  readonly connected: Connected;
  readonly menuOpen: boolean;
  readonly onMenu: () => void;
  readonly theme: ThemeChoice;
  readonly onTheme: (choice: ThemeChoice) => void;
  readonly onKeys: () => void;
}

const THEMES = {
  system: { icon: 'monitor', words: 'Theme: follow the system' },
  light: { icon: 'sun', words: 'Theme: light' },
  dark: { icon: 'moon', words: 'Theme: dark' },
} as const;

/** The bar above the screen. */
export function Head({ title, connected, menuOpen, onMenu, theme, onTheme, onKeys }: HeadProps) {
  return (
    <header class="brain-web-head">
      <button
        type="button"
        class="clickable-icon brain-web-menu"
        aria-label="Screens"
        aria-expanded={menuOpen}
        aria-controls="brain-screens"
        onClick={onMenu}
      >
        <Icon name="panel-left" />
      </button>
      <span aria-hidden="true">{title}</span>
      <span class="brain-push brain-row">
        <span role="status">
          {connected === 'unreachable' && (
            <Flag icon="circle-alert" tone="red">
              Not reachable
            </Flag>
          )}
        </span>
        <button type="button" class="clickable-icon" aria-label="Keys" onClick={onKeys}>
          <Icon name="keyboard" />
        </button>
        <button
          type="button"
          class="clickable-icon"
          aria-label={THEMES[theme].words}
          title={THEMES[theme].words}
          onClick={() => onTheme(NEXT_THEME[theme])}
        >
          <Icon name={THEMES[theme].icon} />
        </button>
      </span>
    </header>
  );
}
