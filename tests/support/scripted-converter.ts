import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FailingTurn, playFailing, Script, startLoopbackServer } from './loopback-server';

/** One request as the converter got it. */
interface AskedOfConverter {
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
  | FailingTurn
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
  const turns = new Script<ConverterTurn>(likeMarkitdown);
  const { url, stop } = await startLoopbackServer((text, req, res) => {
    const request = readRequest(text, req);
    asked.push(request);
    play(turns.next(), request, res);
  });
  return {
    url: `${url}/mcp`,
    asked,
    script(...next) {
      turns.set(next);
      asked.length = 0;
    },
    close: stop,
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
  else if (turn === 'hang' || turn === 'die' || 'status' in turn) playFailing(turn, res);
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

function readRequest(text: string, req: IncomingMessage): AskedOfConverter {
  const body: unknown = JSON.parse(text);
  const uri = String(Object(Object(Object(body).params).arguments).uri ?? '');
  const [, mediaType, data] = /^data:([^;]+);base64,([A-Za-z0-9+/]*={0,2})$/.exec(uri) ?? [];
  const file =
    mediaType === undefined || data === undefined ? null : { mediaType, bytes: Buffer.from(data, 'base64') };
  return { url: req.url ?? '', headers: req.headers, body, file };
}
