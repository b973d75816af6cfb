import type { EventRef } from 'obsidian';
import { Listener } from './events';

/** What a component can have as a part of itself. */
interface Child {
  load(): unknown;
  unload(): void;
}

/** Something with a life: what is registered on it and its children go when it is unloaded, last come first gone. */
export class Component {
  #loaded = false;
  readonly #children: Child[] = [];
  readonly #cleanups: (() => unknown)[] = [];

  /** Loads this, then its children; awaits an `onload` that is asynchronous. */
  load(): void | Promise<void> {
    if (this.#loaded) return undefined;
    this.#loaded = true;
    const loading: unknown = this.onload();
    const loadChildren = (): void => {
      for (const child of [...this.#children]) child.load();
    };
    if (loading instanceof Promise) return loading.then(loadChildren);
    loadChildren();
    return undefined;
  }

  onload(): void | Promise<void> {
    return undefined;
  }

  unload(): void {
    if (!this.#loaded) return;
    this.#loaded = false;
    for (let child = this.#children.pop(); child !== undefined; child = this.#children.pop()) child.unload();
    for (let undo = this.#cleanups.pop(); undo !== undefined; undo = this.#cleanups.pop()) undo();
    this.onunload();
  }

  onunload(): void {
    return undefined;
  }

  addChild<T extends Child>(component: T): T {
    this.#children.push(component);
    if (this.#loaded) component.load();
    return component;
  }

  removeChild<T extends Child>(component: T): T {
    const at = this.#children.indexOf(component);
    if (at >= 0) this.#children.splice(at, 1);
    component.unload();
    return component;
  }

  register(cb: () => unknown): void {
    this.#cleanups.push(cb);
  }

  registerEvent(eventRef: EventRef): void {
    this.register(() => {
      if (eventRef instanceof Listener) eventRef.source.offref(eventRef);
    });
  }

  registerDomEvent(
    el: EventTarget,
    type: string,
    callback: (ev: never) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void {
    const listener = (event: Event): void => {
      Reflect.apply(callback, el, [event]);
    };
    el.addEventListener(type, listener, options);
    this.register(() => {
      el.removeEventListener(type, listener, options);
    });
  }

  registerInterval(id: number): number {
    this.register(() => {
      if (typeof window === 'undefined') clearInterval(id);
      else window.clearInterval(id);
    });
    return id;
  }
}
