import type { Answer } from '../../core/registry/client';
import type { ServerControl } from '../server/control';
import { setTimer as nodeLater, type SetTimer } from '../server/timers';

/** So often the service is asked how it is while somebody looks, in milliseconds. */
const LOOK_EVERY_MS = 3_000;

type Status = Answer<'status'>;

/** How the service is, for as long as somebody looks at it; nobody is asked otherwise. */
export class StatusWatch {
  readonly #control: Pick<ServerControl, 'client' | 'onChange'>;
  readonly #later: SetTimer;
  readonly #listeners = new Set<() => void>();
  #status: Status | null = null;
  #stop: (() => void) | null = null;

  constructor(control: Pick<ServerControl, 'client' | 'onChange'>, later: SetTimer = nodeLater) {
    this.#control = control;
    this.#later = later;
  }

  /** The last answer; null while the vault is not open. */
  get status(): Status | null {
    return this.#control.client === null ? null : this.#status;
  }

  /** Calls `listener` after every look, and when the server starts or stops. Returns how to stop that. */
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
    let turn = 0;
    let cancel = (): void => undefined;
    const look = async (): Promise<void> => {
      cancel();
      const mine = ++turn;
      this.#status = await this.#ask();
      if (mine !== turn) return;
      this.#tell();
      cancel = this.#later(LOOK_EVERY_MS, () => void look());
    };
    const forget = this.#control.onChange(() => {
      this.#tell();
      void look();
    });
    void look();
    return () => {
      turn += 1;
      cancel();
      forget();
    };
  }

  /** Null when the service cannot say: it is being opened or closed, and the next look asks again. */
  async #ask(): Promise<Status | null> {
    return (await this.#control.client?.call('status', {}).catch(() => null)) ?? null;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
