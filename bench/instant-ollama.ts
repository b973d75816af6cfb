import { startLoopbackServer } from '../tests/support/loopback-server';
import { topicalVectors } from '../tests/support/random-vectors';

export interface InstantOllama {
  readonly url: string;
  /** The texts of notes that it was asked for so far, and the calls that had them. */
  readonly asked: { texts: number; calls: number };
  stop(): Promise<void>;
}

/** The vectors that it answers with, one after the other. */
const VECTORS = 1000;

/** Starts a stand-in for Ollama that answers at once with made-up vectors of 768 numbers, so that all the time is ours. */
export async function instantOllama(): Promise<InstantOllama> {
  const vectors = topicalVectors(VECTORS, 5, 50).map((vector) =>
    JSON.stringify(Array.from(vector, (value) => Number(value.toFixed(9)))),
  );
  const asked = { texts: 0, calls: 0 };
  const { url, stop } = await startLoopbackServer((text, req, res) => {
    res.setHeader('content-type', 'application/json');
    if (req.url === '/api/tags') return res.end('{"models":[{"name":"nomic-embed-text:latest"}]}');
    if (req.url !== '/api/embed') return res.writeHead(404).end('{"error":"no such path"}');
    const { input }: { input: string[] } = JSON.parse(text);
    const answers = input.map((_, at) => vectors[(asked.texts + at) % VECTORS]);
    if (input[0]?.startsWith('search_document: ') === true) {
      asked.texts += input.length;
      asked.calls += 1;
    }
    return res.end(`{"embeddings":[${answers.join(',')}]}`);
  });
  return { url, asked, stop };
}
