import type { App } from 'obsidian';
import type { StartChoice } from './device-store';
import { FirstStartModal } from './first-start-modal';
import { folderPlan } from './folder-plan';
import type { ServerControl } from './server-control';
import type { SettingsStore } from './settings-store';

export interface FirstStartDeps {
  readonly app: App;
  readonly choice: StartChoice;
  readonly settings: SettingsStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly control: Pick<ServerControl, 'start' | 'answered'>;
}

/** Shows the folders that are used, and asks whether to start where that was not agreed yet. Reads names of files only. */
export async function showFirstStart(deps: FirstStartDeps): Promise<void> {
  const { app, choice, settings, env, control } = deps;
  const { settingInForce } = await import('./setting-rules');
  const inForce = (key: string) => settingInForce(key, env, settings.saved).value;
  const files = app.vault.getFiles().map(({ path }) => path);
  new FirstStartModal(app, {
    folders: folderPlan(files, String(inForce('rootNote'))),
    address: `${String(inForce('host'))}:${String(inForce('port'))}`,
    asks: !choice.confirmed,
    onStart: () => {
      choice.confirm();
      void control.start();
    },
    onLater: () => {
      choice.postpone();
      control.answered();
    },
  }).open();
}
