import type { SettingDefinitionGroup } from 'obsidian';
import { DEVICE_KEYS } from './device-keys';
import { field, secretField, type SettingDeps } from './setting-fields';

/** Search by meaning: the database, the embedder, and how both are. */
export function hybridGroup(deps: SettingDeps): SettingDefinitionGroup {
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
export function ingestGroup(deps: SettingDeps): SettingDefinitionGroup {
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
export function answersGroup(deps: SettingDeps): SettingDefinitionGroup {
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
