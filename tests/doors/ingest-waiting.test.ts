import { createApp } from '../../src/doors/http/app';
import { type RunningServer, startServer } from '../../src/doors/http/listen';
import { fakeDocuments } from '../support/fake-documents';
import { openTestBrain, type TestBrain } from '../support/test-brain';
import { errorOf, post, TOKENS } from './http-support';
import { API_DESCRIPTION } from './contract/described-api';

const NOTE = 'raw/note.md';
const CALLS: readonly [string, object][] = [
  ['/ingest', { text: 'One text more.' }],
  ['/ingest-path', { path: 'inbox/one-more.md' }],
  ['/re-extract', { path: NOTE }],
];

let opened: TestBrain;
let server: RunningServer;
beforeEach(async () => {
  const sources = {
    locate: async (path: string) =>
      ({ kind: 'file', file: path, name: path, path: null, full: path }) as const,
    read: async () => new TextEncoder().encode('Words of a file.'),
    list: async () => [],
  };
  const more = { documents: fakeDocuments(), sources };
  opened = await openTestBrain({ [NOTE]: '# A note\n\nWritten by hand.\n' }, {}, undefined, more);
  server = await startServer(createApp({ brain: opened.brain, tokens: TOKENS, version: '1' }), {
    host: '127.0.0.1',
    port: 0,
  });
});
afterEach(async () => {
  await server.stop();
  await opened.close();
});

it('answers 503 with the time to wait when 64 wait to be ingested, and takes what comes after them', async () => {
  let end: () => void = () => undefined;
  const may = new Promise<void>((resolve) => (end = resolve));
  const { fileTurns } = opened.brain;
  const calls = Array.from({ length: 2 + 64 }, () => fileTurns.admit(() => fileTurns.run(() => may)));
  const before = [...opened.files];
  for (const [path, body] of CALLS) {
    const answer = await post(server.url, path, body);
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '10']);
    expect(errorOf(answer)).toMatchObject({ code: 'busy', details: { retry_after: 10 } });
  }
  expect([...opened.files]).toEqual(before);
  end();
  await Promise.all(calls);
  const statuses = CALLS.map(async ([path, body]) => (await post(server.url, path, body)).status);
  // The note was written by hand, so there is nothing to extract.
  expect(await Promise.all(statuses)).toEqual([200, 200, 400]);
});

it.each(CALLS)('tells of it in the description of %s', (path) => {
  const { responses } = Object(API_DESCRIPTION.paths[path]).post;
  expect(responses['503'].description).toContain('busy');
  expect(responses['503'].headers).toHaveProperty('Retry-After');
});
