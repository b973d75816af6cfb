import { type Mounted, mountScreen } from '../../ui/app/mount';
import type { ScreenParams } from '../../ui/client/screens';
import { openSearch } from '../../ui/found/modal';
import { type MeaningSettings, openMeaningSetup } from '../../ui/meaning/setup';
import { openAdopt } from '../../ui/place/adopt';
import { createObsidianHost, type HostDeps, type OwnView } from './host';

// This module is loaded on demand: the app starts without screens.

/** The screens of one open vault. */
export interface Screens {
  /** Renders the screen of a view into its container. */
  mount(container: HTMLElement, view: OwnView, params: ScreenParams): Mounted;
  /** Opens the quick search. */
  search(): void;
  /** Opens the form that adopts a note of the owner. */
  adopt(path: string): void;
  /** Opens the set-up of search by meaning. */
  meaning(settings: MeaningSettings): void;
}

/** Creates the screens of an open vault. */
export function screensFor(deps: HostDeps): Screens {
  const { client } = deps;
  return {
    mount: (container, view, params) =>
      mountScreen(container, { client, host: createObsidianHost(deps, view) }, view.screen, params),
    search: () => openSearch({ client, host: createObsidianHost(deps) }),
    adopt: (path) => openAdopt({ client, host: createObsidianHost(deps) }, path),
    meaning: (settings) => openMeaningSetup({ client, host: createObsidianHost(deps) }, settings),
  };
}
