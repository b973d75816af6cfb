import type { ServerResponse } from 'node:http';
import { startLoopbackServer } from './loopback-server';
import { meaningOf } from './word-vectors';

/** How a server with OpenAI's interface answers. */
export interface OpenAiManner {
  /** The numbers of a vector. */
  readonly numbers: number;
  /** Status and message for a text that is too long. */
  readonly tooLong: readonly [status: number, message: string];
  /** The most texts of one request. */
  readonly most: number;
  /** True when of too many texts the first alone is answered, instead of a refusal. */
  readonly answersFirst: boolean;
  /** False when `encoding_format` is refused. */
  readonly knowsFormat: boolean;
  /** True when the vectors come in another order than the texts. */
  readonly isShuffled: boolean;
}

export interface ScriptedOpenAi {
  readonly url: string;
  readonly asked: number;
  /** Texts longer than this are too long. */
  limit: number;
  stop(): Promise<void>;
}

/** Starts a server with OpenAI's interface for embeddings, of one of several kinds. */
export async function scriptedOpenAi(given: Partial<OpenAiManner>): Promise<ScriptedOpenAi> {
  const manner: OpenAiManner = {
    numbers: 768,
    tooLong: [400, 'The text exceeds the context length.'],
    most: 32,
    answersFirst: false,
    knowsFormat: true,
    isShuffled: false,
    ...given,
  };
  let asked = 0;
  function answer(body: { input?: string[]; encoding_format?: string }, res: ServerResponse): void {
    asked += 1;
    const input = body.input ?? [];
    const send = (status: number, value: unknown) => {
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(JSON.stringify(value));
    };
    if (!manner.knowsFormat && 'encoding_format' in body)
      return send(400, { error: { message: 'Unrecognized request argument supplied: encoding_format' } });
    if (input.some((text) => text.length > self.limit)) {
      const [status, message] = manner.tooLong;
      return send(status, { error: { message } });
    }
    if (input.length > manner.most && !manner.answersFirst)
      return send(422, { error: `batch size ${input.length} > maximum allowed batch size ${manner.most}` });
    const texts = input.slice(0, manner.most);
    const data = texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: sized(meaningOf(text)),
    }));
    return send(200, { object: 'list', data: manner.isShuffled ? data.toReversed() : data });
  }

  /** The vector with the numbers of the model: folded into fewer, or followed by small ones. */
  function sized(vector: Float32Array): number[] {
    const found = Array.from<unknown, number>({ length: manner.numbers }, (_, at) =>
      at >= vector.length ? 1e-4 : 0,
    );
    for (const [at, value] of vector.entries())
      found[at % manner.numbers] = (found[at % manner.numbers] ?? 0) + value;
    return found;
  }

  const { url, stop } = await startLoopbackServer((text, req, res) => {
    if (req.url === '/v1/embeddings' && req.method === 'POST') return answer(JSON.parse(text), res);
    res.writeHead(404).end();
  });
  const self: ScriptedOpenAi = {
    url,
    get asked() {
      return asked;
    },
    limit: Infinity,
    stop,
  };
  return self;
}
