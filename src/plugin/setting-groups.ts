import type { SettingDefinitionGroup } from 'obsidian';
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

/** Answers: the language model, and what is sent to it. */
export function answersGroup(deps: SettingDeps): SettingDefinitionGroup {
  return {
    type: 'group',
    heading: 'Answers',
    items: [
      deps.answersRow,
      field(deps, 'llmApi', {
        desc: 'The interface that the service speaks.',
        control: { type: 'dropdown', options: { ollama: 'Ollama', openai: 'OpenAI and compatible' } },
      }),
      field(deps, 'llmUrl', {
        desc: 'The address of the service. Your questions, and the text of the notes found for them, are sent to this address. Without one, answers are passages of the notes.',
        control: { type: 'text', placeholder: 'http://127.0.0.1:11434' },
      }),
      field(deps, 'llmModel', {
        desc: 'The model that answers.',
        control: { type: 'text', placeholder: 'qwen3:14b' },
      }),
      secretField(deps, 'llmKey', {
        desc: 'Sent to the service with every question, where it asks for one.',
      }),
    ],
  };
}
