import type { Plugin } from 'obsidian';
import type { ScreenName, ScreenParams } from '../ui/screens';
import { isQueued } from './queued-note';
import type { ServerControl } from './server-control';

/** Offers to promote or reject in the menu of a note that awaits review; both open the queue with the form ready. */
export function addFileMenu(
  plugin: Pick<Plugin, 'app' | 'registerEvent'>,
  control: Pick<ServerControl, 'client'>,
  open: (screen: ScreenName, params: ScreenParams) => void,
): void {
  plugin.registerEvent(
    plugin.app.workspace.on('file-menu', (menu, { path }) => {
      if (control.client === null || !isQueued(path)) return;
      menu.addItem((item) =>
        item
          .setTitle('Promote…')
          .setIcon('circle-check')
          .setSection('action')
          .onClick(() => open('queue', { path, act: 'promote' })),
      );
      menu.addItem((item) =>
        item
          .setTitle('Reject…')
          .setIcon('circle-x')
          .setSection('action')
          .onClick(() => open('queue', { path, act: 'reject' })),
      );
    }),
  );
}
