import { CallError } from '../../../src/core/registry/client';
import { type Connected, createHttpClient, type Fetch } from '../../../src/ui/client/http';

type Sent = Parameters<Fetch>;

function clientOf(answer: () => Promise<{ status: number; body: unknown }>, token: string | null = 'secret') {
  const sent: Sent[] = [];
  const heard: Connected[] = [];
  const client = createHttpClient({
    url: 'http://127.0.0.1:27246',
    token: () => token,
    async fetch(...request) {
      sent.push(request);
      const { status, body } = await answer();
      return {
        status,
        json: async () => (typeof body === 'string' ? JSON.parse(body) : body),
        blob: async () => new Blob([String(body)]),
      };
    },
    pace: {
      later: (run) => {
        queueMicrotask(run);
        return () => undefined;
      },
      isVisible: () => true,
      onVisible: () => () => undefined,
    },
    onAnswer: (connected) => heard.push(connected),
  });
  return { client, sent, heard };
}

const ok = (body: unknown) => async () => ({ status: 200, body });
const failure = async (call: Promise<unknown>): Promise<CallError> => {
  const thrown: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof CallError)) throw new Error(`no CallError: ${String(thrown)}`);
  return thrown;
};

describe('a call', () => {
  it('puts what a GET asks into the query, and leaves out what is not given', async () => {
    const { client, sent, heard } = clientOf(ok({ path: 'x' }));
    const answer = await client.call('note', { path: 'wiki/a b&c.md', hash: undefined, max_chars: 500 });
    expect(answer).toEqual({ path: 'x' });
    expect(sent).toEqual([
      [
        'http://127.0.0.1:27246/note?path=wiki%2Fa+b%26c.md&max_chars=500',
        {
          method: 'GET',
          headers: {
            Accept: 'application/json',
            'x-brain-words': 'plain',
            'X-Brain-Page': 'true',
            Authorization: 'Bearer secret',
          },
          cache: 'no-store',
          credentials: 'omit',
          redirect: 'error',
        },
      ],
    ]);
    expect(heard).toEqual(['yes']);
  });

  it('puts what a DELETE asks into the query too, and sends no body', async () => {
    const { client, sent } = clientOf(ok({}));
    await client.call('cancelJob', { id: 'j 1' });
    const [url, init] = sent[0] ?? [];
    expect([url, init?.method]).toEqual(['http://127.0.0.1:27246/job?id=j+1', 'DELETE']);
    expect(init).not.toHaveProperty('body');
  });

  it('sends what a POST asks as JSON, and no token when there is none', async () => {
    const { client, sent } = clientOf(ok({}), null);
    await client.call('query', { query: 'mtu', limit: 3 });
    const [url, init] = sent[0] ?? [];
    expect([url, init?.method, init?.body]).toEqual([
      'http://127.0.0.1:27246/query',
      'POST',
      '{"query":"mtu","limit":3}',
    ]);
    expect(init?.headers).toEqual({
      Accept: 'application/json',
      'X-Brain-Page': 'true',
      'x-brain-words': 'plain',
      'Content-Type': 'application/json',
    });
  });

  it('tells a refusal with everything that the server said', async () => {
    const error = { code: 'note_not_found', message: 'No.', details: { path: 'a.md' }, request_id: 'r-1' };
    const { client, heard } = clientOf(async () => ({ status: 404, body: { error } }));
    expect(await failure(client.call('wings', {}))).toMatchObject({
      code: 'note_not_found',
      message: 'No.',
      details: { path: 'a.md' },
      requestId: 'r-1',
    });
    expect(heard).toEqual(['yes']);
  });

  it('tells a token that was not taken', async () => {
    const error = { code: 'unauthorized', message: 'A valid token is needed.', request_id: 'r-1' };
    const { client, heard } = clientOf(async () => ({ status: 401, body: { error } }));
    expect((await failure(client.call('wings', {}))).code).toBe('unauthorized');
    expect(heard).toEqual(['unauthorized']);
  });

  const lost = () => Promise.reject(new TypeError('Failed to fetch'));
  const keysOf = (sent: readonly Sent[]) => sent.map(([, { headers }]) => headers['Idempotency-Key']);

  it('is asked again by its key when a change gets no answer', async () => {
    let asked = 0;
    const { client, sent, heard } = clientOf(async () =>
      (asked += 1) < 3 ? lost() : { status: 200, body: { path: 'a.md' } },
    );
    expect(await client.call('write', { content: 'x' })).toEqual({ path: 'a.md' });
    const keys = keysOf(sent);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(heard).toEqual(['yes']);
    await client.call('write', { content: 'x' });
    expect(keysOf(sent)[3]).not.toBe(keys[0]);
  });

  it('tells that it is not known whether a change without an answer was made, and nothing of a read', async () => {
    const { client, sent } = clientOf(lost);
    const changed = await failure(client.call('write', { content: 'x' }));
    expect([changed.code, changed.details]).toEqual(['unreachable', { isUnknown: true }]);
    expect(sent).toHaveLength(3);
    for (const call of [client.call('wings', {}), client.call('write', { content: 'x', dry_run: true })])
      expect((await failure(call)).details).toEqual({});
    expect(keysOf(sent).slice(3)).toEqual([undefined, undefined]);
  });

  it.each([
    ['nobody answers', () => Promise.reject(new TypeError('Failed to fetch')), /No answer from http:\/\/127/],
    ['a proxy answers', async () => ({ status: 502, body: '<html>' }), /not Brain Server \(HTTP 502\)/],
    ['something else answers', async () => ({ status: 404, body: { error: 'x' } }), /not Brain Server/],
    ['the answer is cut off', async () => ({ status: 200, body: '{"wi' }), /not Brain Server \(HTTP 200\)/],
  ])('is unreachable when %s', async (_, answer, message) => {
    const { client, heard } = clientOf(answer);
    const thrown = await failure(client.call('wings', {}));
    expect([thrown.code, thrown.message]).toEqual(['unreachable', expect.stringMatching(message)]);
    expect(heard).toEqual(['unreachable']);
  });
});
