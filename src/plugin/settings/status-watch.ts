import type { Answer } from '../../core/registry/client';
import type { ServerControl } from '../server/control';
import { setTimer } from '../server/timers';

/** The interval of polls while the status is shown (ms). */
const POLL_EVERY_MS = 3_000;

type Status = Answer<'status'>;

/** The status of the service, polled while it has listeners. */
export class StatusWatch {
  readonly #control: Pick<ServerControl, 'client' | 'onChange'>;
  readonly #listeners = new Set<() => void>();
  #status: Status | null = null;
  #stop: (() => void) | null = null;

  constructor(control: Pick<ServerControl, 'client' | 'onChange'>) {
    this.#control = control;
  }

  /** The last status; null while the vault is closed. */
  get status(): Status | null {
    return this.#control.client === null ? null : this.#status;
  }

  /** Calls `listener` after every poll, and when the server starts or stops. Returns a function that unsubscribes. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#stop ??= this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = null;
    };
  }

  #start(): () => void {
    let lastPoll = 0;
    let cancel = (): void => undefined;
    const poll = async (): Promise<void> => {
      cancel();
      const current = ++lastPoll;
      this.#status = await this.#load();
      if (current !== lastPoll) return;
      this.#notify();
      cancel = setTimer(POLL_EVERY_MS, () => void poll());
    };
    const unsubscribe = this.#control.onChange(() => {
      this.#notify();
      void poll();
    });
    void poll();
    return () => {
      lastPoll += 1;
      cancel();
      unsubscribe();
    };
  }

  /** Returns null when the service does not answer, because it opens or closes. The next poll asks again. */
  async #load(): Promise<Status | null> {
    return (await this.#control.client?.call('status', {}).catch(() => null)) ?? null;
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
