import {
  type App,
  SecretComponent,
  type SettingDefinitionGroup,
  type SettingDefinitionItem,
  type SettingGroupItem,
} from 'obsidian';
import { SETTINGS } from '../../core/config/settings';
import type { TokenEntry } from '../../ui/client/host';
import type { SecretSetting } from './secrets';

/** Rows of the settings page that speak of this device alone; what they turn is no setting of the service. */
export const DEVICE_KEYS = {
  start: 'startHere',
  letters: 'singleLetterKeys',
  watch: 'watchHere',
} as const;

/** What the definitions need to know and to do. */
interface SettingDeps {
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
function field(deps: SettingDeps, key: keyof typeof SETTINGS, { desc, control }: Field): SettingGroupItem {
  const { name } = SETTINGS[key];
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
function secretField(
  deps: SettingDeps,
  key: SecretSetting,
  { desc }: { readonly desc: string },
): SettingGroupItem {
  const { name } = SETTINGS[key];
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

/** Search by meaning: the database, the embedder, and how both are. */
function hybridGroup(deps: SettingDeps): SettingDefinitionGroup {
  return {
    type: 'group',
    heading: 'Hybrid search',
    items: [
      deps.hybridRow,
      secretField(deps, 'pgDsn', {
        desc: 'The connection string of a database with pgvector, such as postgres://user:password@localhost/brain. Paths of notes, hashes and vectors are kept there. Needs "Embedder" too.',
      }),
      field(deps, 'embedUrl', {
        desc: 'The address of Ollama. The text of your reviewed notes, and what you search for, is sent to this address. Needs "Postgres" too.',
        control: { type: 'text', placeholder: 'http://127.0.0.1:11434' },
      }),
      field(deps, 'embedModel', {
        desc: 'After a change run “Backfill embeddings”: vectors of two models cannot be compared.',
        control: { type: 'text', placeholder: 'nomic-embed-text' },
      }),
      field(deps, 'embedSyncInterval', {
        desc: 'Seconds. Notes that have changed are also embedded once they have come to rest.',
        control: { type: 'number', min: 30, step: 1 },
      }),
      field(deps, 'pgSchema', {
        desc: 'Where the table of the vectors is made.',
        control: { type: 'text', placeholder: 'public' },
      }),
    ],
  };
}

/** How documents come in: the inbox, where their pages go, and the converter. */
function ingestGroup(deps: SettingDeps): SettingDefinitionGroup {
  return {
    type: 'group',
    heading: 'Ingestion',
    items: [
      deps.ingestRow,
      {
        name: 'Watch the inbox on this device',
        desc: 'Files that come into the inbox become notes by themselves. Only one device of those that share this vault watches: switching it on here switches it off elsewhere. Files that are there already wait until you say so.',
        control: { type: 'toggle', key: DEVICE_KEYS.watch },
      },
      field(deps, 'watchDir', {
        desc: 'Where files are dropped. Handled originals are kept in inbox/processed.',
        control: { type: 'text', placeholder: 'inbox' },
      }),
      field(deps, 'ingestDestination', {
        desc: 'A page goes to the wiki only when it names a wing and a hall.',
        control: { type: 'dropdown', options: { raw: 'The review queue', wiki: 'The wiki' } },
      }),
      field(deps, 'ingestRoots', {
        desc: 'Folders outside the vault that agents may have ingested, between commas. None while this is empty.',
        control: { type: 'text', placeholder: '/home/me/papers' },
      }),
      field(deps, 'converterUrl', {
        desc: 'The address of a converter that speaks MCP, such as markitdown-mcp. Office documents and images are sent to this address whole. Without one they stay in the inbox.',
        control: { type: 'text', placeholder: 'http://127.0.0.1:3001/mcp' },
      }),
      secretField(deps, 'converterToken', {
        desc: 'Sent to the converter with every document, where it asks for one.',
      }),
    ],
  };
}

/** The language model, and what is sent to it. */
function answersGroup(deps: SettingDeps): SettingDefinitionGroup {
  return {
    type: 'group',
    heading: 'Answers and extraction',
    items: [
      deps.answersRow,
      field(deps, 'llmApi', {
        desc: 'The interface that the service speaks.',
        control: { type: 'dropdown', options: { ollama: 'Ollama', openai: 'OpenAI and compatible' } },
      }),
      field(deps, 'llmUrl', {
        desc: 'The address of the service. Your questions, the text of the notes found for them, and the text of documents that you ingest are sent to this address. Without one, answers are passages of the notes, and documents become notes as they are.',
        control: { type: 'text', placeholder: 'http://127.0.0.1:11434' },
      }),
      field(deps, 'llmModel', {
        desc: 'The model that answers, and that takes pages from documents.',
        control: { type: 'text', placeholder: 'qwen3:14b' },
      }),
      secretField(deps, 'llmKey', {
        desc: 'Sent to the service with everything that it is asked, where it wants one.',
      }),
    ],
  };
}

/** The settings page as a list of groups: only what this version can do. */
export function settingDefinitions(deps: SettingDeps): SettingDefinitionItem[] {
  return [
    serverGroup(deps),
    agentsGroup(deps),
    tokenList(deps),
    notesGroup(deps),
    ingestGroup(deps),
    hybridGroup(deps),
    answersGroup(deps),
    screensGroup(deps),
  ];
}

function serverGroup(deps: SettingDeps): SettingDefinitionGroup {
  const host = deps.variableOf('host');
  return {
    type: 'group',
    heading: 'Server',
    items: [
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
        name: 'Address',
        desc:
          host === undefined
            ? 'The server listens on 127.0.0.1, which no other machine can reach. This cannot be changed here.'
            : `Set by the environment variable ${host}.`,
      },
      field(deps, 'port', {
        desc: 'Agents hold this address: after a change they have to be connected again. Two vaults need two ports.',
        control: { type: 'number', min: 0, max: 65535, step: 1 },
      }),
      field(deps, 'allowedHosts', {
        desc: 'Names under which a proxy of yours reaches the server, between commas.',
        control: { type: 'text', placeholder: 'brain.local' },
      }),
      field(deps, 'allowedOrigins', {
        desc: 'Web pages that may call the server from a browser, between commas.',
        control: { type: 'text', placeholder: 'https://notes.example' },
      }),
      field(deps, 'rateLimit', {
        desc: 'How many changes one token may make in a minute; 0 for any number.',
        control: { type: 'number', min: 0, step: 1 },
      }),
      field(deps, 'rateBytes', {
        desc: 'How many bytes one token may send in a minute for changes; 0 for any number.',
        control: { type: 'number', min: 0, step: 1 },
      }),
    ],
  };
}

function agentsGroup(deps: SettingDeps): SettingDefinitionGroup {
  return {
    type: 'group',
    heading: 'People and agents',
    items: [
      field(deps, 'humanName', {
        desc: 'Stamped on what you write and decide here.',
        control: { type: 'text', placeholder: 'me' },
      }),
      field(deps, 'tools', {
        desc: 'Fewer tools take less of what an agent can hold in mind.',
        control: { type: 'dropdown', options: { core: 'The basic ones', full: 'All' } },
      }),
      {
        name: 'Connect an agent',
        desc: 'Makes a token and the configuration to copy.',
        action: () => deps.connect(),
      },
    ],
  };
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

function tokenLine({ scopes, created_at, last_used }: TokenEntry): string {
  const day = (time: string) => time.slice(0, 10);
  const made = created_at === '' ? 'made at the first start' : `made ${day(created_at)}`;
  const used = last_used === undefined ? 'never used' : `last used ${day(last_used)}`;
  return `${scopes.join(', ')}; ${made}, ${used}`;
}

function notesGroup(deps: SettingDeps): SettingDefinitionGroup {
  return {
    type: 'group',
    heading: 'Notes',
    items: [
      field(deps, 'captureWing', {
        desc: 'Where a captured thought goes when it names no wing.',
        control: { type: 'text', placeholder: 'notes' },
      }),
      field(deps, 'rootNote', {
        desc: 'The note that tells every agent how to use this vault.',
        control: { type: 'text', placeholder: 'AGENTS.md' },
      }),
      field(deps, 'rootEdit', {
        desc: 'Only tokens with the right to administer can try.',
        control: {
          type: 'dropdown',
          options: { allow: 'Change it and tell me', propose: 'Put it in the review queue', deny: 'Refuse' },
        },
      }),
      field(deps, 'gateActiveContent', {
        desc: 'Scripts, frames and queries that run code are made plain text in what agents write.',
        control: { type: 'toggle' },
      }),
      field(deps, 'followMoves', {
        desc: 'When you move a note to another wing or hall, its properties and both maps follow.',
        control: { type: 'toggle' },
      }),
    ],
  };
}

function screensGroup(_: SettingDeps): SettingDefinitionGroup {
  return {
    type: 'group',
    heading: 'Screens',
    items: [
      {
        name: 'Single-letter keys',
        desc: 'A to promote, R to reject and so on, while a screen has the focus. Kept on this device.',
        control: { type: 'toggle', key: DEVICE_KEYS.letters },
      },
    ],
  };
}
