import type { SettingDefinitionGroup, SettingDefinitionItem } from 'obsidian';
import type { TokenEntry } from '../ui/host';
import { DEVICE_KEYS } from './device-keys';
import { field, type SettingDeps } from './setting-fields';
import { answersGroup, hybridGroup, ingestGroup } from './setting-groups';

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
