import type { Plugin } from 'obsidian';
import type { ScreenName } from '../ui/screens';
import { attempt, reindexAll } from './commands';
import type { ServerControl } from './server-control';
import { wordsOf } from './server-state';
import { queueLabel } from './status-item';

/** The two icons at the left edge: the review queue, with how much waits there, and making the maps anew. */
export function addRibbon(
  plugin: Pick<Plugin, 'addRibbonIcon' | 'register'>,
  control: Pick<ServerControl, 'state' | 'client' | 'pending' | 'onChange'>,
  open: (screen: ScreenName) => void,
  tell: (message: string) => void,
): void {
  const queue = plugin.addRibbonIcon('inbox', 'Review queue', () => open('queue'));
  plugin.addRibbonIcon('list-tree', 'Reindex', () => {
    const { client } = control;
    if (client === null) tell(wordsOf(control.state).sentence);
    else void attempt(() => reindexAll(client));
  });
  plugin.register(
    control.onChange(() => {
      const { pending } = control;
      queue.setAttr('aria-label', pending === null ? 'Review queue' : queueLabel(pending));
    }),
  );
}
