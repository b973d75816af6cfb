import type { Plugin } from 'obsidian';
import type { ScreenName } from '../ui/screens';
import { attempt } from './attempt';
import type { Backfill } from './backfill';
import { reindexAll } from './commands';
import type { ServerControl } from './server-control';
import { wordsOf } from './server-state';
import { queueLabel } from './status-item';

/**
 * The icons at the left edge: the review queue, with how much waits there, making the maps anew, and, where search goes by
 * meaning too, filling the embeddings.
 */
export function addRibbon(
  plugin: Pick<Plugin, 'addRibbonIcon' | 'register'>,
  control: Pick<ServerControl, 'state' | 'client' | 'pending' | 'hasHybrid' | 'onChange'>,
  backfill: Pick<Backfill, 'run'>,
  open: (screen: ScreenName) => void,
  tell: (message: string) => void,
): void {
  const queue = plugin.addRibbonIcon('inbox', 'Review queue', () => open('queue'));
  plugin.addRibbonIcon('list-tree', 'Reindex', () => {
    const { client } = control;
    if (client === null) tell(wordsOf(control.state).sentence);
    else void attempt(() => reindexAll(client));
  });
  // Not there at all before it can do something; the app has no way to take one away, so that later it hides.
  let fill: HTMLElement | null = null;
  const showFill = (): void => {
    const { hasHybrid } = control;
    if (hasHybrid) {
      fill ??= plugin.addRibbonIcon(
        'database',
        'Backfill embeddings',
        () => void attempt(() => backfill.run()),
      );
    }
    fill?.toggle(hasHybrid);
  };
  plugin.register(
    control.onChange(() => {
      showFill();
      const { pending } = control;
      queue.setAttr('aria-label', pending === null ? 'Review queue' : queueLabel(pending));
    }),
  );
}
