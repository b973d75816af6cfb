import {
  type App,
  SecretComponent,
  type Setting,
  type SettingDefinitionGroup,
  type SettingDefinitionItem,
  type SettingDefinitionPage,
  type SettingGroupItem,
} from 'obsidian';
import { SETTING_NAMES, type SettingGroup, type SettingName, SETTINGS } from '../../core/config/settings';
import type { TokenEntry } from '../../ui/client/host';

/** The keys of settings of this device, which are no settings of the service. */
export const DEVICE_KEYS = {
  start: 'startHere',
  letters: 'singleLetterKeys',
  watch: 'watchHere',
} as const;

/** The values and actions that the definitions need. */
interface SettingDeps {
  /** Returns the environment variable that overrides a setting; undefined for none. */
  readonly variableOf: (key: string) => string | undefined;
  /** Returns the value of a setting as its field shows it when it is not the default; null for the default. */
  readonly setTo: (key: SettingName) => string | null;
  /** Returns the error of an invalid value; empty for a valid one. */
  readonly validate: (key: string, typed: unknown) => Promise<string>;
  readonly tokens: readonly TokenEntry[];
  /** The address of the server elsewhere that is used; null for none. */
  readonly serverUrl: string | null;
  /** Opens the form that chooses a server elsewhere. */
  readonly useServer: () => void;
  /** Goes back to the server inside the app. */
  readonly leaveServer: () => void;
  /** The row that shows the state of the server and changes it. */
  readonly statusRow: SettingGroupItem;
  /** The row of the state of hybrid retrieval. */
  readonly hybridRow: SettingGroupItem;
  /** The row of the state of answers. */
  readonly answersRow: SettingGroupItem;
  /** The row of the state of ingestion. */
  readonly ingestRow: SettingGroupItem;
  /** The row that says how many notes of the owner are read, and what is left out. */
  readonly readingRow: SettingGroupItem;
  readonly app: App;
  /** Returns the saved text of a plugin setting; empty for none. */
  readonly savedText: (key: string) => string;
  readonly save: (key: string, text: string) => void;
  readonly connect: () => void;
  readonly revoke: (token: TokenEntry) => void;
  readonly showFolders: () => void;
  /** Opens the set-up of search by meaning. */
  readonly setUpMeaning: () => void;
}

/** Returns the fields of groups of settings, in the order of `SETTINGS`. A setting that the page does not offer has none. */
function fields(deps: SettingDeps, ...groups: readonly SettingGroup[]): SettingGroupItem[] {
  return groups.flatMap((group) =>
    SETTING_NAMES.filter((key) => SETTINGS[key].group === group).flatMap((key) => field(deps, key)),
  );
}

const KEPT = ' Kept in the secret store of this device; only its name is saved with the settings.';

/**
 * Returns the field of a setting of the service. Its value is validated before it is saved, and read-only where an
 * environment variable overrides it.
 */
function field(deps: SettingDeps, key: SettingName): SettingGroupItem[] {
  const { name, desc, control, secretId } = SETTINGS[key];
  const variable = deps.variableOf(key);
  const disabled = variable !== undefined;
  const setBy = disabled ? ` Set by the environment variable ${variable}.` : '';
  if (secretId !== undefined) {
    // A secret is one of those that the app stores on this device. Its id is saved, never its text.
    const render = (setting: Setting): void => {
      setting.addComponent((element) => {
        const chooser = new SecretComponent(deps.app, element).setValue(deps.savedText(secretId));
        chooser.setDisabled(disabled);
        return chooser.onChange((id) => deps.save(secretId, id));
      });
    };
    return [{ name, desc: desc + (setBy || KEPT), render }];
  }
  if (control === undefined) return [];
  const validate = (typed: unknown) => deps.validate(key, typed);
  const row = { name, desc: desc + setBy };
  switch (control.type) {
    case 'text':
    case 'list':
      return [
        { ...row, control: { type: 'text', placeholder: control.placeholder, key, disabled, validate } },
      ];
    case 'size':
      return [{ ...row, control: { type: 'text', placeholder: '64 MiB', key, disabled, validate } }];
    case 'number':
      return [{ ...row, control: { ...control, step: 1, key, disabled, validate } }];
    case 'dropdown':
      return [{ ...row, control: { type: 'dropdown', options: { ...control.options }, key, disabled } }];
    case 'toggle':
      return [{ ...row, control: { type: 'toggle', key, disabled } }];
  }
}

/**
 * Returns the settings page: the group of the server, and the others as pages that open, each with a line that says what is
 * set in it. While a server elsewhere is used, only what counts then: the other settings are
 * those of the server inside the app.
 */
export function settingDefinitions(deps: SettingDeps): SettingDefinitionItem[] {
  if (deps.serverUrl !== null) return [group('Server', [deps.statusRow, useServerRow(deps)]), screens()];
  return [
    group('Server', [...serverRows(deps), ...fields(deps, 'server'), useServerRow(deps)]),
    page(
      deps,
      'People and agents',
      ['people'],
      [
        ...fields(deps, 'people'),
        {
          name: 'Connect an agent',
          desc: 'Makes a token and the configuration to copy.',
          action: () => deps.connect(),
        },
        tokenList(deps),
      ],
    ),
    page(deps, 'Notes', ['notes'], [deps.readingRow, ...fields(deps, 'notes')]),
    page(deps, 'Ingestion', INGESTION, [deps.ingestRow, WATCH_HERE, ...fields(deps, ...INGESTION)]),
    page(deps, 'Search by meaning', MEANING, [
      deps.hybridRow,
      {
        name: 'Set up search by meaning',
        desc: 'Looks for embedders on this machine, tries a question of yours, and turns it on or off.',
        action: () => deps.setUpMeaning(),
      },
      ...fields(deps, ...MEANING),
    ]),
    page(deps, 'Answers and extraction', ['answers'], [deps.answersRow, ...fields(deps, 'answers')]),
    screens(),
  ];
}

const INGESTION = ['inbox', 'converter'] as const;
const MEANING = ['database', 'embedder', 'embedding', 'tables'] as const;
/** The most settings that the line of a page names. */
const MOST_SET = 3;

/** Returns a page that opens from the tab, with a line that says which settings of these groups are set. */
function page(
  deps: SettingDeps,
  name: string,
  groups: readonly SettingGroup[],
  items: SettingDefinitionItem[],
): SettingDefinitionPage {
  const set = SETTING_NAMES.flatMap((key) => {
    const value = groups.includes(SETTINGS[key].group) ? deps.setTo(key) : null;
    return value === null ? [] : [`${SETTINGS[key].name}: ${value}`];
  });
  const more = set.length - MOST_SET;
  const words = [...set.slice(0, MOST_SET), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  const desc = set.length === 0 ? 'Nothing is set: the defaults hold.' : `Set: ${words}.`;
  return { type: 'page', name, desc, items };
}

function screens(): SettingDefinitionGroup {
  return group('Screens', [
    {
      name: 'Single-letter keys',
      desc: 'A to promote, R to reject and so on, while a screen has the focus. Kept on this device.',
      control: { type: 'toggle', key: DEVICE_KEYS.letters },
    },
  ]);
}

function useServerRow({ serverUrl, useServer, leaveServer }: SettingDeps): SettingGroupItem {
  const { name, desc } = SETTINGS.serverUrl;
  const others = 'The settings of the server inside this app are kept, and show again when this one is left.';
  return {
    name,
    desc: serverUrl === null ? desc : `${serverUrl}. ${others}`,
    render: (setting) => {
      if (serverUrl !== null)
        setting.addButton((button) => button.setButtonText('Leave this server').onClick(leaveServer));
      setting.addButton((button) =>
        button.setButtonText(serverUrl === null ? 'Choose a server' : 'Change').onClick(useServer),
      );
    },
  };
}

function group(heading: string, items: SettingGroupItem[]): SettingDefinitionGroup {
  return { type: 'group', heading, items };
}

const WATCH_HERE: SettingGroupItem = {
  name: 'Watch the inbox on this device',
  desc: 'Files that come into the inbox become notes by themselves. Only one device of those that share this vault watches: switching it on here switches it off elsewhere. Files that are there already wait until you say so.',
  control: { type: 'toggle', key: DEVICE_KEYS.watch },
};

/** Returns the rows of the server that are not settings of the service. */
function serverRows(deps: SettingDeps): SettingGroupItem[] {
  const host = deps.variableOf('host');
  return [
    deps.statusRow,
    {
      name: 'Start on this device',
      desc: 'Starts the server with the app. Other devices that share this vault decide for themselves.',
      control: { type: 'toggle', key: DEVICE_KEYS.start },
    },
    {
      name: 'Folders',
      desc: 'Shows which folders are used and how many files each holds.',
      action: () => deps.showFolders(),
    },
    {
      name: SETTINGS.host.name,
      desc:
        host === undefined
          ? 'The server listens on 127.0.0.1, which no other machine can reach. This cannot be changed here.'
          : `Set by the environment variable ${host}.`,
    },
  ];
}

function tokenList({ tokens, connect, revoke }: SettingDeps): SettingDefinitionItem {
  return {
    type: 'list',
    heading: 'Tokens',
    emptyState: 'No agent is connected. Tokens are listed while the server runs.',
    items: tokens.map((token) => ({ name: token.name, desc: tokenLine(token), searchable: false })),
    addItem: { name: 'Connect an agent', action: () => connect() },
    onDelete: (index) => {
      const token = tokens[index];
      if (token !== undefined) revoke(token);
    },
  };
}

function tokenLine({ scopes, created_at, last_used, read, writeWings }: TokenEntry): string {
  const day = (time: string) => time.slice(0, 10);
  const made = created_at === '' ? 'made at the first start' : `made ${day(created_at)}`;
  const used = last_used === undefined ? 'never used' : `last used ${day(last_used)}`;
  const reads = read === undefined ? '' : `; reads only ${read.join(', ')}`;
  const writes = writeWings === undefined ? '' : `; writes only into ${writeWings.join(', ')}`;
  return `${scopes.join(', ')}${reads}${writes}; ${made}, ${used}`;
}
