import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { freePort } from './free-port';

/** A server of a test on a free port of this machine. */
export interface LoopbackServer {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** Listens again on the same port. */
  start(): Promise<void>;
  /** Cuts every connection and listens no more. */
  stop(): Promise<void>;
}

/** Starts one that reads every request whole, as text, before it is answered. */
export async function startLoopbackServer(
  answer: (text: string, req: IncomingMessage, res: ServerResponse) => void,
): Promise<LoopbackServer> {
  const server = createServer((req, res) => void readText(req).then((text) => answer(text, req, res)));
  const port = await freePort();
  const start = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    start,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(Buffer.from(chunk as Uint8Array)); // Nobody has set an encoding.
  return Buffer.concat(chunks).toString('utf8');
}

/** What a scripted server does with its requests: one turn for each, in order, and the last one for all that follow. */
export class Script<Turn> {
  #turns: Turn[] = [];

  constructor(private readonly otherwise: Turn) {}

  set(turns: readonly Turn[]): void {
    this.#turns = [...turns];
  }

  next(): Turn {
    return (this.#turns.length > 1 ? this.#turns.shift() : this.#turns[0]) ?? this.otherwise;
  }
}

/** How a service fails below its own protocol. */
export type FailingTurn =
  /** Answers this instead of a reply. */
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  /** Takes the request and never answers. */
  | 'hang'
  /** Cuts the connection in the middle of the answer. */
  | 'die';

/** Fails as the turn says. */
export function playFailing(turn: FailingTurn, res: ServerResponse): void {
  if (turn === 'hang') return;
  if (turn === 'die') {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    res.write('{"mess', () => res.destroy());
  } else res.writeHead(turn.status, turn.headers).end(turn.body ?? '');
}
