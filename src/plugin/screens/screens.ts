import { type Mounted, mountScreen } from '../../ui/app/mount';
import type { ScreenParams } from '../../ui/client/screens';
import { openSearch } from '../../ui/found/modal';
import { createObsidianHost, type HostDeps, type OwnView } from './host';

// Loaded on demand: no screen is needed for the app to start.

/** Draws screens for one opened vault. */
export interface Screens {
  /** Draws the screen of a view into its container. */
  mount(container: HTMLElement, view: OwnView, params: ScreenParams): Mounted;
  /** Shows the quick search above everything. */
  search(): void;
}

/** The screens of an opened vault. */
export function screensFor(deps: HostDeps): Screens {
  const { client } = deps;
  return {
    mount: (container, view, params) =>
      mountScreen(container, { client, host: createObsidianHost(deps, view) }, view.screen, params),
    search: () => openSearch({ client, host: createObsidianHost(deps) }),
  };
}
