import type { StopSignal, Unsubscribe } from '../host';

/** A signal that can be given once. */
export class Stop implements StopSignal {
  readonly #listeners = new Set<() => void>();
  #stopped = false;

  get stopped(): boolean {
    return this.#stopped;
  }

  onStop(listener: () => void): Unsubscribe {
    if (this.#stopped) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#stopped = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }
}
