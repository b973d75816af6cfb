// Node's timers: Chromium throttles those of a hidden window.
import type { Request } from 'express';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Stream } from 'node:stream';
import { setTimeout } from 'node:timers';
import { BrainError } from '../../core/base/errors';

/** The number of open connections. */
const MAX_CONNECTIONS = 256;

/** The time (ms) after which an incomplete request counts as slow. */
const SLOW_MS = 1_000;

/** The time (ms) after which a client that does not read its answer is disconnected. */
const UNREAD_TIMEOUT_MS = 30_000;

export interface RoomOptions {
  readonly maxConnections?: number;
  readonly unreadMs?: number;
  readonly slowMs?: number;
}

/** The open requests of one connection. */
interface Work {
  /** When the first of them began (ms, `performance.now`). */
  readonly since: number;
  readonly answers: Set<ServerResponse>;
}

interface ConnectionLimit {
  /** Counts a request; call it before the request is handled. */
  enter(res: ServerResponse): void;
  /** Returns true while an answer is being sent over this connection, so that nothing else may be written to it. */
  isAnswering(socket: Stream): boolean;
  /** Returns true while a complete request of this connection is being handled. */
  isWorkedFor(socket: Stream): boolean;
}

/**
 * Limits the connections and keeps room for new ones, so that nobody can lock others out by holding connections. At the
 * limit it closes the connection whose request has been incomplete for the longest, if for at least a second; else the one
 * that has been without work for the longest: an idle or silent one, one that still sends a refused body, one with an
 * incomplete request, or the new one. A file that is received is a long request by nature, so it is given up last; its receiver
 * ends one that comes too slowly. A connection with a complete request that is being handled stays, however long that takes,
 * unless the client does not read its answer. (Node's `maxConnections` would always refuse the new one.)
 */
export function limitConnections(
  server: Server,
  { maxConnections = MAX_CONNECTIONS, unreadMs = UNREAD_TIMEOUT_MS, slowMs = SLOW_MS }: RoomOptions = {},
): ConnectionLimit {
  /** The open connections by name. */
  const open = new Map<string, Socket>();
  /** The connections without work and the time since when, in that order. */
  const idleSince = new Map<string, number>();
  /** The requests that are being answered, by connection, in the order of their first request. */
  const work = new Map<string, Work>();
  server.timeout = unreadMs;
  // With a listener, Node closes no connection by itself when it is silent.
  server.on('timeout', (socket: Socket) => {
    if (!work.has(nameOf(socket)) || socket.writableLength > 0) socket.destroy();
  });
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    open.set(name, socket);
    idleSince.set(name, performance.now());
    socket.once('close', () => {
      open.delete(name);
      idleSince.delete(name);
      work.delete(name);
    });
    if (open.size <= maxConnections) return;
    open.get(victim())?.destroy();
  });
  /** Returns the connection to close; the new one is the last of those without work. */
  const victim = (): string => {
    const halves = [...work].filter(([, { answers }]) => ![...answers].some((res) => res.req.complete));
    const isFile = ({ answers }: Work): boolean => [...answers].some((res) => isReceiving(res.req.socket));
    const half = halves.find(([, each]) => !isFile(each));
    const [idle] = idleSince;
    if (half === undefined) return idle?.[0] ?? halves[0]?.[0] ?? '';
    const [name, { since }] = half;
    const isSlow = performance.now() - since >= slowMs;
    return idle === undefined || isSlow || since <= idle[1] ? name : idle[0];
  };
  const begin = (name: string): Work => {
    const begun = { since: performance.now(), answers: new Set<ServerResponse>() };
    work.set(name, begun);
    return begun;
  };
  return {
    enter(res) {
      const name = nameOf(res.socket);
      const { answers } = work.get(name) ?? begin(name);
      answers.add(res);
      idleSince.delete(name);
      res.once('close', () => {
        answers.delete(res);
        if (answers.size > 0 || !work.delete(name)) return;
        if (open.has(name)) idleSince.set(name, performance.now());
      });
    },
    isWorkedFor: (socket) => [...(work.get(nameOf(socket))?.answers ?? [])].some((res) => res.req.complete),
    isAnswering: (socket) => [...(work.get(nameOf(socket))?.answers ?? [])].some((res) => res.headersSent),
  };
}

const receiving = new WeakSet<Stream>();

/** Marks a connection while a file is received over it, which may take longer than any other request. */
export function markReceiving(socket: Stream, isReceiving: boolean): void {
  if (isReceiving) receiving.add(socket);
  else receiving.delete(socket);
}

/** Returns true while a file is received over the connection. Its receiver closes it when it is too slow. */
export function isReceiving(socket: Stream): boolean {
  return receiving.has(socket);
}

/** The connections of local sockets, which have no addresses: their names, and the port of their server. */
const local = new WeakMap<Stream, { readonly name: string; readonly port: number }>();
let locals = 0;

/** Marks a connection that came over the local socket of the server on a port. */
export function markLocal(socket: Stream, port: number): void {
  locals += 1;
  local.set(socket, { name: `local ${locals}`, port });
}

/** Returns the server's end of a connection; over a local socket the address is '' and the port that of the server. */
export function endOf(socket: Socket): { readonly address: string; readonly port: number } {
  const { localAddress = '', localPort = 0 } = socket;
  return { address: localAddress, port: local.get(socket)?.port ?? localPort };
}

/** Returns the remote end of a connection, which is the same for its raw and its TLS socket. */
function nameOf(socket: Stream | null): string {
  if (socket === null || !('remotePort' in socket)) return '';
  const own = local.get(socket);
  if (own !== undefined) return own.name;
  const { remoteAddress, remotePort } = socket as Socket; // what has a remote port is a socket
  return `${remoteAddress} ${remotePort}`;
}

/**
 * The number of requests of one connection that are handled at a time. A client may pipeline more and read no answers: a
 * few kilobytes of requests would make the server hold gigabytes of answers.
 */
const AT_ONCE = 4;

interface PipelineQueue {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Returns a function that handles the requests of each connection in their order, at most `AT_ONCE` at a time. It runs
 * `work` at once or when an earlier answer has closed, and never after the connection has closed.
 */
export function limitPipelining(): (res: ServerResponse, work: () => void) => void {
  const bySocket = new WeakMap<Socket, PipelineQueue>();
  return (res, work) => {
    const { socket } = res.req;
    const turns = bySocket.get(socket) ?? { running: 0, waiting: [] };
    bySocket.set(socket, turns);
    const start = (): void => {
      turns.running += 1;
      res.once('close', () => {
        turns.running -= 1;
        if (!socket.destroyed) turns.waiting.shift()?.();
      });
      work();
    };
    if (turns.running < AT_ONCE) start();
    else turns.waiting.push(start);
  };
}

/** The number of incomplete bodies of one caller: a client that has more sends them slowly on purpose. */
const MAX_OPEN = 32;
/** The time (ms) that a further body may take to arrive, or another to end, before it is refused. */
const OPEN_WAIT_MS = 1_000;
const LOOK_EVERY_MS = 20;

/** The incomplete bodies, by caller. */
export class OpenBodies {
  readonly #open = new Map<string, number>();

  /**
   * Counts the body of a request until the returned function is called. A body that is complete, or is soon, does not
   * count: a short one arrives without being read.
   * @throws BrainError `busy` when the caller has too many incomplete bodies, `invalid_json` when the client has left.
   */
  async enter(req: Request, caller: string): Promise<() => void> {
    const until = performance.now() + OPEN_WAIT_MS;
    for (;;) {
      if (req.destroyed) throw endedEarly();
      if (req.complete) return () => undefined;
      const held = this.#open.get(caller) ?? 0;
      if (held < MAX_OPEN) {
        this.#open.set(caller, held + 1);
        return () => this.#leave(caller);
      }
      if (performance.now() >= until) {
        throw new BrainError(
          'busy',
          `${MAX_OPEN} calls with this token have begun and are not sent to their end. Send each call whole, and fewer of them at a time.`,
          { retry_after: 2 },
        );
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  #leave(caller: string): void {
    const left = (this.#open.get(caller) ?? 0) - 1;
    if (left > 0) this.#open.set(caller, left);
    else this.#open.delete(caller);
  }
}

export function endedEarly(): BrainError {
  return new BrainError('invalid_json', 'The body ended too early. Send it again.');
}
