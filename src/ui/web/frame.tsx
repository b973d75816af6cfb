import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BrainClient } from '../../core/registry/client';
import { type Mounted, mountScreen } from '../app/mount';
import { UiProvider } from '../client/context';
import type { UiHost } from '../client/host';
import type { Connected } from '../client/http';
import { SCREEN_NAMES, type ScreenName, type ScreenParams, SCREENS } from '../client/screens';
import { Check, IconButton } from '../kit/controls';
import { Flag } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { commandsIn, KeyHelp, type KeyHelpGroup, swallowHeldKey } from '../kit/keys';
import { count } from '../kit/words';
import { NoteScreen } from '../note/screen';
import { type Browser, NEXT_THEME, type Theme, type ThemeChoice } from './browser';
import { GO_HELP, openPalette, usePageKeys } from './palette';
import { type StateLine, useStateLine } from './state-line';

/** A location of the web page. */
export interface WebRoute {
  readonly screen: ScreenName;
  readonly params: ScreenParams;
}

/** Formats a route as a fragment: `#/queue?path=raw%2Fa.md`. */
export function formatRoute({ screen, params }: WebRoute): string {
  const query = new URLSearchParams(params).toString();
  return `#/${screen}${query === '' ? '' : `?${query}`}`;
}

/** Parses a fragment. An invalid one is the home screen. */
export function parseRoute(fragment: string): WebRoute {
  const [, name = '', query = ''] = /^#\/([a-z-]+)(?:\?(.*))?$/s.exec(fragment) ?? [];
  if (!isRouteName(name)) return { screen: 'home', params: {} };
  return { screen: name, params: Object.fromEntries(new URLSearchParams(query)) };
}

function isRouteName(name: string): name is ScreenName {
  return Object.hasOwn(SCREENS, name);
}

/** Returns the title of a route, for the header and the tab of the browser. */
export function titleOf({ screen }: WebRoute): string {
  return SCREENS[screen].title;
}

/** The screens in the navigation. The others open from a note. */
const FROM_A_NOTE: readonly ScreenName[] = ['note', 'neighbours', 'history'];
const LISTED = SCREEN_NAMES.filter((name) => !FROM_A_NOTE.includes(name));

interface NavProps {
  readonly route: WebRoute;
  readonly line: StateLine;
  readonly connected: Connected;
  /** The host and port of the server: `127.0.0.1:27246`. */
  readonly address: string;
  readonly onChoose: () => void;
}

/** The navigation, with the state of the server at its foot. */
function Nav({ route, line, connected, address, onChoose }: NavProps) {
  return (
    <nav class="brain-web-nav" id="brain-screens" aria-label="Screens">
      <div class="brain-web-name">Brain Server</div>
      <ul>
        {LISTED.map((screen) => (
          <li key={screen}>
            <a
              href={formatRoute({ screen, params: {} })}
              aria-current={screen === route.screen ? 'page' : undefined}
              title={SCREENS[screen].title}
              onClick={onChoose}
            >
              <Icon name={SCREENS[screen].icon} />
              <span class="brain-web-label">{SCREENS[screen].title}</span>
              <Count screen={screen} line={line} />
            </a>
          </li>
        ))}
      </ul>
      <div class="brain-web-foot">
        <span class="brain-row mod-close" title={`${stateWords(connected, line)}, ${address}`}>
          <i class={`brain-dot ${connected === 'unreachable' ? 'mod-red' : 'mod-green'}`} />
          <span class="brain-web-label">{stateWords(connected, line)}</span>
        </span>
        <span>{address}</span>
      </div>
    </nav>
  );
}

function Count({ screen, line }: { screen: ScreenName; line: StateLine }) {
  if (screen === 'queue' && line.pending !== undefined && line.pending > 0) {
    return (
      <span class="brain-count brain-push">
        {count(line.pending)}
        <span class="brain-sr"> waiting</span>
      </span>
    );
  }
  if (screen === 'doctor' && line.failing !== undefined && line.failing > 0) {
    return (
      <span class="brain-count brain-push">
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

interface HeaderProps {
  readonly title: string;
  readonly connected: Connected;
  readonly menuOpen: boolean;
  readonly onMenu: () => void;
  readonly theme: ThemeChoice;
  readonly onTheme: (choice: ThemeChoice) => void;
  readonly onKeys: () => void;
  readonly onPalette: () => void;
  readonly onAccess: () => void;
}

const THEMES = {
  system: { icon: 'monitor', words: 'Theme: follow the system' },
  light: { icon: 'sun', words: 'Theme: light' },
  dark: { icon: 'moon', words: 'Theme: dark' },
} as const;

/** The header of the page. */
function Header({
  title,
  connected,
  menuOpen,
  onMenu,
  theme,
  onTheme,
  onKeys,
  onPalette,
  onAccess,
}: HeaderProps) {
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
        <IconButton icon="search" label="Go to or do" title="Go to or do (Ctrl+K)" onClick={onPalette} />
        <IconButton icon="keyboard" label="Keys" title="Keys" onClick={onKeys} />
        <IconButton
          icon={THEMES[theme].icon}
          label={THEMES[theme].words}
          title={THEMES[theme].words}
          onClick={() => onTheme(NEXT_THEME[theme])}
        />
        <IconButton icon="lock" label="Token and sign-out" title="Token and sign-out" onClick={onAccess} />
      </span>
    </header>
  );
}

const SHARED_KEYS: readonly KeyHelpGroup[] = [
  {
    title: 'On every screen',
    lines: [
      { label: 'Move', keys: ['J', 'K'] },
      { label: 'Open', keys: ['↵'] },
      { label: 'Filter or search', keys: ['/'] },
      { label: 'Next panel', keys: ['F6'] },
    ],
  },
  {
    title: 'The page',
    lines: [
      { label: 'All keys of the screen', keys: ['?'] },
      { label: 'Close, go back, leave a field', keys: ['Esc'] },
    ],
  },
];

/** The keys that all screens share, and the switch for single-letter keys. */
function KeysLayer({ preferences }: { readonly preferences: UiHost['preferences'] }) {
  const [on, setOn] = useState(preferences.get('keys') !== 'off');
  return (
    <>
      <KeyHelp groups={[...SHARED_KEYS, GO_HELP]} />
      <div class="brain-prompt-foot">
        <Check
          checked={on}
          title="Use single letters as keys"
          onChange={(next) => {
            preferences.set('keys', next ? 'on' : 'off');
            setOn(next);
          }}
        />
      </div>
    </>
  );
}

interface StageProps {
  readonly client: BrainClient;
  readonly host: UiHost;
  readonly screen: ScreenName;
  readonly params: ScreenParams;
}

/** Shows a screen, and focuses its heading when the screen changes. */
function Stage({ client, host, screen, params }: StageProps) {
  const container = useRef<HTMLDivElement>(null);
  const mounted = useRef<Mounted | null>(null);
  const shown = useRef<ScreenName | null>(null);

  useEffect(() => {
    if (container.current === null) return;
    if (mounted.current === null)
      mounted.current = mountScreen(container.current, { client, host }, screen, params);
    else mounted.current.show(screen, params);
    if (shown.current !== screen) focusHeading(container.current);
    shown.current = screen;
  });
  useEffect(() => () => mounted.current?.unmount(), []);

  return <div class="brain-web-stage" ref={container} />;
}

/** Focuses the heading: a screen reader reads it, and the keys of the screen work at once. */
function focusHeading(container: HTMLElement): void {
  const heading = container.querySelector('h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

interface FrameProps {
  readonly browser: Browser;
  readonly client: BrainClient;
  readonly host: UiHost;
  readonly theme: Theme;
  readonly route: WebRoute;
  readonly connected: Connected;
  /** True while the form for a token covers the page, whose state is kept. */
  readonly hidden: boolean;
  /** Shows the layer about the token. */
  readonly onAccess: () => void;
}

/** The frame of the web page: the navigation, the header, and the screen. */
export function Frame({ browser, client, host, theme, route, connected, hidden, onAccess }: FrameProps) {
  const [menuOpen, setMenuOpen] = useState(false);
  const [choice, setChoice] = useState(theme.choice());
  // The status is loaded again when the doctor opens or closes, and when the server is reachable again.
  const occasion = `${route.screen === 'doctor'} ${connected === 'unreachable'} ${hidden}`;
  const line = useStateLine(client, browser.pace, occasion);
  const main = useRef<HTMLElement>(null);
  const title = titleOf(route);
  const [noteTitle, setNoteTitle] = useState('');
  const tabTitle = route.screen === 'note' && noteTitle !== '' ? noteTitle : title;
  const waiting = line.pending === undefined || line.pending === 0 ? '' : `(${count(line.pending)}) `;

  useEffect(() => {
    browser.document.title = `${waiting}${tabTitle} · Brain Server`;
  }, [browser, tabTitle, waiting]);
  useEffect(() => setMenuOpen(false), [route]);
  const notePath = route.screen === 'note' ? route.params.path : undefined;
  useEffect(() => {
    if (notePath !== undefined && main.current !== null) focusHeading(main.current);
  }, [notePath]);

  const closeMenu = (): void => setMenuOpen(false);
  const showPalette = (): void =>
    openPalette({ client, host }, main.current === null ? [] : commandsIn(main.current));
  usePageKeys({
    document: browser.document,
    isOff: hidden,
    onPalette: showPalette,
    onGo: (screen) => host.go(screen),
    hasLetters: () => host.preferences.get('keys') !== 'off',
  });
  return (
    <div
      class={menuOpen ? 'brain-web is-open' : 'brain-web'}
      hidden={hidden}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menuOpen) return;
        closeMenu();
        event.currentTarget.querySelector<HTMLElement>('.brain-web-menu')?.focus();
      }}
    >
      <Nav
        route={route}
        line={line}
        connected={connected}
        address={new URL(browser.url).host}
        onChoose={closeMenu}
      />
      <Header
        title={title}
        connected={connected}
        menuOpen={menuOpen}
        onMenu={() => setMenuOpen(!menuOpen)}
        theme={choice}
        onTheme={(next) => {
          theme.choose(next);
          setChoice(next);
        }}
        onPalette={showPalette}
        onAccess={onAccess}
        onKeys={() => void host.openLayer('Keys', <KeysLayer preferences={host.preferences} />)}
      />
      <main class="brain-web-main" ref={main}>
        {route.screen === 'note' ? (
          <UiProvider value={{ client, host }}>
            <div class="brain-screen">
              <NoteScreen params={route.params} onTitle={setNoteTitle} />
            </div>
          </UiProvider>
        ) : (
          <Stage client={client} host={host} screen={route.screen} params={route.params} />
        )}
      </main>
    </div>
  );
}

interface Layer {
  readonly id: number;
  readonly title: string;
  readonly content: ComponentChildren;
  /** Closes the layer, and runs its `onClose` once. */
  readonly close: () => void;
}

/** The stack of open layers, the top one last. */
export interface LayerStack {
  /** Shows a layer. Returns a function that closes it. `onClose` runs once, however the layer is closed. */
  open(title: string, content: ComponentChildren, onClose?: () => void): () => void;
  /** Closes all layers from the top, when their screen is left. */
  closeAll(): void;
  layers(): readonly Layer[];
  /** Calls `listener` when a layer opens or closes. Returns a function that unsubscribes. */
  listen(listener: () => void): () => void;
}

export function createLayerStack(): LayerStack {
  let layers: readonly Layer[] = [];
  let last = 0;
  const listeners = new Set<() => void>();
  const update = (next: readonly Layer[]): void => {
    layers = next;
    for (const listener of listeners) listener();
  };
  return {
    layers: () => layers,
    closeAll() {
      for (const { close } of [...layers].reverse()) close();
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    open(title, content, onClose) {
      const id = ++last;
      const close = (): void => {
        if (!layers.some((layer) => layer.id === id)) return;
        update(layers.filter((layer) => layer.id !== id));
        onClose?.();
      };
      update([...layers, { id, title, content, close }]);
      return close;
    },
  };
}

/** Renders the layers. While `hidden`, they are closed and keep what was typed into them. */
export function Layers({ stack, hidden }: { readonly stack: LayerStack; readonly hidden: boolean }) {
  const [layers, setLayers] = useState(stack.layers());
  useEffect(() => stack.listen(() => setLayers(stack.layers())), [stack]);
  return (
    <>
      {layers.map((layer) => (
        <LayerDialog key={layer.id} layer={layer} hidden={hidden} />
      ))}
    </>
  );
}

interface DialogProps {
  readonly layer: Layer;
  readonly hidden: boolean;
}

/** A modal `dialog` element: the browser traps the focus, closes it on Escape, and restores the focus. */
function LayerDialog({ layer: { title, content, close }, hidden }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** The focused element when the layer was hidden. */
  const lastFocus = useRef<HTMLElement | null>(null);
  // A layout effect: what is in the layer gets the focus by its attribute `autofocus`, as nothing in a closed dialog can have it.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null || hidden) return undefined;
    element.showModal();
    const active = lastFocus.current;
    if (active?.isConnected === true) active.focus();
    return () => {
      lastFocus.current = element.querySelector<HTMLElement>(':focus');
      // `close` restores the focus. Removing the element would lose it.
      element.close();
    };
  }, [hidden]);
  useLayoutEffect(() => (dialog.current === null ? undefined : swallowHeldKey(dialog.current)), []);
  // The event comes later than the closing: the layer may be hidden or open again by then.
  const onClose = (): void => {
    if (!hidden && dialog.current?.open !== true) close();
  };
  return (
    <dialog
      ref={dialog}
      class="brain-layer"
      aria-label={title}
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div class="brain-sheet">
        <div class="brain-sheet-head">
          <h2>{title}</h2>
          <IconButton icon="x" label="Close" onClick={close} />
        </div>
        {content}
      </div>
    </dialog>
  );
}
