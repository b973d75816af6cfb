import { StopController } from '../../../src/core/base/concurrency';
import { BrainError } from '../../../src/core/base/errors';
import type { HttpClient } from '../../../src/core/ports/ports';
import { embedderAt } from '../../support/configured';
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

const embedder = ({
  url = server.url,
  ...options
}: { url?: string } & Parameters<typeof embedderAt>[2] = {}) =>
  embedderAt('ollama', url, { model: 'nomic-embed-text', ...options });

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
  [{ model: 'multilingual-e5-small' }, 'passage: a', 'query: a', 'multilingual-e5-small after "passage: "'],
  [{ model: 'e5-mistral-7b-instruct' }, 'a', 'a', 'e5-mistral-7b-instruct'],
  [
    { model: 'embeddinggemma:300m' },
    'title: none | text: a',
    'task: search result | query: a',
    'embeddinggemma:300m after "title: none | text: "',
  ],
  [{ model: 'bge-m3' }, 'a', 'a', 'bge-m3'],
  [{ model: 'qwen3-embedding', dimensions: 256 }, 'a', 'a', 'qwen3-embedding, first 256'],
  [{ model: 'qwen3-embedding', dimensions: 768 }, 'a', 'a', 'qwen3-embedding'],
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
    await failure(embedderAt('ollama', url, { http }).embed(['a'], 'query'));
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

describe('OpenAI and compatible', () => {
  /** Answers in the order given, and keeps what was sent. */
  function scripted(
    ...answers: (readonly [status: number, body: unknown, headers?: Record<string, string>])[]
  ) {
    const sent: { url: string; headers: Readonly<Record<string, string>>; body: Record<string, unknown> }[] =
      [];
    const http: HttpClient = {
      send: async ({ url, headers, body }) => {
        sent.push({ url, headers, body: JSON.parse(body ?? '') as Record<string, unknown> });
        const [status, answer, more = {}] = answers.shift() ?? [500, ''];
        return {
          status,
          headers: more,
          body: typeof answer === 'string' ? answer : JSON.stringify(answer),
        };
      },
    };
    const open = ({
      url = 'http://127.0.0.1:1234/v1/',
      ...options
    }: { url?: string } & Parameters<typeof embedderAt>[2] = {}) =>
      embedderAt('openai', url, { http, ...options });
    return { sent, open };
  }

  const vector = (first: number, numbers = 768) =>
    Array.from({ length: numbers }, (_, at) => (at === 0 ? first : 1));
  const data = (...indexes: unknown[]) => ({
    data: indexes.map((index) => ({ index, embedding: vector(Number(index) + 1) })),
  });

  it('puts the vectors in the order of their indexes', async () => {
    const { open, sent } = scripted([200, data(2, 0, 1)]);
    const vectors = await open().embed(['a', 'b', 'c'], 'query');
    expect(vectors.map(([first]) => first)).toEqual([1, 2, 3]);
    expect(sent).toMatchObject([
      {
        url: 'http://127.0.0.1:1234/v1/embeddings',
        body: { model: 'm', input: ['a', 'b', 'c'], encoding_format: 'float' },
      },
    ]);
  });

  it.each([[[0, 0]], [[0, 2]], [[0, undefined]], [[0, 1, 2]]])('refuses the indexes %j', async (indexes) => {
    const { open } = scripted([200, data(...indexes)]);
    expect((await failure(open().embed(['a', 'b'], 'query'))).details).toMatchObject({ serves_nobody: true });
  });

  it('leaves out the field that a service refuses, from then on', async () => {
    const { open, sent } = scripted([422, { error: 'encoding_format' }], [200, data(0)], [200, data(0)]);
    const one = open();
    await one.embed(['a'], 'query');
    await one.embed(['b'], 'query');
    expect(sent.map(({ body }) => 'encoding_format' in body)).toEqual([true, false, false]);
  });

  it('asks text by text where a server answers the first one alone', async () => {
    const { open, sent } = scripted([200, data(0)], [200, data(0)], [200, data(0)], [200, data(0)]);
    const one = open();
    expect(await one.embed(['a', 'b'], 'query')).toHaveLength(2);
    await one.embed(['c'], 'query');
    expect(sent.map(({ body }) => body.input)).toEqual([['a', 'b'], ['a'], ['b'], ['c']]);
  });

  it('halves a request that has too many texts', async () => {
    const tooMany = { error: 'batch size 4 > maximum allowed batch size 2' };
    const { open, sent } = scripted([422, tooMany], [200, data(0, 1)], [200, data(0, 1)]);
    expect(await open().embed(['a', 'b', 'c', 'd'], 'query')).toHaveLength(4);
    expect(sent.map(({ body }) => body.input)).toEqual([
      ['a', 'b', 'c', 'd'],
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it.each([
    [500, 'input (600 tokens) is too large to process. increase the physical batch size'],
    [413, '`inputs` must have less than 512 tokens. Given: 600'],
    [400, "This model's maximum context length is 8192 tokens"],
  ])('knows a text that is too long by %i "%s"', async (status, message) => {
    const { open, sent } = scripted([status, { error: { message } }]);
    expect((await failure(open().embed(['a', 'b'], 'document'))).details).toMatchObject({
      status,
      too_long: true,
    });
    expect(sent).toHaveLength(1);
  });

  it('keeps the key where it would cross a network openly, and says so', async () => {
    for (const [url, header] of [
      ['http://127.0.0.1:1234/v1', 'Bearer k'],
      ['https://api.example/v1', 'Bearer k'],
      ['http://gpu.lan/v1', undefined],
    ] as const) {
      const { open, sent } = scripted([401, '']);
      const error = await failure(open({ url, key: 'k' }).embed(['a'], 'query'));
      expect(sent[0]?.headers.authorization).toBe(header);
      expect(error.message).toContain('See that BRAIN_EMBED_KEY is right.');
      expect(error.message.includes('The key is not sent')).toBe(header === undefined);
    }
  });

  it('tells how long not to ask', async () => {
    const { open } = scripted([429, '', { 'retry-after': '30' }]);
    expect((await failure(open().embed(['a'], 'query'))).details).toMatchObject({
      status: 429,
      retry_after: 30,
    });
  });

  it('refuses numbers that are too few, too many, or others than before', async () => {
    for (const numbers of [0, 63, 4097]) {
      const { open } = scripted([200, { data: [{ index: 0, embedding: vector(1, numbers) }] }]);
      expect((await failure(open().embed(['a'], 'query'))).details).toMatchObject({ serves_nobody: true });
    }
    const { open } = scripted([200, data(0)], [200, { data: [{ index: 0, embedding: vector(1, 384) }] }]);
    const one = open();
    await one.embed(['a'], 'query');
    expect((await failure(one.embed(['a'], 'query'))).message).toContain(
      '384 numbers for a text, after 768 before',
    );
  });

  it('warns of a model that is not known to be made for cutting, and of no other', async () => {
    const long = [200, { data: [{ index: 0, embedding: vector(1, 1024) }] }] as const;
    for (const [options, caveat] of [
      [
        { model: 'bge-m3' },
        expect.stringContaining('answers 1024 numbers for a text; the first 768 are kept'),
      ],
      [{ model: 'text-embedding-3-large' }, null],
      [{ model: 'bge-m3', dimensions: 512 }, null],
    ] as const) {
      const one = scripted(long).open(options);
      expect(one.caveat).toBeNull();
      const [first] = await one.embed(['a'], 'query');
      expect(one.caveat).toEqual(caveat);
      expect(Math.hypot(...(first ?? []))).toBeCloseTo(1, 5);
      if ('dimensions' in options) expect(first?.slice(512).every((value) => value === 0)).toBe(true);
    }
  });
});
