import type { SettingGroupItem } from 'obsidian';
import type { ServerControl } from './server-control';
import { type ServerState, wordsOf } from './server-state';
import type * as SettingHealth from './setting-health';
import type { StatusWatch } from './status-watch';

/** Which part of the service a row tells of. */
export type HealthOf = 'hybridHealth' | 'answersHealth' | 'ingestHealth';

/** The row that shows how a part of the service is, drawn again after every look. */
export function healthRow(
  title: string,
  of: HealthOf,
  control: Pick<ServerControl, 'state'>,
  watch: StatusWatch,
): SettingGroupItem {
  return {
    name: title,
    desc: 'How it is on this device.',
    searchable: false,
    render: (setting) => {
      let words: typeof SettingHealth | null = null;
      const draw = (): void => {
        const { status } = watch;
        const health = status === null ? null : (words?.[of](status) ?? null);
        const { name, desc } = health ?? { name: title, desc: unknown(control.state) };
        setting.setName(name).setDesc(desc);
      };
      void import('./setting-health').then((loaded) => {
        words = loaded;
        draw();
      });
      draw();
      return watch.watch(draw);
    },
  };
}

function unknown(state: ServerState): string {
  return state.kind === 'running' ? 'The service is being asked.' : wordsOf(state).sentence;
}
