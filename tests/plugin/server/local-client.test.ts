import { writeNote } from '../../../src/core/notes/write';
import { CallError } from '../../../src/core/registry/client';
import { createLocalClient } from '../../../src/plugin/server/client';
import { answerInSettings, inSettings } from '../../../src/plugin/server/setting-words';
import { manualTime } from '../../support/manual-later';
import { callerWith, openTestBrain } from '../../support/test-brain';

const QUEUED = 'raw/2026-11-14-mtu.md';
const NOTE = '---\ntitle: Mtu\n---\n\nThe tunnel needs 1420.\n';

async function open(files: Record<string, string> = { [QUEUED]: NOTE }) {
  const { brain, ...test } = await openTestBrain(files, { humanName: 'anna' });
  const time = manualTime();
  return { ...test, brain, time, client: createLocalClient(brain, time.later) };
}

/** What a call was refused with; fails when it was not. */
async function refusal(call: Promise<unknown>): Promise<CallError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
  throw new Error('The call was not refused.');
}

it('acts as the person, with every scope', async () => {
  const { client, files } = await open();
  const { total } = await client.call('pending', {});
  expect(total).toBe(1);
  const { path } = await client.call('promote', { path: QUEUED, wing: 'net', hall: 'facts' });
  expect(files.get(path)).toMatch(/^promoted_by: human:anna$/m);
  const written = await client.call('write', {
    wing: 'net',
    hall: 'facts',
    filename: 'a.md',
    content: 'New words.',
  });
  expect(files.get(written.path)).toMatch(/^origin: obsidian$/m);
  expect(await client.call('verifyAudit', {})).toBeDefined();
});

it('takes back what a writer has done, after showing it', async () => {
  const { client, files, run } = await open({});
  const { path } = await run(
    writeNote,
    { wing: 'net', hall: 'facts', slug: 'mtu', content: '# MTU\n\nPoison.\n' },
    callerWith(['read', 'write'], 'rogue'),
  );
  const asked = { by: 'rogue', since: '24h' };
  const { count, plan } = await client.call('undo', { ...asked, dry_run: true });
  expect([count, files.has(path)]).toEqual([1, true]);
  await client.call('undo', { ...asked, plan });
  expect(files.has(path)).toBe(false);
  const [undone] = (await client.call('undos', {})).undos;
  await client.call('undoBack', { undo: undone?.undo ?? '' });
  expect(files.get(path)).toContain('Poison.');
});

it('refuses as the other doors do, with code, words and details', async () => {
  const { client } = await open({ 'wiki/net/facts/mtu.md': NOTE });
  const error = await refusal(
    client.call('write', { wing: 'net', hall: 'facts', filename: 'mtu.md', content: 'Other words.' }),
  );
  expect(error).toMatchObject({ name: 'CallError', code: 'note_exists' });
  expect(error.message).toContain('wiki/net/facts/mtu.md');
  expect(error.details).toMatchObject({ path: 'wiki/net/facts/mtu.md' });
  expect(error.requestId).toBeUndefined();
});

it('says nothing of what went wrong inside, and logs where', async () => {
  const { client, vault, brain } = await open();
  vault.read = () => Promise.reject(new Error('secret text of a note'));
  const error = await refusal(client.call('note', { path: QUEUED }));
  expect(error.code).toBe('internal');
  expect(error.message).not.toContain('secret');
  const { lines } = brain.log as unknown as { lines: { level: string; event: string; fields: object }[] };
  expect(lines.at(-1)).toMatchObject({
    level: 'error',
    event: 'local.internal',
    fields: { request_id: error.requestId, operation: 'note', error: 'Error' },
  });
  expect(JSON.stringify(lines)).not.toContain('secret');
});

it('tells of changes soon, once for many, until it is stopped', async () => {
  const { client, vault, time } = await open();
  let told = 0;
  const stop = client.changes(() => (told += 1));
  for (let i = 0; i < 10; i += 1) vault.outside(QUEUED, `${NOTE}${i}`);
  expect(told).toBe(0);
  time.pass(200);
  expect(told).toBe(1);
  vault.outside(QUEUED, null);
  time.pass(200);
  expect(told).toBe(2);
  client.changed();
  stop();
  time.pass(200);
  expect(told).toBe(2);
});

it('tells while changes go on and on', async () => {
  const { client, vault, time } = await open();
  let told = 0;
  client.changes(() => (told += 1));
  for (let i = 0; i < 40; i += 1) {
    vault.outside(QUEUED, `${NOTE}${i}`);
    time.pass(50);
  }
  expect(told).toBe(10);
});

it('answers and tells nothing once it is closed', async () => {
  const { client, vault, time } = await open();
  client.changes(() => {
    throw new Error('told of a change');
  });
  vault.outside(QUEUED, 'x');
  client.close();
  vault.outside(QUEUED, 'y');
  time.pass(1_000);
  expect(time.waiting).toBe(0);
  expect(await refusal(client.call('pending', {}))).toMatchObject({ code: 'unreachable' });
});

describe('the words of settings', () => {
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
});
