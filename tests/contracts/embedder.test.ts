import { outgoingHttp } from '../../src/adapters/host/http';
import { ollamaEmbedder } from '../../src/adapters/models/embedder';
import type { Embedder } from '../../src/core/ports/ports';
import { DIMENSIONS } from '../../src/core/embeddings/pieces';
import { StopController } from '../../src/core/base/concurrency';
import { fakeEmbedder } from '../support/fake-embedder';
import { cosine } from '../support/memory-vectors';
import { scriptedEmbedder } from '../support/scripted-embedder';

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
    embedder: ollamaEmbedder({ http: outgoingHttp, url: server.url, model: 'some-model' }),
    limit: (length) => (server.limit = length),
    asked: () => server.bodies.length,
    close: () => server.stop(),
  };
}

const SUBJECTS: (readonly [name: string, make: () => Promise<Subject>])[] = [
  ['memory', fake],
  ['Ollama', ollama],
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
      details: { status: 400, too_long: true },
    });
  });

  it('gives up when it is told to', async () => {
    const stop = new StopController();
    stop.stop();
    await expect(subject.embedder.embed(['a'], 'query', stop)).rejects.toMatchObject({ code: 'embed_error' });
  });
});
