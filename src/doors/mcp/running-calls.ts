import type { StopSignal } from '../../core/host';
import { isRecord } from '../../core/rules/record';
import { Stop } from '../../core/vectors/stop';

/**
 * The calls that run now. A client takes a call back with a message of its own, which comes by another request; the signed id
 * of its session and the id of the call tell which one it means, and nobody else knows both.
 */
export class RunningCalls {
  readonly #stops = new Map<string, Stop>();

  /** Does the work of a call. The signal it gets stops when the client takes the call back or, by `gone`, has left. */
  async run<T>(
    call: { readonly session: string | null; readonly id: string | number; readonly gone: AbortSignal },
    work: (signal: StopSignal) => Promise<T>,
  ): Promise<T> {
    const { session, id, gone } = call;
    const stop = new Stop();
    const leave = (): void => stop.stop();
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
    const key = session === null ? null : keyOf(session, id);
    if (key !== null) this.#stops.set(key, stop);
    try {
      return await work(stop);
    } finally {
      gone.removeEventListener('abort', leave);
      if (key !== null && this.#stops.get(key) === stop) this.#stops.delete(key);
    }
  }

  /** Stops the call that a body takes back, if it does that; unknown ones are passed over, as the protocol asks. */
  cancel(session: string | null, body: unknown): void {
    if (session === null || !isRecord(body) || body.method !== 'notifications/cancelled') return;
    const id = isRecord(body.params) ? body.params.requestId : undefined;
    if (typeof id === 'string' || typeof id === 'number') this.#stops.get(keyOf(session, id))?.stop();
  }
}

/** The ids 1 and "1" are two. */
function keyOf(session: string, id: string | number): string {
  return JSON.stringify([session, id]);
}
