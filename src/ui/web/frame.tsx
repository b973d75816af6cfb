import { useEffect, useRef, useState } from 'preact/hooks';
import type { BrainClient } from '../client';
import { UiProvider } from '../context';
import type { UiHost } from '../host';
import type { Connected } from '../http-client';
import type { Browser } from './browser';
import { Head, Nav } from './frame-parts';
import { KeysLayer } from './keys-layer';
import { NoteScreen } from './note-screen';
import { titleOf, type WebRoute } from './route';
import { focusHeading, Stage } from './stage';
import type { Theme } from './theme';
import { useStateLine } from './use-state-line';

export interface FrameProps {
  readonly browser: Browser;
  readonly client: BrainClient;
  readonly host: UiHost;
  readonly theme: Theme;
  readonly route: WebRoute;
  readonly connected: Connected;
  /** True while something else covers the page; everything stays as it is. */
  readonly hidden: boolean;
}

/** What stands around the screens in a browser: the list of screens, the bar above, and how the server is. */
export function Frame({ browser, client, host, theme, route, connected, hidden }: FrameProps) {
  const [menuOpen, setMenuOpen] = useState(false);
  const [choice, setChoice] = useState(theme.choice());
  // Occasions for another look: the doctor, where checks are put right, and a server that is there again.
  const occasion = `${route.screen === 'doctor'} ${connected === 'unreachable'} ${hidden}`;
  const line = useStateLine(client, browser.pace, occasion);
  const main = useRef<HTMLElement>(null);
  const title = titleOf(route);

  useEffect(() => {
    browser.document.title = `${title} · Brain Server`;
  }, [browser, title]);
  useEffect(() => setMenuOpen(false), [route]);
  const notePath = route.screen === 'note' ? route.params.path : undefined;
  useEffect(() => {
    if (notePath !== undefined && main.current !== null) focusHeading(main.current);
  }, [notePath]);

  const closeMenu = (): void => setMenuOpen(false);
  return (
    <div
      class={`brain-web${menuOpen ? ' is-open' : ''}`}
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
      <Head
        title={title}
        connected={connected}
        menuOpen={menuOpen}
        onMenu={() => setMenuOpen(!menuOpen)}
        theme={choice}
        onTheme={(next) => {
          theme.choose(next);
          setChoice(next);
        }}
        onKeys={() => void host.openLayer('Keys', <KeysLayer preferences={host.preferences} />)}
      />
      <main class="brain-web-main" ref={main}>
        {route.screen === 'note' ? (
          <UiProvider value={{ client, host }}>
            <NoteScreen params={route.params} />
          </UiProvider>
        ) : (
          <Stage client={client} host={host} screen={route.screen} params={route.params} />
        )}
      </main>
    </div>
  );
}
