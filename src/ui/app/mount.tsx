import { type ComponentType, render } from 'preact';
import type { BrainClient } from '../../core/registry/client';
import { AuditScreen } from '../audit/screen';
import { UiProvider } from '../client/context';
import type { UiHost } from '../client/host';
import type { ScreenName, ScreenParams } from '../client/screens';
import { ConnectScreen } from '../connect/screen';
import { DoctorScreen } from '../doctor/screen';
import { HistoryScreen } from '../history/screen';
import { HomeScreen } from '../home/screen';
import { ImportsScreen } from '../imports/screen';
import { NeighboursScreen } from '../neighbours/screen';
import { NoteScreen } from '../note/screen';
import { PassRatesScreen } from '../pass-rates/screen';
import { QueueScreen } from '../queue/screen';
import { RulesScreen } from '../rules/screen';
import { SearchScreen } from '../search/screen';
import { StaleScreen } from '../stale/screen';

const COMPONENTS: Readonly<Record<ScreenName, ComponentType<{ params: ScreenParams }>>> = {
  home: HomeScreen,
  queue: QueueScreen,
  imports: ImportsScreen,
  rules: RulesScreen,
  stale: StaleScreen,
  search: SearchScreen,
  note: NoteScreen,
  neighbours: NeighboursScreen,
  history: HistoryScreen,
  audit: AuditScreen,
  'pass-rates': PassRatesScreen,
  connect: ConnectScreen,
  doctor: DoctorScreen,
};

export interface Mounted {
  /** Shows a screen in the container, or the current one with other parameters. */
  show(screen: ScreenName, params: ScreenParams): void;
  /** Removes the screen and its subscriptions. */
  unmount(): void;
}

/** Renders a screen into a container, which may be in another window. */
export function mountScreen(
  container: HTMLElement,
  { client, host }: { readonly client: BrainClient; readonly host: UiHost },
  screen: ScreenName,
  params: ScreenParams = {},
): Mounted {
  const show = (name: ScreenName, asked: ScreenParams): void => {
    const Screen = COMPONENTS[name];
    render(
      <UiProvider value={{ client, host }}>
        <div class="brain-screen">
          <Screen key={name} params={asked} />
        </div>
      </UiProvider>,
      container,
    );
  };
  show(screen, params);
  return { show, unmount: () => render(null, container) };
}
