import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
// Not the window's timers: Chromium slows those of a hidden window down.
import { setTimeout } from 'node:timers';
import type { Request } from 'express';
import { BrainError } from '../core/errors';

/**
 * Requests of one connection that are worked on at a time. A client may send more of them without waiting for answers, and read
 * none: a few kilobytes of requests would have the server make and hold gigabytes of answers.
 */
const AT_ONCE = 4;

interface Turns {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Makes the function that has the requests of each connection wait for those before them, in their order. `work` is done at
 * once or when an earlier answer is over, and never when the connection ends before that.
 */
export function takeTurns(atOnce = AT_ONCE): (res: ServerResponse, work: () => void) => void {
  const bySocket = new WeakMap<Socket, Turns>();
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
