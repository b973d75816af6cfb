import { JSDOM } from 'jsdom';
import { defineGlobals, documentWindow, type DomWindow } from './dom/define';

/** Names that code in an app window takes from the globals. */
const SHARED = [
  'Node',
  'Element',
  'HTMLElement',
  'HTMLInputElement',
  'HTMLTextAreaElement',
  'HTMLSelectElement',
  'HTMLButtonElement',
  'SVGElement',
  'DocumentFragment',
  'KeyboardEvent',
  'MouseEvent',
  'PointerEvent',
  'UIEvent',
  'CustomEvent',
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
 * A window for a host in Node. Timers of the window are those of the program, so that fake timers drive them, and return numbers as
 * in an app window. While it is open, `window`, `document` and the classes of the page are globals.
 */
export function openJsdom(): OpenWindow {
  const dom = new JSDOM('<!doctype html><html><head></head><body class="theme-light"></body></html>', {
    url: 'http://localhost/',
    pretendToBeVisual: true,
  });
  const { document } = dom.window;
  const win = documentWindow(document);
  for (const [name, value] of Object.entries(numberedTimers())) Reflect.set(win, name, value);
  const before = new Map<string, PropertyDescriptor | undefined>();
  const shared = {
    window: win,
    document,
    ...Object.fromEntries(SHARED.map((name) => [name, Reflect.get(win, name)])),
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
      dom.window.close();
    },
  };
}

function numberedTimers(): Record<string, unknown> {
  return {
    setTimeout: (run: () => void, delay?: number) => Number(setTimeout(run, delay)),
    clearTimeout: (id?: number) => {
      clearTimeout(id);
    },
    setInterval: (run: () => void, delay?: number) => Number(setInterval(run, delay)),
    clearInterval: (id?: number) => {
      clearInterval(id);
    },
  };
}
