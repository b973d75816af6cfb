import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Stream } from 'node:stream';

/** Most connections at a time. */
export const MAX_CONNECTIONS = 256;

/** A client that takes nothing of its answer for so many milliseconds is gone, or means to hold the connection. */
const UNREAD_MS = 30_000;

export interface RoomOptions {
  readonly maxConnections?: number;
  readonly unreadMs?: number;
}

export interface Room {
  /** Told of every request, before it is worked on. */
  enter(res: ServerResponse): void;
  /** True while an answer is on its way over this connection, so that nothing else may be written to it. */
  isAnswering(socket: Stream): boolean;
  /** True while a request that has arrived whole over this connection is being worked on. */
  isWorkedFor(socket: Stream): boolean;
}

/**
 * Keeps room for newcomers, so that nobody can lock others out by holding connections. When all places are taken, the
 * connection goes for which nothing has been done for the longest: an idle or silent one, one that still sends a body that
 * has been refused, or else the newcomer. Those whose request is being worked on stay, however long that takes, unless
 * they do not take their answer. (Node's own `maxConnections` would turn away the newcomer in every case.)
 */
export function keepRoom(
  server: Server,
  { maxConnections = MAX_CONNECTIONS, unreadMs = UNREAD_MS }: RoomOptions = {},
): Room {
  /** The open connections by name. */
  const open = new Map<string, Socket>();
  /** Those without work, in the order in which they came to have none. */
  const spare = new Map<string, Socket>();
  /** What is being answered, by the name of its connection. */
  const work = new Map<string, Set<ServerResponse>>();
  server.timeout = unreadMs;
  // As there is a listener, Node ends no connection by itself when nothing moves on it.
  server.on('timeout', (socket: Socket) => {
    if (!work.has(nameOf(socket)) || socket.writableLength > 0) socket.destroy();
  });
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    open.set(name, socket);
    spare.set(name, socket);
    socket.once('close', () => {
      open.delete(name);
      spare.delete(name);
      work.delete(name);
    });
    if (open.size <= maxConnections) return;
    const [oldest] = spare.values();
    oldest?.destroy();
  });
  return {
    enter(res) {
      const name = nameOf(res.socket);
      const answers = work.get(name) ?? new Set();
      work.set(name, answers.add(res));
      spare.delete(name);
      res.once('close', () => {
        answers.delete(res);
        if (answers.size > 0 || !work.delete(name)) return;
        const socket = open.get(name);
        if (socket !== undefined) spare.set(name, socket);
      });
    },
    isWorkedFor: (socket) => [...(work.get(nameOf(socket)) ?? [])].some((res) => res.req.complete),
    isAnswering: (socket) => [...(work.get(nameOf(socket)) ?? [])].some((res) => res.headersSent),
  };
}

/** The other end of a connection: the same for its bare socket and for what TLS makes of it. */
function nameOf(socket: Stream | null): string {
  if (socket === null || !('remotePort' in socket)) return '';
  const { remoteAddress, remotePort } = socket as Socket; // what has a remote port is a socket
  return `${remoteAddress} ${remotePort}`;
}
