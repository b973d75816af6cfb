import type { Plugin } from 'obsidian';
import type { ScreenName } from '../ui/screens';
import type { Backfill, BackfillProgress } from './backfill';
import type { ServerControl } from './server-control';
import { type StateWords, wordsOf } from './server-state';

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
export function queueLabel(pending: number): string {
  if (pending === 0) return 'Review queue: empty';
  return `Review queue: ${pending.toLocaleString('en')} ${pending === 1 ? 'note' : 'notes'}`;
}
