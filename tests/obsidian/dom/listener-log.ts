import type { DomWindow } from './define';

interface Entry {
  readonly target: 'window' | 'document';
  readonly type: string;
  readonly listener: unknown;
}

type Add = EventTarget['addEventListener'];

/** Notes who listens to a window and its document, and which intervals run there. */
export class ListenerLog {
  #entries: Entry[] = [];
  readonly #intervals = new Set<unknown>();
  readonly #undo: (() => void)[] = [];

  watch(win: DomWindow): void {
    this.#watchTarget(win, 'window');
    this.#watchTarget(win.document, 'document');
    const start = win.setInterval.bind(win);
    const stop = win.clearInterval.bind(win);
    this.#put(win, 'setInterval', (...args: Parameters<typeof start>) => {
      const id: unknown = start(...args);
      this.#intervals.add(id);
      return id;
    });
    this.#put(win, 'clearInterval', (id: Parameters<typeof stop>[0]) => {
      this.#intervals.delete(id);
      stop(id);
    });
  }

  listeners(): string[] {
    return this.#entries.map(({ target, type }) => `${target}:${type}`);
  }

  intervals(): number {
    return this.#intervals.size;
  }

  /** Lets the window be as it was. */
  stop(): void {
    for (const undo of this.#undo.reverse()) undo();
  }

  #watchTarget(on: EventTarget, target: Entry['target']): void {
    const add: Add = on.addEventListener.bind(on);
    const remove = on.removeEventListener.bind(on);
    const same = (entry: Entry, type: string, listener: unknown): boolean =>
      entry.target === target && entry.type === type && entry.listener === listener;
    this.#put(on, 'addEventListener', (...[type, listener, options]: Parameters<Add>) => {
      const once = typeof options === 'object' && options.once === true;
      const known = this.#entries.some((entry) => same(entry, type, listener));
      if (!once && !known) this.#entries.push({ target, type, listener });
      add(type, listener, options);
    });
    this.#put(on, 'removeEventListener', (...[type, listener, options]: Parameters<Add>) => {
      this.#entries = this.#entries.filter((entry) => !same(entry, type, listener));
      remove(type, listener, options);
    });
  }

  #put(target: object, name: string, value: unknown): void {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    this.#undo.push(() => {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    });
  }
}
