import { outgoingHttp } from '../../../src/adapters/host/http';
import { ollamaEmbedder } from '../../../src/adapters/models/embedder';
import { StopController } from '../../../src/core/base/concurrency';
import { BrainError } from '../../../src/core/base/errors';
import type { HttpClient } from '../../../src/core/ports/ports';
import { type Manner, type ScriptedEmbedder, scriptedEmbedder } from '../../support/scripted-embedder';

let server: ScriptedEmbedder;
beforeAll(async () => {
  server = await scriptedEmbedder();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.manner = 'ok';
  server.bodies.length = 0;
});

const embedder = (options: { model?: string; docPrefix?: string; queryPrefix?: string; url?: string } = {}) =>
  ollamaEmbedder({ http: outgoingHttp, url: server.url, model: 'nomic-embed-text', ...options });

async function failure(work: Promise<unknown>): Promise<BrainError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof BrainError)) throw new Error(`No BrainError: ${String(error)}`);
  return error;
}

it.each([
  [{}, 'search_document: a', 'search_query: a', 'nomic-embed-text'],
  [
    { model: 'hf/nomic-embed-text-v1.5' },
    'search_document: a',
    'search_query: a',
    'hf/nomic-embed-text-v1.5',
  ],
  [{ model: 'mxbai' }, 'a', 'a', 'mxbai'],
  [
    { model: 'e5', docPrefix: 'passage: ', queryPrefix: 'query: ' },
    'passage: a',
    'query: a',
    'e5 after "passage: "',
  ],
  [{ docPrefix: '', queryPrefix: '' }, 'a', 'a', 'nomic-embed-text after ""'],
  [{ queryPrefix: 'q: ' }, 'search_document: a', 'q: a', 'nomic-embed-text'],
])('puts the prefixes of the model before the texts: %j', async (options, document, query, maker) => {
  const one = embedder(options);
  await one.embed(['a'], 'document');
  await one.embed(['a'], 'query');
  expect(server.bodies.map(({ input }) => input)).toEqual([[document], [query]]);
  expect(server.bodies[0]).toMatchObject({ truncate: true, model: expect.any(String) });
  expect(one.maker).toBe(maker);
});

it('finds the path below an address that has one', async () => {
  const urls: string[] = [];
  const http: HttpClient = {
    send: async ({ url }) => {
      urls.push(url);
      return { status: 500, headers: {}, body: '' };
    },
  };
  for (const url of ['http://ai.lan:11434', 'http://ai.lan/', 'https://ai.lan/ollama//']) {
    await failure(ollamaEmbedder({ http, url, model: 'm' }).embed(['a'], 'query'));
  }
  expect(urls).toEqual([
    'http://ai.lan:11434/api/embed',
    'http://ai.lan/api/embed',
    'https://ai.lan/ollama/api/embed',
  ]);
});

it.each<[Manner, RegExp, number | undefined, boolean]>([
  ['error', /answered HTTP 500 for the model "nomic-embed-text"/, 500, false],
  ['not_found', /answered HTTP 404 .*ollama pull nomic-embed-text/, 404, false],
  ['short', /vectors of 384 numbers where 768 are needed\. Choose a model for 768-dimension/, 200, true],
  ['few', /0 vectors for 1 text\. See that BRAIN_EMBED_URL/, 200, true],
  ['nan', /holds no embeddings\. See that BRAIN_EMBED_URL/, 200, true],
  ['infinite', /something else than numbers\. Its own log says why/, 200, false],
  ['zero', /a vector of zeros\. Its own log says why/, 200, false],
  ['broken', /holds no embeddings\. See that BRAIN_EMBED_URL/, 200, true],
  ['flat', /something that is no vector\. See that BRAIN_EMBED_URL/, 200, true],
  ['huge', /answered more than is read/, undefined, false],
  ['reset', /cannot be reached \(ECONNRESET\)/, undefined, false],
  [
    'redirect',
    /which is not followed\. If you trust that one, set BRAIN_EMBED_URL to it\.$/,
    undefined,
    false,
  ],
])(
  'tells of an answer that is %s, and passes nothing of it on',
  async (manner, message, status, serves_nobody) => {
    server.manner = manner;
    const error = await failure(embedder().embed(['a private thought'], 'document'));
    const host = new URL(server.url).host;
    expect(error.code).toBe('embed_error');
    expect(error.message).toMatch(message);
    expect(error.message).toContain(host);
    expect(error.details).toEqual({
      host,
      ...(status !== undefined && { status }),
      ...(serves_nobody && { serves_nobody }),
    });
    expect(error.message).not.toMatch(/secret|private/);
  },
);

it('says that nobody answers, and shows no password of the address', async () => {
  const error = await failure(embedder({ url: 'http://me:secret@127.0.0.1:9' }).embed(['a'], 'query'));
  expect(error.message).toBe(
    'The embedder at 127.0.0.1:9 cannot be reached (ECONNREFUSED). See that it runs and that BRAIN_EMBED_URL is its address.',
  );
  expect(error.details).toEqual({ host: '127.0.0.1:9' });
});

it('lets go of an answer that does not come when it is told to', async () => {
  server.manner = 'slow';
  const stop = new StopController();
  const asked = failure(embedder().embed(['a'], 'query', stop));
  while (server.bodies.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.stop();
  expect((await asked).message).toContain('was no longer waited for');
});
