import type { IncomingMessage, ServerResponse } from 'node:http';
import { clearTimeout, setTimeout } from 'node:timers';
import { UsageError } from '../terminal/io';

/** The longest time between two looks whether work is running (ms). */
const LOOK_MS = 10_000;

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** A server that ends when nobody uses it. */
export interface IdleWatch {
  readonly handler: Handler;
  /** Resolves when no request has been open, and no work has been running, for the whole time. */
  readonly ended: Promise<void>;
  close(): void;
}

/**
 * Watches the requests to `inner`, and says when there were none for `idleMs` milliseconds. While `isBusy` returns true, as for
 * a job that goes on after its call, the time begins anew. Without a time it never says so.
 */
export function watchIdle(inner: Handler, idleMs: number | null, isBusy: () => boolean): IdleWatch {
  if (idleMs === null) return { handler: inner, ended: new Promise(() => undefined), close: () => undefined };
  let open = 0;
  let timer: NodeJS.Timeout;
  let resolve: () => void = () => undefined;
  const ended = new Promise<void>((done) => (resolve = done));
  const rest = (since = Date.now()): void => {
    const left = since + idleMs - Date.now();
    timer = setTimeout(
      () => {
        if (isBusy()) rest();
        else if (Date.now() - since >= idleMs) resolve();
        else rest(since);
      },
      Math.max(1, Math.min(LOOK_MS, left)),
    );
    // A request that ends after `close` sets the timer again, which must not keep the process; the open port does.
    timer.unref();
  };
  rest();
  return {
    ended,
    handler(req, res) {
      open += 1;
      clearTimeout(timer);
      res.once('close', () => {
        open -= 1;
        if (open === 0) rest();
      });
      inner(req, res);
    },
    close: () => clearTimeout(timer),
  };
}

/**
 * Returns the time after which an idle server ends (ms); null for never.
 * @throws UsageError when the flag is no number of minutes.
 */
export function idleTime(minutes: string | undefined): number | null {
  if (minutes === undefined) return null;
  const time = Number(minutes) * 60_000;
  if (!(time >= 1000 && time <= 7 * 24 * 3_600_000)) {
    throw new UsageError(`The time in --until-idle is "${minutes}". Use a number of minutes, such as 5.`);
  }
  return time;
}
