import type { EventRef } from 'obsidian';

type Callback = (...data: never[]) => unknown;

/** One registered listener; the host hands it out as an opaque reference. */
export class Listener implements EventRef {
  constructor(
    readonly source: Events,
    readonly name: string,
    readonly callback: Callback,
    readonly context: unknown,
  ) {}
}

/** Named events. One listener that throws neither stops the others nor the one who triggered; its error surfaces on its own. */
export class Events {
  #listeners: Listener[] = [];

  on(name: string, callback: Callback, ctx?: unknown): EventRef {
    const listener = new Listener(this, name, callback, ctx);
    this.#listeners.push(listener);
    return listener;
  }

  off(name: string, callback: Callback): void {
    this.#listeners = this.#listeners.filter((one) => one.name !== name || one.callback !== callback);
  }

  offref(ref: EventRef): void {
    this.#listeners = this.#listeners.filter((one) => one !== ref);
  }

  trigger(name: string, ...data: unknown[]): void {
    for (const listener of this.#listeners.filter((one) => one.name === name)) {
      this.tryTrigger(listener, data);
    }
  }

  /** Of the fake alone: the names of the events that someone still listens to, once for each listener. */
  listenedTo(): string[] {
    return this.#listeners.map((one) => one.name);
  }

  tryTrigger(evt: EventRef, args: unknown[]): void {
    if (!(evt instanceof Listener)) throw new TypeError('Not a reference that an event gave out.');
    try {
      Reflect.apply(evt.callback, evt.context, args);
    } catch (error) {
      setTimeout(() => {
        throw error;
      }, 0);
    }
  }
}
