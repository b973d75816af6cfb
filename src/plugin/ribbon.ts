import type { Plugin } from 'obsidian';
import type { BrainClient } from '../ui/client';
import type { ScreenName } from '../ui/screens';
import { attempt } from './attempt';
import type { Backfill } from './backfill';
import { reindexAll } from './commands';
import type { ServerControl } from './server-control';
import { wordsOf } from './server-state';
import { queueLabel } from './status-item';

/**
 * The icons at the left edge: the review queue, with how much waits there, making the maps anew, and filling the embeddings.
 * All are always there; one that can do nothing now says why.
 */
export function addRibbon(
  plugin: Pick<Plugin, 'addRibbonIcon' | 'register'>,
  control: Pick<ServerControl, 'state' | 'client' | 'pending' | 'onChange'>,
  backfill: Pick<Backfill, 'run'>,
  open: (screen: ScreenName) => void,
  tell: (message: string) => void,
): void {
  const queue = plugin.addRibbonIcon('inbox', 'Review queue', () => open('queue'));
  const withClient = (icon: string, title: string, act: (client: BrainClient) => Promise<void>): void => {
    plugin.addRibbonIcon(icon, title, () => {
      const { client } = control;
      if (client === null) tell(wordsOf(control.state).sentence);
      else void attempt(() => act(client));
    });
  };
  withClient('list-tree', 'Reindex', reindexAll);
  withClient('database', 'Backfill embeddings', () => backfill.run());
  plugin.register(
    control.onChange(() => {
      const { pending } = control;
      queue.setAttr('aria-label', pending === null ? 'Review queue' : queueLabel(pending));
    }),
  );
}
