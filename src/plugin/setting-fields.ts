import { type App, SecretComponent, type SettingGroupItem } from 'obsidian';
import { SETTING_WORDS } from '../core/setting-words';
import type { TokenEntry } from '../ui/host';
import type { SecretSetting } from './secret-settings';

/** What the definitions need to know and to do. */
export interface SettingDeps {
  /** The environment variable that decides a setting, if one does. */
  readonly variableOf: (key: string) => string | undefined;
  /** The message for a value that cannot be used; empty when it can. */
  readonly validate: (key: string, typed: unknown) => Promise<string>;
  readonly tokens: readonly TokenEntry[];
  /** The row that shows how the server is, and turns it. */
  readonly statusRow: SettingGroupItem;
  /** Rows that show how search by meaning and answers are. */
  readonly hybridRow: SettingGroupItem;
  readonly answersRow: SettingGroupItem;
  /** The row that shows how ingestion is. */
  readonly ingestRow: SettingGroupItem;
  readonly app: App;
  /** The id of the secret that a setting names; empty for none. */
  readonly secretId: (key: SecretSetting) => string;
  readonly setSecretId: (key: SecretSetting, id: string) => void;
  readonly connect: () => void;
  readonly revoke: (token: TokenEntry) => void;
  readonly showFolders: () => void;
}

type Control =
  | { readonly type: 'text'; readonly placeholder: string }
  | { readonly type: 'number'; readonly min: number; readonly max?: number; readonly step: number }
  | { readonly type: 'dropdown'; readonly options: Record<string, string> }
  | { readonly type: 'toggle' };

interface Field {
  readonly desc: string;
  readonly control: Control;
}

/** A setting of the service: checked before it is kept, and only shown where an environment variable decides it. */
export function field(
  deps: SettingDeps,
  key: keyof typeof SETTING_WORDS,
  { desc, control }: Field,
): SettingGroupItem {
  const { name } = SETTING_WORDS[key];
  const variable = deps.variableOf(key);
  const shared = { key, disabled: variable !== undefined };
  const validate = (typed: unknown) => deps.validate(key, typed);
  const described = variable === undefined ? desc : `${desc} Set by the environment variable ${variable}.`;
  switch (control.type) {
    case 'text':
    case 'number':
      return { name, desc: described, control: { ...control, ...shared, validate } };
    case 'dropdown':
    case 'toggle':
      return { name, desc: described, control: { ...control, ...shared } };
  }
}

/** A secret, chosen from those that the app keeps on this device: what is saved is its id, never its text. */
export function secretField(
  deps: SettingDeps,
  key: SecretSetting,
  { desc }: { readonly desc: string },
): SettingGroupItem {
  const { name } = SETTING_WORDS[key];
  const variable = deps.variableOf(key);
  const kept = 'Kept in the secret store of this device; only its name is saved with the settings.';
  return {
    name,
    desc: variable === undefined ? `${desc} ${kept}` : `${desc} Set by the environment variable ${variable}.`,
    render: (setting) => {
      setting.addComponent((element) => {
        const chooser = new SecretComponent(deps.app, element).setValue(deps.secretId(key));
        chooser.setDisabled(variable !== undefined);
        return chooser.onChange((id) => deps.setSecretId(key, id));
      });
    },
  };
}
