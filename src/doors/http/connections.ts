// Not the window's timers: Chromium slows those of a hidden window down.
import type { Request } from 'express';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Stream } from 'node:stream';
import { setTimeout } from 'node:timers';
import { BrainError } from '../../core/base/errors';

/** Most connections at a time. */
const MAX_CONNECTIONS = 256;

/** A request of which something is missing after so many milliseconds is slow, or is never meant to be whole. */
const SLOW_MS = 1_000;

/** A client that takes nothing of its answer for so many milliseconds is gone, or means to hold the connection. */
const UNREAD_MS = 30_000;

export interface RoomOptions {
  readonly maxConnections?: number;
  readonly unreadMs?: number;
  readonly slowMs?: number;
}

/** The requests of one connection that are not over. */
interface Work {
  /** When the first of them began, by the clock of `performance`. */
  readonly since: number;
  readonly answers: Set<ServerResponse>;
}

interface ConnectionLimit {
  /** Told of every request, before it is worked on. */
  enter(res: ServerResponse): void;
  /** True while an answer is on its way over this connection, so that nothing else may be written to it. */
  isAnswering(socket: Stream): boolean;
  /** True while a request that has arrived whole over this connection is being worked on. */
  isWorkedFor(socket: Stream): boolean;
}

/**
 * Keeps room for newcomers, so that nobody can lock others out by holding connections. When all places are taken, the
 * connection goes whose request has been half sent for the longest, and for a second at least; else the one for which nothing
 * has been done for the longest: an idle or silent one, one that still sends a body that has been refused, one whose request is
 * half sent, or else the newcomer. Those whose whole request is being worked on stay, however long that takes, unless
 * they do not take their answer. (Node's own `maxConnections` would turn away the newcomer in every case.)
 */
export function limitConnections(
  server: Server,
  { maxConnections = MAX_CONNECTIONS, unreadMs = UNREAD_MS, slowMs = SLOW_MS }: RoomOptions = {},
): ConnectionLimit {
  /** The open connections by name. */
  const open = new Map<string, Socket>();
  /** Those without work and since when, in that order. */
  const spare = new Map<string, number>();
  /** What is being answered, by the name of its connection, in the order in which the first of it came. */
  const work = new Map<string, Work>();
  server.timeout = unreadMs;
  // As there is a listener, Node ends no connection by itself when nothing moves on it.
  server.on('timeout', (socket: Socket) => {
    if (!work.has(nameOf(socket)) || socket.writableLength > 0) socket.destroy();
  });
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    open.set(name, socket);
    spare.set(name, performance.now());
    socket.once('close', () => {
      open.delete(name);
      spare.delete(name);
      work.delete(name);
    });
    if (open.size <= maxConnections) return;
    open.get(leastMissed())?.destroy();
  });
  /** Whose connection ends; the newcomer is the last of those without work. */
  const leastMissed = (): string => {
    const [half] = [...work].filter(([, { answers }]) => ![...answers].some((res) => res.req.complete));
    const [idle] = spare;
    if (half === undefined) return idle?.[0] ?? '';
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
      spare.delete(name);
      res.once('close', () => {
        answers.delete(res);
        if (answers.size > 0 || !work.delete(name)) return;
        if (open.has(name)) spare.set(name, performance.now());
      });
    },
    isWorkedFor: (socket) => [...(work.get(nameOf(socket))?.answers ?? [])].some((res) => res.req.complete),
    isAnswering: (socket) => [...(work.get(nameOf(socket))?.answers ?? [])].some((res) => res.headersSent),
  };
}

/** The other end of a connection: the same for its bare socket and for what TLS makes of it. */
function nameOf(socket: Stream | null): string {
  if (socket === null || !('remotePort' in socket)) return '';
  const { remoteAddress, remotePort } = socket as Socket; // what has a remote port is a socket
  return `${remoteAddress} ${remotePort}`;
}

/**
 * Requests of one connection that are worked on at a time. A client may send more of them without waiting for answers, and read
 * none: a few kilobytes of requests would have the server make and hold gigabytes of answers.
 */
const AT_ONCE = 4;

interface PipelineQueue {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Makes the function that has the requests of each connection wait for those before them, in their order. `work` is done at
 * once or when an earlier answer is over, and never when the connection ends before that.
 */
export function limitPipelining(atOnce = AT_ONCE): (res: ServerResponse, work: () => void) => void {
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
    if (turns.running < atOnce) start();
    else turns.waiting.push(start);
  };
}

/** Bodies of one caller that may be on their way at a time: whoever sends more of them at once is slow on purpose. */
const MAX_OPEN = 32;
/** So long, in milliseconds, one more may take to arrive, or another to be over, before it is refused. */
const OPEN_WAIT_MS = 1_000;
const LOOK_EVERY_MS = 20;

/** The bodies that have begun to arrive and are not whole, by their callers. */
export class OpenBodies {
  readonly #open = new Map<string, number>();

  /**
   * Counts the body of a request until the function that it answers is called. One that is whole, or is soon, takes no place: of
   * a short one everything comes in without being read.
   * @throws BrainError `busy` when the caller has as many of them as it may, `invalid_json` when it has left.
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
