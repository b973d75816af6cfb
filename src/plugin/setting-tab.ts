import {
  ConfirmationModal,
  Notice,
  PluginSettingTab,
  type SettingDefinitionItem,
  type Plugin,
} from 'obsidian';
import type { TokenEntry } from '../ui/host';
import { attempt } from './attempt';
import type { DeviceStore, StartChoice } from './device-store';
import type { ServerControl } from './server-control';
import type * as SettingRules from './setting-rules';
import type * as WatchHere from './watch-here';
import { healthRow } from './health-row';
import { SECRET_SETTINGS } from './secret-settings';
import { statusRow } from './setting-status';
import { StatusWatch } from './status-watch';
import { DEVICE_KEYS } from './device-keys';
import { settingDefinitions } from './setting-definitions';
import type { SettingsStore } from './settings-store';
import { shownValue, typedValue } from './setting-values';

export interface TabDeps {
  readonly plugin: Plugin;
  readonly control: ServerControl;
  readonly settings: SettingsStore;
  readonly choice: StartChoice;
  readonly device: DeviceStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly connect: () => void;
  readonly showFolders: () => void;
}

type Rules = typeof SettingRules;

/** The token that every vault has; it can be replaced, not taken away. */
const OWNER = 'owner';

/**
 * The settings page. Values are read through the same rules as the service uses, so that it shows what is in force: the
 * environment over the settings over the defaults.
 */
export class BrainServerSettingTab extends PluginSettingTab {
  override icon = 'brain';
  readonly #deps: TabDeps;
  /** Null until the app is ready: the rules take longer to load than the start of the app may. */
  #rules: Rules | null = null;
  #watching: typeof WatchHere | null = null;
  #tokens: readonly TokenEntry[] = [];
  readonly #watch: StatusWatch;

  constructor(deps: TabDeps) {
    super(deps.plugin.app, deps.plugin);
    this.#deps = deps;
    this.#watch = new StatusWatch(deps.control);
  }

  /** Loads the rules and keeps the page right from then on. */
  async follow(): Promise<void> {
    const { plugin, control, settings } = this.#deps;
    this.#rules = await import('./setting-rules');
    this.#watching = await import('./watch-here');
    plugin.register(settings.onChange(() => this.refreshDomState()));
    let kind = control.state.kind;
    plugin.register(
      control.onChange(() => {
        if (control.state.kind === kind) return;
        kind = control.state.kind;
        void this.#readTokens();
      }),
    );
    this.update();
    await this.#readTokens();
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    const { control, settings, connect, showFolders } = this.#deps;
    return settingDefinitions({
      app: this.app,
      variableOf: (key) => this.#inForce(key)?.variable,
      validate: async (key, typed) => {
        const { settingProblem } = this.#rules ?? (await import('./setting-rules'));
        return settingProblem(key, typedValue(key, typed)) ?? '';
      },
      tokens: this.#tokens,
      statusRow: statusRow(control, () => void this.#readTokens()),
      hybridRow: healthRow('Hybrid search', 'hybridHealth', control, this.#watch),
      answersRow: healthRow('Answers and extraction', 'answersHealth', control, this.#watch),
      ingestRow: healthRow('Ingestion', 'ingestHealth', control, this.#watch),
      secretId: (key) => {
        const id = settings.saved[SECRET_SETTINGS[key]];
        return typeof id === 'string' ? id : '';
      },
      setSecretId: (key, id) =>
        void attempt(() => settings.set(SECRET_SETTINGS[key], id === '' ? undefined : id)),
      connect,
      showFolders,
      revoke: (token) => this.#askToRevoke(token),
    });
  }

  override getControlValue(key: string): unknown {
    const { choice, device, settings, env } = this.#deps;
    if (key === DEVICE_KEYS.start) return choice.starts;
    if (key === DEVICE_KEYS.watch) return this.#watching?.watchesHere(settings, env) ?? false;
    if (key === DEVICE_KEYS.letters) return device.get('screens.keys') !== 'off';
    return shownValue(this.#inForce(key)?.value);
  }

  override async setControlValue(key: string, value: unknown): Promise<void> {
    const { device, settings, env } = this.#deps;
    if (key === DEVICE_KEYS.start) return this.#setStarts(value === true);
    if (key === DEVICE_KEYS.watch) {
      const { setWatchesHere } = this.#watching ?? (await import('./watch-here'));
      return attempt(() => setWatchesHere(settings, env, value === true));
    }
    if (key === DEVICE_KEYS.letters) return device.set('screens.keys', value === true ? null : 'off');
    await attempt(() => settings.set(key, typedValue(key, value)));
  }

  async #setStarts(starts: boolean): Promise<void> {
    const { choice, control } = this.#deps;
    choice.setStarts(starts);
    await (starts ? control.start() : control.stop());
    // Where the person has not agreed yet, they are asked now, and the switch waits for the answer.
    this.refreshDomState();
  }

  #inForce(key: string): ReturnType<Rules['settingInForce']> | undefined {
    const { env, settings } = this.#deps;
    return this.#rules?.settingInForce(key, env, settings.saved);
  }

  async #readTokens(): Promise<void> {
    const before = JSON.stringify(this.#tokens);
    this.#tokens = (await this.#deps.control.service?.tokens.list()) ?? [];
    if (JSON.stringify(this.#tokens) !== before) this.update();
  }

  #askToRevoke(token: TokenEntry): void {
    const modal = new ConfirmationModal(this.app);
    const isOwner = token.name === OWNER;
    const verb = isOwner ? 'Replace' : 'Revoke';
    modal.setTitle(`${verb} ${token.name}?`);
    modal.setContent(
      isOwner
        ? 'The owner token of this device stops working and a new one takes its place.'
        : 'Whatever uses this token can no longer reach the vault. Its notes stay.',
    );
    modal.addButton((button) =>
      button
        .setButtonText(verb)
        .setDestructive()
        .onClick(() =>
          attempt(async () => {
            await this.#deps.control.service?.tokens.revoke(token.name);
            new Notice(isOwner ? 'The owner token is replaced.' : `${token.name} is revoked.`);
            await this.#readTokens();
          }),
        ),
    );
    modal.addCancelButton('Cancel');
    modal.open();
  }
}
