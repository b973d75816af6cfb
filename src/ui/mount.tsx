import { type ComponentType, render } from 'preact';
import { AuditScreen } from './audit/audit-screen';
import type { BrainClient } from './client';
import { ConnectScreen } from './connect/connect-screen';
import { UiProvider } from './context';
import { DoctorScreen } from './doctor/doctor-screen';
import { HistoryScreen } from './history/history-screen';
import { HomeScreen } from './home/home-screen';
import type { UiHost } from './host';
import { PassRatesScreen } from './pass-rates/pass-rates-screen';
import { QueueScreen } from './queue/queue-screen';
import type { ScreenName, ScreenParams } from './screens';
import { SearchScreen } from './search/search-screen';

const COMPONENTS: Readonly<Record<ScreenName, ComponentType<{ params: ScreenParams }>>> = {
  home: HomeScreen,
  queue: QueueScreen,
  search: SearchScreen,
  history: HistoryScreen,
  audit: AuditScreen,
  'pass-rates': PassRatesScreen,
  connect: ConnectScreen,
  doctor: DoctorScreen,
};

export interface Mounted {
  /** Shows another screen in the same container, or the same one on something else. */
  show(screen: ScreenName, params: ScreenParams): void;
  /** Takes the screen away and lets go of everything it listened to. */
  unmount(): void;
}

/** Shows a screen in a container, which may stand in a window of its own. */
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
