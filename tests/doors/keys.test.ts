import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { KEY_HEADER, KEY_IN_META } from '../../src/core/operation/descriptors';
import { type LiveServer, startLiveServer } from '../support/live-server';
import { shownValue } from '../support/mcp-answer';

let server: LiveServer;
let client: Client;
beforeEach(async () => {
  server = await startLiveServer({});
  client = await server.mcp('laptop');
});
afterEach(() => server.stop());

async function post(path: string, body: object, key: string, token = 'laptop') {
  const answer = await fetch(server.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      [KEY_HEADER]: key,
    },
    body: JSON.stringify(body),
  });
  const replayed = answer.headers.get('idempotency-replayed');
  return { status: answer.status, replayed, body: Object(await answer.json()) };
}

async function tool(name: string, args: object, key: unknown) {
  const params = { name, arguments: args, _meta: { [KEY_IN_META]: key } };
  const result = await client.request({ method: 'tools/call', params }, CallToolResultSchema);
  const { isError = false } = result;
  const answer = shownValue(result);
  return { isError, answer, error: isError ? Object(answer.error) : undefined };
}

const note = { content: 'text', wing: 'net', hall: 'facts', slug: 'mtu' };

it('answers a repeated call as the first one, over both doors', async () => {
  const first = await post('/write', note, 'k-1');
  expect([first.status, first.replayed, first.body.created]).toEqual([200, null, true]);
  const before = await server.snapshot();
  expect(await post('/write', note, 'k-1')).toEqual({ ...first, replayed: 'true' });
  const { slug, hall, wing, content } = note;
  expect(await post('/write', { slug, hall, wing, content, dry_run: false }, 'k-1')).toEqual({
    ...first,
    replayed: 'true',
  });
  const { path, content_hash } = first.body;
  expect((await tool('brain_write', note, 'k-1')).answer).toEqual({ path, content_hash });
  // The audit log has a line for the tool call, which the snapshot leaves out.
  expect(await server.snapshot()).toEqual(before);
  expect((await post('/write', note, 'k-1', 'owner')).body).toMatchObject({ unchanged: true });
});

it('refuses a key with another input, and what is no key', async () => {
  await post('/write', note, 'k-1');
  const before = await server.snapshot();
  const other = { ...note, slug: 'other' };
  expect(await post('/write', other, 'k-1')).toMatchObject({
    status: 409,
    body: { error: { code: 'key_reused', details: { made: false } } },
  });
  expect(await tool('brain_write', other, 'k-1')).toMatchObject({
    isError: true,
    error: { code: 'key_reused' },
  });
  for (const key of ['', 'a b', 'x'.repeat(129)])
    expect(await post('/write', other, key)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_field', details: { field: 'Idempotency-Key' } } },
    });
  for (const key of ['', 'ü', 7])
    expect([key, await tool('brain_write', other, key)]).toMatchObject([
      key,
      { isError: true, error: { code: 'invalid_field' } },
    ]);
  expect(await server.snapshot()).toEqual(before);
  expect((await post('/query', { query: 'x' }, 'a b')).status).toBe(200);
});

it('gives the job of the first call, and answers anew where a repeated call makes no difference', async () => {
  const ask = { text: '# A\n', title: 'A', background: true };
  const [first, second] = [await post('/ingest', ask, 'k-1'), await post('/ingest', ask, 'k-1')];
  expect(first.body.job).toEqual(expect.any(String));
  expect(second).toEqual({ ...first, replayed: 'true' });
  for (let calls = 0; calls < 2; calls += 1)
    expect(await post('/index', {}, 'k-1', 'owner')).toMatchObject({ status: 200, replayed: null });
});
