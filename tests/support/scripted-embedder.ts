import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLoopbackServer } from './loopback-server';
import { meaningOf } from './word-vectors';

/** How the server answers; `slow` never does, until it is told to do something else. */
export type Manner =
  | 'ok'
  | 'slow'
  | 'error'
  | 'not_found'
  | 'short'
  | 'few'
  | 'nan'
  | 'infinite'
  | 'zero'
  | 'broken'
  | 'flat'
  | 'huge'
  | 'reset'
  | 'redirect';

export interface ScriptedEmbedder {
  readonly url: string;
  /** What was asked last, as it came. */
  readonly bodies: { model?: unknown; input?: string[]; truncate?: unknown }[];
  manner: Manner;
  /** Texts longer than this are refused as Ollama does. */
  limit: number;
  /** Waits so long before a good answer, in milliseconds. */
  delay: number;
  /** Cuts every connection and listens no more; `start` listens on the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** An Ollama of which a test decides how it fails. */
export async function scriptedEmbedder(): Promise<ScriptedEmbedder> {
  const waiting = new Set<ServerResponse>();

  function answer(body: ScriptedEmbedder['bodies'][number], req: IncomingMessage, res: ServerResponse): void {
    self.bodies.push(body);
    const input = body.input ?? [];
    const send = (status: number, value: unknown) => {
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    const vectors = () => input.map((text) => [...meaningOf(text)]);
    const text = (value: string) =>
      `{"embeddings":[[${Array.from({ length: 768 }, () => value).join(',')}]]}`;
    if (req.url !== '/api/embed' || req.method !== 'POST') return send(404, { error: 'no such path' });
    switch (self.manner) {
      case 'ok':
        if (input.some((each) => each.length > self.limit)) {
          return send(400, { error: 'the input length exceeds the context length' });
        }
        setTimeout(() => send(200, { model: body.model, embeddings: vectors() }), self.delay);
        return;
      case 'slow':
        waiting.add(res);
        return;
      case 'error':
        return send(500, { error: 'cuda /home/someone/secret.gguf' });
      case 'not_found':
        return send(404, { error: 'model not found, try pulling it first' });
      case 'short':
        return send(200, { embeddings: vectors().map((vector) => vector.slice(0, 384)) });
      case 'few':
        return send(200, { embeddings: vectors().slice(1) });
      case 'nan':
        return send(200, text('NaN'));
      case 'infinite':
        return send(200, text('1e999'));
      case 'zero':
        return send(200, text('0'));
      case 'broken':
        return send(200, '{"embeddings": [[0.1, 0.2');
      case 'flat':
        return send(200, { embeddings: vectors().flatMap((vector) => vector.slice(0, 1)) });
      case 'huge':
        return send(200, ' '.repeat(17 * 1024 * 1024));
      case 'reset':
        req.socket.resetAndDestroy();
        return;
      case 'redirect':
        res.writeHead(307, { location: 'http://127.0.0.1:9/api/embed' });
        res.end();
    }
  }

  const { url, start, stop } = await startLoopbackServer((text, req, res) =>
    answer(JSON.parse(text), req, res),
  );
  const self: ScriptedEmbedder = {
    url,
    bodies: [],
    manner: 'ok',
    limit: Infinity,
    delay: 0,
    start,
    stop,
  };
  return self;
}
