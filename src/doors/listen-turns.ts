import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
