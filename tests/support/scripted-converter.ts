import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the converter got it. */
export interface AskedOfConverter {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  /** The document in it, when it came in the way that markitdown-mcp wants. */
  readonly file: { readonly mediaType: string; readonly bytes: Buffer } | null;
}

/** What the converter does with one request. */
export type ConverterTurn =
  /** Answers this text, as markitdown-mcp does. */
  | { readonly text: string; readonly as?: 'json' | 'sse' }
  /** The tool says that it failed. */
  | { readonly toolError: string }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  /** Takes the request and never answers. */
  | 'hang'
  /** Cuts the connection in the middle of the answer. */
  | 'die'
  | ((asked: AskedOfConverter) => ConverterTurn);

export interface ScriptedConverter {
  readonly url: string;
  readonly asked: AskedOfConverter[];
  /** What is done with the next requests, in order; the last turn also with all that follow. Forgets what was asked. */
  script(...turns: ConverterTurn[]): void;
  close(): Promise<void>;
}

/** A document converter that says what its script says; without one it answers like markitdown-mcp. */
export async function startScriptedConverter(): Promise<ScriptedConverter> {
  const asked: AskedOfConverter[] = [];
  let turns: ConverterTurn[] = [likeMarkitdown];
  const server = createServer((req, res) => {
    void readRequest(req).then((request) => {
      asked.push(request);
      const turn = turns.length > 1 ? turns.shift() : turns[0];
      play(turn ?? likeMarkitdown, request, res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // Only a pipe's address is text.
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    asked,
    script(...next) {
      turns = next;
      asked.length = 0;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Its only argument is `uri`, and of a picture it finds no text. */
export const likeMarkitdown: ConverterTurn = ({ file }) => {
  if (file === null)
    return { toolError: '1 validation error for convert_to_markdownArguments\nuri\n  Field required' };
  if (file.mediaType.startsWith('image/')) return { text: '' };
  return { text: `# Converted\n\n${file.bytes.length} bytes of ${file.mediaType}` };
};

function play(turn: ConverterTurn, request: AskedOfConverter, res: ServerResponse): void {
  if (typeof turn === 'function') play(turn(request), request, res);
  else if (turn === 'hang') return;
  else if (turn === 'die') {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    res.write('{"json', () => res.destroy());
  } else if ('status' in turn) res.writeHead(turn.status, turn.headers).end(turn.body ?? '');
  else {
    const isError = 'toolError' in turn;
    const text = isError ? turn.toolError : turn.text;
    const message = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text }], isError },
    });
    if (!isError && turn.as === 'sse') {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(
        `: hello\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\nevent: message\ndata: ${message}\n\n`,
      );
    } else res.writeHead(200, { 'content-type': 'application/json' }).end(message);
  }
}

async function readRequest(req: IncomingMessage): Promise<AskedOfConverter> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(Buffer.from(chunk));
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const uri = String(Object(Object(Object(body).params).arguments).uri ?? '');
  const [, mediaType, data] = /^data:([^;]+);base64,([A-Za-z0-9+/]*={0,2})$/.exec(uri) ?? [];
  const file =
    mediaType === undefined || data === undefined ? null : { mediaType, bytes: Buffer.from(data, 'base64') };
  return { url: req.url ?? '', headers: req.headers, body, file };
}
