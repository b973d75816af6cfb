import { JSDOM } from 'jsdom';
import { defineGlobals, documentWindow, type DomWindow } from './dom/define';

/** Names that code in an app window takes from the globals, besides the classes of elements. */
const SHARED = [
  'Node',
  'Element',
  'Document',
  'DocumentFragment',
  'DOMParser',
  'Event',
  'UIEvent',
  'CustomEvent',
  'KeyboardEvent',
  'MouseEvent',
  'PointerEvent',
  'FocusEvent',
  'InputEvent',
  'MutationObserver',
  'getComputedStyle',
  'requestAnimationFrame',
  'cancelAnimationFrame',
];

export interface OpenWindow {
  readonly window: DomWindow;
  readonly document: Document;
  /** Closes the window and takes the globals back. */
  close(): void;
}

/**
 * A window for a host in Node. Timers of the window are those of the program, so that fake timers drive them, and return
 * numbers as in an app window. While it is open, `window`, `document` and the classes of the page are globals.
 */
export function openJsdom(): OpenWindow {
  const dom = new JSDOM('<!doctype html><html><head></head><body class="theme-light"></body></html>', {
    url: 'http://localhost/',
    pretendToBeVisual: true,
  });
  const { document } = dom.window;
  const win = documentWindow(document);
  const timers = new NumberedTimers();
  for (const [name, value] of Object.entries(timers.functions)) Reflect.set(win, name, value);
  // jsdom's selector engine listens to the document from its first use on; that is nobody's leak.
  document.querySelector('body');
  const elements = Object.getOwnPropertyNames(win).filter((name) => /^(HTML|SVG)\w*Element$/.test(name));
  const names = [...SHARED, ...elements].filter((name) => name in win);
  const before = new Map<string, PropertyDescriptor | undefined>();
  const shared = {
    window: win,
    document,
    ...Object.fromEntries(names.map((name) => [name, Reflect.get(win, name)])),
  };
  for (const [name, value] of Object.entries(shared)) {
    before.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    defineGlobals({ [name]: value });
  }
  return {
    window: win,
    document,
    close: () => {
      for (const [name, descriptor] of before) {
        if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
        else Object.defineProperty(globalThis, name, descriptor);
      }
      timers.stop();
      dom.window.close();
    },
  };
}

/** Timers that return numbers, and stop with their window. */
class NumberedTimers {
  readonly #running = new Set<number>();

  readonly functions = {
    setTimeout: (run: () => void, delay?: number) => this.#keep(Number(setTimeout(run, delay))),
    setInterval: (run: () => void, delay?: number) => this.#keep(Number(setInterval(run, delay))),
    clearTimeout: (id?: number) => {
      this.#clear(id);
    },
    clearInterval: (id?: number) => {
      this.#clear(id);
    },
  };

  stop(): void {
    for (const id of this.#running) this.#clear(id);
  }

  #keep(id: number): number {
    this.#running.add(id);
    return id;
  }

  #clear(id: number | undefined): void {
    if (id === undefined) return;
    clearTimeout(id);
    clearInterval(id);
    this.#running.delete(id);
  }
}
