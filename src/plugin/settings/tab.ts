import {
  type App,
  type ButtonComponent,
  ConfirmationModal,
  Notice,
  type Plugin,
  PluginSettingTab,
  type SettingDefinitionItem,
  type SettingGroupItem,
} from 'obsidian';
import {
  isSettingName,
  listIn,
  sizeIn,
  sizeWords,
  type SettingName,
  SETTINGS,
} from '../../core/config/settings';
import type { TokenEntry } from '../../ui/client/host';
import { type ServerControl, type ServerState, describeState } from '../server/control';
import { attempt } from '../server/failure';
import type { DeviceStore, SettingsStore, StartChoice } from '../server/store';
import { DEVICE_KEYS, settingDefinitions } from './definitions';
import type * as SettingHealth from './health';
import type * as SettingRules from './rules';
import { StatusWatch } from './status-watch';
import type * as WatchHere from './watch-here';

/** The function that describes a part of the service. */
type HealthFunction = 'hybridHealth' | 'answersHealth' | 'ingestHealth';

/** Returns the row of the state of a part of the service, updated after every poll. */
function healthRow(
  title: string,
  describe: HealthFunction,
  control: Pick<ServerControl, 'state'>,
  watch: StatusWatch,
): SettingGroupItem {
  return {
    name: title,
    desc: 'How it is on this device.',
    searchable: false,
    render: (setting) => {
      let descriptions: typeof SettingHealth | null = null;
      const draw = (): void => {
        const { status } = watch;
        const health = status === null ? null : (descriptions?.[describe](status) ?? null);
        const { name, desc } = health ?? { name: title, desc: noStatus(control.state) };
        setting.setName(name).setDesc(desc);
      };
      void import('./health').then((loaded) => {
        descriptions = loaded;
        draw();
      });
      draw();
      return watch.watch(draw);
    },
  };
}

function noStatus(state: ServerState): string {
  return state.kind === 'running' ? 'The service is being asked.' : describeState(state).sentence;
}

const NEVER_CHANGED = 'No agent ever changes, moves or deletes one.';

/** Returns the row that says how many notes of the owner are read, and which places are left out by which setting. */
function readingRow(
  app: App,
  env: TabDeps['env'],
  settings: Pick<SettingsStore, 'saved' | 'onChange'>,
): SettingGroupItem {
  return {
    name: 'Your own notes',
    desc: NEVER_CHANGED,
    searchable: false,
    render: (setting) => {
      const draw = (): void =>
        void attempt(async () => {
          const { whatIsRead, scopeWords, excludedWords } = await import('./what-is-read');
          const reads = await whatIsRead(app, env, settings.saved);
          const sentences = [scopeWords(reads, reads.scope), excludedWords(reads), NEVER_CHANGED];
          setting.setDesc(sentences.filter((sentence) => sentence !== '').join(' '));
        });
      draw();
      return settings.onChange(draw);
    },
  };
}

/** The label of the button in each state; null where no action helps. */
const ACTIONS: Readonly<Record<ServerState['kind'], string | null>> = {
  unsupported: null,
  unconfirmed: 'Start',
  off: 'Start',
  starting: null,
  running: 'Restart',
  failed: 'Try again',
  connected: null,
  lost: 'Try again',
};

/** Returns the row that shows the state of the server as it changes, and starts or stops it. */
function statusRow(
  control: Pick<ServerControl, 'state' | 'isElsewhere' | 'start' | 'stop' | 'restart' | 'onChange'>,
  onShow: () => void,
): SettingGroupItem {
  return {
    name: 'State',
    desc: 'How the server is on this device.',
    render: (setting) => {
      let startButton: ButtonComponent | undefined;
      let stopButton: ButtonComponent | undefined;
      if (!control.isElsewhere) {
        setting.addButton((button) => {
          stopButton = button.setButtonText('Stop').onClick(() => void control.stop());
        });
      }
      setting.addButton((button) => {
        startButton = button.onClick(() => {
          const { kind } = control.state;
          const isOpen = kind === 'running' || kind === 'failed' || kind === 'lost';
          void (isOpen ? control.restart() : control.start());
        });
      });
      const draw = (): void => {
        const { state } = control;
        const { word, sentence } = describeState(state);
        const action = ACTIONS[state.kind];
        setting.setName(word).setDesc(sentence);
        setting.setErrorMessage(null);
        startButton?.setButtonText(action ?? 'Start').setDisabled(action === null);
        if (control.isElsewhere) startButton?.buttonEl.toggle(action !== null);
        stopButton?.setDisabled(state.kind !== 'running' && state.kind !== 'starting');
      };
      draw();
      onShow();
      return control.onChange(draw);
    },
  };
}

/** Returns the value of a setting as its field shows it. */
function shownValue(key: string, value: unknown): unknown {
  const isSize = isSettingName(key) && SETTINGS[key].control?.type === 'size';
  if (isSize && typeof value === 'number') return sizeWords(value);
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Parses typed text as the value of a setting; undefined for the default. */
function typedValue(key: string, typed: unknown): unknown {
  if (typeof typed !== 'string' || !isSettingName(key)) return typed;
  const { control } = SETTINGS[key];
  if (control?.type === 'list') return listIn(typed);
  if (control?.type === 'size' && typed.trim() !== '') return sizeIn(typed);
  if (control?.type === 'text' ? control.required === true : control?.type !== 'size') return typed;
  return typed.trim() === '' ? undefined : typed.trim();
}

interface TabDeps {
  readonly plugin: Plugin;
  readonly control: ServerControl;
  readonly settings: SettingsStore;
  readonly choice: StartChoice;
  readonly device: DeviceStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly connect: () => void;
  readonly showFolders: () => void;
  readonly setUpMeaning: () => void;
  readonly useServer: () => void;
  readonly leaveServer: () => void;
}

type Rules = typeof SettingRules;

/** The name of the owner's token, which can be replaced and not removed. */
const OWNER = 'owner';

/**
 * The settings page. It reads values by the rules of the service, so that it shows the effective ones: environment over
 * settings over defaults.
 */
export class BrainServerSettingTab extends PluginSettingTab {
  override icon = 'brain';
  readonly #deps: TabDeps;
  /** Null until the app is ready: the rules take too long to load with the app. */
  #rules: Rules | null = null;
  #watching: typeof WatchHere | null = null;
  #tokens: readonly TokenEntry[] = [];
  readonly #watch: StatusWatch;

  constructor(deps: TabDeps) {
    super(deps.plugin.app, deps.plugin);
    this.#deps = deps;
    this.#watch = new StatusWatch(deps.control);
  }

  /** Loads the rules, and updates the page from then on. */
  async follow(): Promise<void> {
    const { plugin, control, settings } = this.#deps;
    this.#rules = await import('./rules');
    this.#watching = await import('./watch-here');
    let { serverUrl } = settings;
    plugin.register(
      settings.onChange(() => {
        // The lines of the pages say what is set. Drawing anew would take away the field that a person types into.
        const isTyping = this.containerEl.doc.activeElement?.instanceOf(HTMLInputElement) === true;
        if (settings.serverUrl === serverUrl && isTyping) return this.refreshDomState();
        serverUrl = settings.serverUrl;
        this.update();
      }),
    );
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
    const { control, settings, connect, showFolders, setUpMeaning, useServer, leaveServer } = this.#deps;
    return settingDefinitions({
      app: this.app,
      serverUrl: settings.serverUrl,
      useServer,
      leaveServer,
      variableOf: (key) => this.#effective(key)?.variable,
      setTo: (key) => this.#setTo(key),
      validate: async (key, typed) => {
        const { settingProblem } = this.#rules ?? (await import('./rules'));
        return settingProblem(key, typedValue(key, typed)) ?? '';
      },
      tokens: this.#tokens,
      statusRow: statusRow(control, () => void this.#readTokens()),
      hybridRow: healthRow('Search by meaning', 'hybridHealth', control, this.#watch),
      answersRow: healthRow('Answers and extraction', 'answersHealth', control, this.#watch),
      ingestRow: healthRow('Ingestion', 'ingestHealth', control, this.#watch),
      readingRow: readingRow(this.app, this.#deps.env, settings),
      savedText: (key) => {
        const text = settings.saved[key];
        return typeof text === 'string' ? text : '';
      },
      save: (key, text) => void attempt(() => settings.set(key, text === '' ? undefined : text)),
      connect,
      showFolders,
      setUpMeaning,
      revoke: (token) => this.#askToRevoke(token),
    });
  }

  override getControlValue(key: string): unknown {
    const { choice, device, settings, env } = this.#deps;
    if (key === DEVICE_KEYS.start) return choice.starts;
    if (key === DEVICE_KEYS.watch) return this.#watching?.watchesHere(settings, env) ?? false;
    if (key === DEVICE_KEYS.letters) return device.get('screens.keys') !== 'off';
    return shownValue(key, this.#effective(key)?.value);
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
    // A person who has not agreed yet is asked now, and the switch is reset until the answer.
    this.refreshDomState();
  }

  #effective(key: string): ReturnType<Rules['effectiveSetting']> | undefined {
    const { env, settings } = this.#deps;
    return this.#rules?.effectiveSetting(key, env, settings.saved);
  }

  /** Returns what a setting is set to, in words; null while its default holds, or the rules are not loaded. */
  #setTo(key: SettingName): string | null {
    if (this.#rules === null) return null;
    const { settings } = this.#deps;
    const { control, secretId } = SETTINGS[key];
    const { value, variable } = this.#effective(key) ?? {};
    if (secretId !== undefined) return (settings.saved[secretId] ?? '') === '' ? null : 'kept on this device';
    if (control === undefined || (settings.saved[key] === undefined && variable === undefined)) return null;
    const shown = shownValue(key, value);
    if (control.type === 'dropdown') return control.options[String(shown)] ?? String(shown);
    return control.type === 'toggle' ? (shown === true ? 'on' : 'off') : String(shown);
  }

  async #readTokens(): Promise<void> {
    const before = JSON.stringify(this.#tokens);
    this.#tokens = (await this.#deps.control.service?.tokens?.list()) ?? [];
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
            await this.#deps.control.service?.tokens?.revoke(token.name);
            new Notice(isOwner ? 'The owner token is replaced.' : `${token.name} is revoked.`);
            await this.#readTokens();
          }),
        ),
    );
    modal.addCancelButton('Cancel');
    modal.open();
  }
}
