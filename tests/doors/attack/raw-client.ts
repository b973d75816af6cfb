import { connect, type Socket } from 'node:net';
import { isRecord } from '../../../src/core/base/json';

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection that says exactly what it is told to. */
export interface RawClient {
  readonly socket: Socket;
  send(text: string): void;
  /** Everything that has come back so far. */
  readonly heard: () => string;
  /** The answers that have come back whole. */
  readonly answers: () => RawAnswer[];
  /** Resolves when so many whole answers are there, or the connection is over. */
  until(count: number): Promise<RawAnswer[]>;
  /** Resolves when the server, or this client, has ended the connection. */
  readonly closed: Promise<void>;
  leave(): void;
}

export function rawClient(port: number): RawClient {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1');
  let heard = '';
  let check: () => void = () => undefined;
  socket.on('data', (text: string) => {
    heard += text;
    check();
  });
  // A server that cuts a connection may do so without ceremony; `closed` tells of it.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      resolve();
      check();
    });
  });
  return {
    socket,
    send: (text) => void socket.write(text, 'latin1'),
    heard: () => heard,
    answers: () => answersIn(heard),
    closed,
    async until(count) {
      await new Promise<void>((resolve) => {
        check = () => {
          if (answersIn(heard).length >= count || socket.closed) resolve();
        };
        check();
      });
      return answersIn(heard);
    },
    leave: () => void socket.destroy(),
  };
}

/** Sends bytes, waits until the connection is over or the server has nothing more to say to them, and counts the answers. */
export async function ask(port: number, request: string, count = 1): Promise<RawAnswer[]> {
  const client = rawClient(port);
  client.send(request);
  const answers = await client.until(count);
  client.leave();
  return answers;
}

/** Splits what came over the wire into answers, by their own lengths. Interim answers (1xx) count, too. */
function answersIn(text: string): RawAnswer[] {
  const found: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return found;
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no answer starts like this: ${rest.slice(0, 80)}`);
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return found;
    found.push({ status, headers, body });
    rest = rest.slice(end + 4 + length);
  }
}

/** The code of an error answer, or undefined. */
export function codeIn({ body }: RawAnswer): unknown {
  const parsed: unknown = body === '' ? {} : JSON.parse(body);
  return isRecord(parsed) && isRecord(parsed.error) ? parsed.error.code : undefined;
}
