import type { ButtonComponent, SettingGroupItem } from 'obsidian';
import type { ServerControl } from './server-control';
import { type ServerState, wordsOf } from './server-state';

/** What the button of the row does in each state; none where nothing helps. */
const ACTIONS: Readonly<Record<ServerState['kind'], string | null>> = {
  unsupported: null,
  unconfirmed: 'Start',
  off: 'Start',
  starting: null,
  running: 'Restart',
  failed: 'Try again',
};

/** The row of the settings page that shows how the server is, as it changes, and turns it. */
export function statusRow(
  control: Pick<ServerControl, 'state' | 'start' | 'stop' | 'restart' | 'onChange'>,
  whenShown: () => void,
): SettingGroupItem {
  return {
    name: 'State',
    desc: 'How the server is on this device.',
    render: (setting) => {
      let turn: ButtonComponent | undefined;
      let stop: ButtonComponent | undefined;
      setting.addButton((button) => {
        stop = button.setButtonText('Stop').onClick(() => void control.stop());
      });
      setting.addButton((button) => {
        turn = button.onClick(() => {
          const { kind } = control.state;
          void (kind === 'running' || kind === 'failed' ? control.restart() : control.start());
        });
      });
      const draw = (): void => {
        const { state } = control;
        const { word, sentence } = wordsOf(state);
        const action = ACTIONS[state.kind];
        setting.setName(word).setDesc(sentence);
        setting.setErrorMessage(null);
        turn?.setButtonText(action ?? 'Start').setDisabled(action === null);
        stop?.setDisabled(state.kind !== 'running' && state.kind !== 'starting');
      };
      draw();
      whenShown();
      return control.onChange(draw);
    },
  };
}
