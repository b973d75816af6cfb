import { isIP, Socket, connect as openSocket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as openTls, type ConnectionOptions, TLSSocket } from 'node:tls';
import type { Client } from 'pg';

/** The server is asked again and again to cancel a statement, with pauses that grow from the first to the second (ms). */
const PAUSES_MS = [200, 5_000] as const;
/** After so many requests that did not arrive, the server counts as gone, and with it what runs there. */
const MAX_UNSENT = 3;
/** The longest wait for a request to arrive (ms). */
const SEND_MS = 3_000;
/** The end of the statement may take as long as the server likes (ms): until then its connection is not let go. */
const PATIENCE_MS = 24 * 3_600_000;

/** Returns true for the error of a statement that was given up because no answer came in time. It may still run. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * Cancels the statement of a connection that was given up. Resolves true once it has ended on the server too and the connection
 * is free for other work, false once the connection is lost or its server cannot be reached. A commit that waits for a standby
 * ends by this too: it is made, though not acknowledged.
 */
export async function settled(client: Client): Promise<boolean> {
  let isOver = false;
  // The driver sends this when the statement before it has ended.
  const last = { text: 'ROLLBACK', query_timeout: PATIENCE_MS };
  const over = client.query(last).then(
    () => (isOver = true),
    () => !(isOver = true),
  );
  let [pause] = PAUSES_MS as readonly number[] as [number];
  for (let unsent = 0; !isOver && unsent < MAX_UNSENT; pause = Math.min(2 * pause, PAUSES_MS[1])) {
    unsent = (await cancel(client)) ? 0 : unsent + 1;
    await Promise.race([over, wait(pause, undefined, { ref: false })]);
  }
  return isOver && over;
}

/**
 * Asks the server to cancel what runs on a connection. The request takes none of the server's connections and no password, so it
 * passes where all are taken. Resolves false when it did not arrive.
 */
export async function cancel(client: Client): Promise<boolean> {
  const { stream } = client.connection;
  const key = keyOf(client);
  if (key === null || !(stream instanceof Socket)) return false;
  const { remoteAddress: host, remotePort: port } = stream;
  // The name of the host may lead to another server by now.
  const socket =
    host === undefined || port === undefined
      ? openSocket(`${client.host}/.s.PGSQL.${client.port}`)
      : openSocket(port, host);
  let isWritten = false;
  const isSent = new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false));
    // The server closes the connection when it has passed the request on.
    socket.once('close', () => resolve(isWritten));
    socket.setTimeout(SEND_MS, () => resolve(false));
    const send = (to: Socket): void => {
      isWritten = true;
      to.resume().write(numbers(16, CANCEL, ...key));
    };
    if (!(stream instanceof TLSSocket)) return socket.once('connect', () => send(socket));
    socket.once('connect', () => socket.write(numbers(8, USE_TLS)));
    return socket.once('data', (answer) => {
      if (answer.toString() !== 'S') return resolve(false);
      const secure = openTls({ ...tlsOf(client), socket }, () => send(secure));
      return secure.once('error', () => resolve(false));
    });
  });
  try {
    return await isSent;
  } finally {
    socket.destroy();
  }
}

/** The codes of the two requests that a client may send in the place of a start. */
const CANCEL = 80_877_102;
const USE_TLS = 80_877_103;

/** Returns whole numbers of 32 bits as the protocol writes them. */
function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeInt32BE(value, 4 * index));
  return bytes;
}

/** Returns what the server gave the connection to be cancelled by; its types lack it. */
function keyOf(client: object): [processId: number, secret: number] | null {
  if (!('processID' in client && 'secretKey' in client)) return null;
  const { processID, secretKey } = client;
  return typeof processID === 'number' && typeof secretKey === 'number' ? [processID, secretKey] : null;
}

function tlsOf({ ssl, host }: Client): ConnectionOptions {
  const given: unknown = ssl;
  return { ...(typeof given === 'object' && given), host, ...(isIP(host) === 0 && { servername: host }) };
}
