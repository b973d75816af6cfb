import { type Menu, type Plugin, type TAbstractFile, TFolder } from 'obsidian';
import type { BrainClient } from '../../core/registry/client';
import type { ScreenName, ScreenParams } from '../../ui/client/screens';
import { type ServerControl, type StateWords, wordsOf } from '../server/control';
import { attempt } from '../server/failure';
import type { Backfill, BackfillProgress } from './backfill';
import { isQueued, reindexAll } from './commands';
import { ingestPath, isIngestible } from './ingest-commands';

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

/**
 * Two entries of the status bar: how the server is (opens the doctor, or what gets it going) or how far a backfill is
 * (opens home, where it can be cancelled), and how many notes await review (opens the queue).
 */
export function addStatusItems(
  plugin: Pick<Plugin, 'addStatusBarItem' | 'register' | 'registerDomEvent'>,
  control: Pick<ServerControl, 'state' | 'pending' | 'start' | 'onChange'>,
  backfill: Pick<Backfill, 'progress' | 'onChange'>,
  open: (screen: ScreenName) => void,
): void {
  const server = plugin.addStatusBarItem();
  const queue = plugin.addStatusBarItem();
  for (const item of [server, queue]) {
    item.addClasses(['brain-status', 'mod-clickable']);
    item.setAttrs({ role: 'button', tabindex: '0' });
    item.setAttr('data-tooltip-position', 'top');
  }
  const dot = server.createEl('i', { cls: 'brain-dot' });
  const word = server.createSpan();

  const draw = (): void => {
    const { state, pending } = control;
    const { progress } = backfill;
    const words = progress === null ? wordsOf(state) : backfillIn(progress);
    dot.className = `brain-dot ${words.dot}`;
    word.setText(words.word);
    server.setAttr('aria-label', words.sentence);
    queue.toggle(pending !== null);
    queue.setText(`${(pending ?? 0).toLocaleString('en')} pending`);
    queue.setAttr('aria-label', queueLabel(pending ?? 0));
  };
  const press = (item: HTMLElement, act: () => void): void => {
    plugin.registerDomEvent(item, 'click', act);
    plugin.registerDomEvent(item, 'keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') act();
    });
  };
  press(server, () => {
    const { kind } = control.state;
    if (backfill.progress !== null) return open('home');
    if (kind === 'off' || kind === 'unconfirmed') void control.start();
    else open('doctor');
  });
  press(queue, () => open('queue'));
  plugin.register(control.onChange(draw));
  plugin.register(backfill.onChange(draw));
  draw();
}

function backfillIn({ done, total }: BackfillProgress): StateWords {
  const word =
    total === 0 ? 'Backfill' : `Backfill ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  return { word, sentence: 'Notes are being embedded.', dot: 'mod-amber' };
}

/** What a tooltip says of the queue. */
function queueLabel(pending: number): string {
  if (pending === 0) return 'Review queue: empty';
  return `Review queue: ${pending.toLocaleString('en')} ${pending === 1 ? 'note' : 'notes'}`;
}

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
