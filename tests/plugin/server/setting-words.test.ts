import { answerInSettings, inSettings } from '../../../src/plugin/server/setting-words';
import { openTestBrain } from '../../support/test-brain';
import { createLocalClient } from '../../../src/plugin/server/client';

it.each([
  [
    'Set BRAIN_READ_SCOPE to vault, or choose "Every note of the vault".',
    'Set "What is read" to vault, or choose "Every note of the vault".',
  ],
  [
    'To have them found, set "What is read" to every note of the vault (BRAIN_READ_SCOPE=vault).',
    'To have them found, set "What is read" to every note of the vault.',
  ],
  [
    'Set BRAIN_PG_DSN and BRAIN_EMBED_URL to search by meaning too.',
    'Set "Postgres" and "Embedder" to search by meaning too.',
  ],
  [
    'Name another folder in the setting "Inbox folder" or BRAIN_WATCH_DIR.',
    'Name another folder in the setting "Inbox folder".',
  ],
  [
    'Folders that its owner allows (BRAIN_INGEST_ROOTS).',
    'Folders that its owner allows ("Folders to ingest from").',
  ],
  ['See that "Language model" (BRAIN_LLM_URL) is right.', 'See that "Language model" is right.'],
])('names the settings of the app: %s', (message, expected) => {
  expect(inSettings(message)).toBe(expected);
});

it.each([
  'Unset BRAIN_AUTH and start again.',
  'BRAIN_DEVICE cannot be used.',
  'The note MY_OWN_WORDS (A_B) is long.',
  '',
])('leaves what no row of the settings page can change: %s', (message) =>
  expect(inSettings(message)).toBe(message),
);

it('leaves the paths of an answer and its numbers', () => {
  const answer = {
    path: 'BRAIN_PG_DSN.md',
    total: 2,
    none: null,
    errors: [{ error: 'BRAIN_PG_DSN is wrong.' }],
  };
  expect(answerInSettings(answer)).toEqual({ ...answer, errors: [{ error: '"Postgres" is wrong.' }] });
});

it('reaches the checks and the errors that the screens show', async () => {
  const { brain } = await openTestBrain({ 'Journal.md': 'Dear diary.' }, { readScope: 'brain' });
  const client = createLocalClient(brain);
  const { checks } = await client.call('status', {});
  expect(JSON.stringify(checks)).not.toContain('BRAIN_');
  expect(checks.find(({ name }) => name === 'what is read')?.fix).toContain('"What is read"');
  await expect(client.call('backfill', {})).rejects.toThrow('Set "Postgres" and "Embedder"');
  client.close();
});
