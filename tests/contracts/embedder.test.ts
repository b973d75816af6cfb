import type { Embedder } from '../../src/core/ports/ports';
import { DIMENSIONS } from '../../src/core/embeddings/pieces';
import { StopController } from '../../src/core/base/concurrency';
import { embedderAt } from '../support/configured';
import { fakeEmbedder } from '../support/fake-embedder';
import { cosine } from '../support/memory-vectors';
import { scriptedEmbedder } from '../support/scripted-embedder';
import { type OpenAiManner, scriptedOpenAi } from '../support/scripted-openai-embedder';

interface Subject {
  readonly embedder: Embedder;
  /** Makes texts longer than this too long. */
  limit(length: number): void;
  asked(): number;
  close(): Promise<void>;
}

async function fake(): Promise<Subject> {
  const embedder = fakeEmbedder();
  return {
    embedder,
    limit: (length) => (embedder.limit = length),
    asked: () => embedder.calls.length,
    close: async () => undefined,
  };
}

async function ollama(): Promise<Subject> {
  const server = await scriptedEmbedder();
  return {
    embedder: embedderAt('ollama', server.url),
    limit: (length) => (server.limit = length),
    asked: () => server.bodies.length,
    close: () => server.stop(),
  };
}

const openAi = (manner: Partial<OpenAiManner>) => async (): Promise<Subject> => {
  const server = await scriptedOpenAi(manner);
  return {
    embedder: embedderAt('openai', `${server.url}/v1`),
    limit: (length) => (server.limit = length),
    asked: () => server.asked,
    close: () => server.stop(),
  };
};

const SUBJECTS: (readonly [name: string, make: () => Promise<Subject>])[] = [
  ['memory', fake],
  ['Ollama', ollama],
  ['LM Studio', openAi({})],
  [
    'llama.cpp',
    openAi({
      tooLong: [500, 'input (600 tokens) is too large to process. increase the physical batch size'],
    }),
  ],
  [
    'text-embeddings-inference',
    openAi({ most: 2, tooLong: [413, '`inputs` must have less than 512 tokens. Given: 600'] }),
  ],
  ['vLLM', openAi({ tooLong: [400, "This model's maximum context length is 512 tokens"] })],
  ['a server that answers the first text alone', openAi({ most: 1, answersFirst: true })],
  ['a service that knows no format, in no order', openAi({ knowsFormat: false, isShuffled: true })],
  ...[64, 384, 768, 1024, 3072].map(
    (numbers) => [`a model of ${numbers} numbers`, openAi({ numbers })] as const,
  ),
];

describe.each(SUBJECTS)('Embedder in %s', (_, make) => {
  let subject: Subject;
  beforeEach(async () => {
    subject = await make();
  });
  afterEach(() => subject.close());

  it('answers one vector for each text, in order, near when the texts are', async () => {
    const { embedder } = subject;
    const [car, auto, rain] = await embedder.embed(['the car', 'the automobile', 'some rain ☂'], 'document');
    const [again] = await embedder.embed(['the car'], 'document');
    if (!car || !auto || !rain || !again) throw new Error('There are four vectors.');
    for (const vector of [car, auto, rain]) {
      expect(vector).toBeInstanceOf(Float32Array);
      expect(vector).toHaveLength(DIMENSIONS);
      expect(vector.every(Number.isFinite)).toBe(true);
    }
    expect(again).toEqual(car);
    expect(cosine(car, auto)).toBeGreaterThan(0.9);
    expect(cosine(car, rain)).toBeLessThan(0.5);
  });

  it('asks nobody for no text, and refuses an empty one', async () => {
    const { embedder, asked } = subject;
    expect(await embedder.embed([], 'query')).toEqual([]);
    for (const texts of [[''], ['a', ' \n']]) {
      await expect(embedder.embed(texts, 'query')).rejects.toMatchObject({ code: 'empty_content' });
    }
    expect(asked()).toBe(0);
  });

  it('says which text is too long', async () => {
    subject.limit(50);
    await expect(subject.embedder.embed(['short', 'x'.repeat(60)], 'document')).rejects.toMatchObject({
      code: 'embed_error',
      details: { too_long: true },
    });
  });

  it('gives up when it is told to', async () => {
    const stop = new StopController();
    stop.stop();
    await expect(subject.embedder.embed(['a'], 'query', stop)).rejects.toMatchObject({ code: 'embed_error' });
  });
});
