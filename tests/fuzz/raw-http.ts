import { connect } from 'node:net';

/** The head and the body of an answer; status 0 when the connection ended without one. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

const GIVE_UP_MS = 10_000;

/**
 * Sends these very bytes and resolves with the first answer that comes back. Bytes that may be no whole request say after
 * `patience` milliseconds that no more will come; a server that gets a whole one closes the connection itself.
 */
export function exchangeBytes(url: string, request: Uint8Array, patience = Infinity): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(request));
    const bored = patience === Infinity ? undefined : setTimeout(() => socket.end(), patience);
    socket.setTimeout(GIVE_UP_MS, () => {
      socket.destroy();
      reject(new Error(`no answer in ${GIVE_UP_MS} ms`));
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      // A stream of events keeps its connection for the next request.
      if (isWhole(Buffer.concat(chunks).toString('latin1'))) socket.destroy();
    });
    // A server that has refused may close while it is still being sent to; what it said before counts.
    socket.on('error', () => undefined);
    socket.on('close', () => clearTimeout(bored));
    socket.on('close', () => resolve(read(Buffer.concat(chunks).toString('utf8'))));
  });
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0 || text.startsWith('HTTP/1.1 1')) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  if (length === undefined) return text.endsWith('\r\n0\r\n\r\n');
  return text.length >= end + 4 + Number(length);
}

function read(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  const all = rest.join('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  // What follows answers what came after the first request.
  const body = length === undefined ? all : Buffer.from(all).subarray(0, Number(length)).toString();
  return { status, head, body: /^transfer-encoding: chunked/im.test(head) ? unchunked(body) : body };
}

function unchunked(body: string): string {
  let text = '';
  // Lengths count bytes, not characters.
  let rest = Buffer.from(body);
  for (;;) {
    const end = rest.indexOf('\r\n');
    const length = Number.parseInt(rest.subarray(0, Math.max(end, 0)).toString(), 16);
    if (end < 0 || !(length > 0)) return text;
    text += rest.subarray(end + 2, end + 2 + length).toString();
    rest = rest.subarray(end + 2 + length + 2);
  }
}
