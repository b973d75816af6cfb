import { JSDOM } from 'jsdom';
import { FormData, Headers, Request, Response } from 'undici';
import { windowWorkers } from './renderer-worker';

/**
 * What a window of the app has and Node has not, or has in another form: code that mixes the two worlds fails here as it does
 * there.
 */
const OF_THE_WINDOW = [
  'AbortController',
  'AbortSignal',
  'Event',
  'EventTarget',
  'CustomEvent',
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
  'UIEvent',
  'MutationObserver',
  'DOMParser',
  'Blob',
  'getComputedStyle',
  'requestAnimationFrame',
  'cancelAnimationFrame',
];

/**
 * Turns this process into what plugin code sees in a renderer process with Node in it: one global object that has both
 * worlds, the window's events and signals, timers that are numbers, request classes that are not Node's, and the identity of
 * Electron.
 */
export function becomeRenderer(electron: string): { readonly document: Document } {
  const { window } = new JSDOM('<!doctype html><html><head></head><body class="theme-light"></body></html>', {
    url: 'http://localhost/',
    pretendToBeVisual: true,
  });
  const { document } = window;
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  };
  for (const name of OF_THE_WINDOW) define(name, Reflect.get(window, name));
  // jsdom itself goes on with Node's timers, which it took from the globals as they were.
  const { setTimeout: timeout, setInterval: interval } = globalThis;
  const timers = {
    setTimeout: (run: () => void, delay?: number) => Number(timeout(run, delay)),
    setInterval: (run: () => void, delay?: number) => Number(interval(run, delay)),
  };
  for (const [name, value] of Object.entries(timers)) Reflect.set(window, name, value);
  /** A window's own is bound by CORS, so plugin code that called it would work nowhere. */
  const fetch = (): never => {
    throw new Error('The plugin called fetch instead of requestUrl.');
  };
  const shared = { window, document, self: window, fetch, FormData, Headers, Request, Response, ...timers };
  for (const [name, value] of Object.entries(shared)) define(name, value);
  const { Worker, ...objectUrls } = windowWorkers(
    (blob) =>
      new Promise((resolve) => {
        const reader = new window.FileReader();
        reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '');
        reader.readAsText(blob);
      }),
  );
  define('Worker', Worker);
  Object.assign(URL, objectUrls);
  Object.defineProperty(process, 'type', { value: 'renderer' });
  Object.defineProperty(process, 'versions', {
    value: { ...process.versions, electron, chrome: '142.0.0.0' },
  });
  return { document };
}
