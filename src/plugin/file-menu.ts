import { type Menu, type Plugin, type TAbstractFile, TFolder } from 'obsidian';
import type { ScreenName, ScreenParams } from '../ui/screens';
import { ingestPath } from './ingest-commands';
import { isIngestible } from './ingestible';
import { isQueued } from './queued-note';
import type { ServerControl } from './server-control';

/**
 * Offers to promote or reject in the menu of a note that awaits review, both open the queue with the form ready, and to ingest
 * in that of any other file or folder that can be.
 */
export function addFileMenu(
  plugin: Pick<Plugin, 'app' | 'registerEvent'>,
  control: Pick<ServerControl, 'client'>,
  open: (screen: ScreenName, params?: ScreenParams) => void,
): void {
  const add = (menu: Menu, title: string, icon: string, act: () => void): void => {
    menu.addItem((item) => item.setTitle(title).setIcon(icon).setSection('action').onClick(act));
  };
  plugin.registerEvent(
    plugin.app.workspace.on('file-menu', (menu, file: TAbstractFile) => {
      const { path } = file;
      if (control.client === null) return;
      if (isQueued(path)) {
        add(menu, 'Promote…', 'circle-check', () => open('queue', { path, act: 'promote' }));
        add(menu, 'Reject…', 'circle-x', () => open('queue', { path, act: 'reject' }));
      }
      if (isIngestible(path)) {
        const title = file instanceof TFolder ? 'Ingest this folder' : 'Ingest this file';
        add(menu, title, 'folder-input', () => ingestPath({ control, open }, path));
      }
    }),
  );
}
