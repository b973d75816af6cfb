import { type Menu, type Plugin, type TAbstractFile, TFolder } from 'obsidian';
import type { BrainClient } from '../../core/registry/client';
import type { ScreenName, ScreenParams } from '../../ui/client/screens';
import { type ServerControl, type StateDescription, describeState } from '../server/control';
import { attempt } from '../server/failure';
import type { Backfill, BackfillProgress } from './backfill';
import { isQueued, reindexAll } from './commands';
import { ingestPath, isIngestible } from './ingest-commands';

/**
 * Adds to the file menu: promoting and rejecting for a note that awaits review, which open the queue with the form, adopting
 * for a note of the owner, and ingesting for any other file or folder that can be ingested.
 */
export function addFileMenu(
  plugin: Pick<Plugin, 'app' | 'registerEvent'>,
  control: Pick<ServerControl, 'client' | 'service' | 'isElsewhere'>,
  open: (screen: ScreenName, params?: ScreenParams) => void,
  adopt: (path: string) => void,
): void {
  const add = (menu: Menu, title: string, icon: string, act: () => void): void => {
    menu.addItem((item) => item.setTitle(title).setIcon(icon).setSection('action').onClick(act));
  };
  plugin.registerEvent(
    plugin.app.workspace.on('file-menu', (menu, file: TAbstractFile) => {
      const { path } = file;
      // The files of this vault are none of a server elsewhere.
      if (control.client === null || control.isElsewhere) return;
      if (isQueued(path)) {
        add(menu, 'Promote…', 'circle-check', () => open('queue', { path, act: 'promote' }));
        add(menu, 'Reject…', 'circle-x', () => open('queue', { path, act: 'reject' }));
      }
      if (control.service?.isOwners(path) === true)
        add(menu, 'Adopt this note…', 'circle-check', () => adopt(path));
      if (isIngestible(path)) {
        const title = file instanceof TFolder ? 'Ingest this folder' : 'Ingest this file';
        add(menu, title, 'folder-input', () => ingestPath({ control, open }, path));
      }
    }),
  );
}

/**
 * Adds two items to the status bar. One shows the state of the server (opens the doctor or starts it) or the progress of a
 * backfill (opens home). The other shows the number of notes that await review (opens the queue).
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
    const words = progress === null ? describeState(state) : describeBackfill(progress);
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

function describeBackfill({ done, total }: BackfillProgress): StateDescription {
  const word =
    total === 0 ? 'Backfill' : `Backfill ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  return { word, sentence: 'Notes are being embedded.', dot: 'mod-amber' };
}

/** Returns the tooltip of the queue. */
function queueLabel(pending: number): string {
  if (pending === 0) return 'Review queue: empty';
  return `Review queue: ${pending.toLocaleString('en')} ${pending === 1 ? 'note' : 'notes'}`;
}

/**
 * Adds three icons to the ribbon: the review queue with its number of notes, reindexing, and backfilling the embeddings.
 * They are always shown; one that cannot run says why.
 */
export function addRibbon(
  plugin: Pick<Plugin, 'addRibbonIcon' | 'register'>,
  control: Pick<ServerControl, 'state' | 'client' | 'pending' | 'onChange'>,
  backfill: Pick<Backfill, 'run'>,
  open: (screen: ScreenName) => void,
  showMessage: (message: string) => void,
): void {
  const queue = plugin.addRibbonIcon('inbox', 'Review queue', () => open('queue'));
  const withClient = (icon: string, title: string, act: (client: BrainClient) => Promise<void>): void => {
    plugin.addRibbonIcon(icon, title, () => {
      const { client } = control;
      if (client === null) showMessage(describeState(control.state).sentence);
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
