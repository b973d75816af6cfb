import { setIcon } from 'obsidian';
import type { ServerControl } from './server-control';
import { type ServerState, wordsOf } from './server-state';

const BUTTONS: Readonly<Partial<Record<ServerState['kind'], string>>> = {
  unconfirmed: 'Show the folders',
  off: 'Start',
  failed: 'Try again',
};

/** Says in an empty view how the server is, and offers the one thing that helps. */
export function drawIdle(
  container: HTMLElement,
  icon: string,
  control: Pick<ServerControl, 'state' | 'start' | 'restart'>,
): void {
  const { state } = control;
  const { word, sentence } = wordsOf(state);
  const panel = container.createDiv({ cls: 'brain-screen' }).createDiv({ cls: 'brain-empty' });
  setIcon(panel, icon);
  panel.createEl('h2', { text: word });
  panel.createEl('p', { text: sentence, attr: { role: 'status' } });
  const text = BUTTONS[state.kind];
  if (text === undefined) return;
  const button = panel.createEl('button', { text, cls: 'mod-cta', attr: { type: 'button' } });
  button.onClickEvent(() => void (state.kind === 'failed' ? control.restart() : control.start()));
}
