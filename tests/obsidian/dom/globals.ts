import { createElement, createSvgElement } from './create';
import { define, type DomWindow } from './define';

/** Functions that the host puts beside `window`: makers of elements, pauses, the window that has the focus. */
export function windowHelpers(win: DomWindow): Readonly<Record<string, unknown>> {
  const doc = win.document;
  return {
    activeWindow: win,
    activeDocument: doc,
    createEl: (
      tag: keyof HTMLElementTagNameMap,
      o?: DomElementInfo | string,
      callback?: (el: HTMLElement) => void,
    ) => createElement(doc, null, tag, o, callback),
    createDiv: (o?: DomElementInfo | string, callback?: (el: HTMLDivElement) => void) =>
      createElement(doc, null, 'div', o, callback),
    createSpan: (o?: DomElementInfo | string, callback?: (el: HTMLSpanElement) => void) =>
      createElement(doc, null, 'span', o, callback),
    createSvg: (
      tag: keyof SVGElementTagNameMap,
      o?: SvgElementInfo | string,
      callback?: (el: SVGElement) => void,
    ) => createSvgElement(doc, null, tag, o, callback),
    createFragment: (callback?: (el: DocumentFragment) => void) => {
      const fragment = new win.DocumentFragment();
      callback?.(fragment);
      return fragment;
    },
    fish: (selector: string) => doc.querySelector(selector),
    fishAll: (selector: string) => Array.from(doc.querySelectorAll(selector)),
    sleep: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)),
    nextFrame: () => new Promise<void>((resolve) => void win.requestAnimationFrame(() => resolve())),
    isBoolean: (value: unknown) => typeof value === 'boolean',
  };
}

/** What the host adds to the classes of the language. */
export function installLanguageHelpers(): void {
  define(Array.prototype, {
    first(this: unknown[]) {
      return this[0];
    },
    last(this: unknown[]) {
      return this[this.length - 1];
    },
    contains(this: unknown[], target: unknown) {
      return this.includes(target);
    },
    remove(this: unknown[], target: unknown) {
      for (let at = this.indexOf(target); at >= 0; at = this.indexOf(target)) this.splice(at, 1);
    },
    unique(this: unknown[]) {
      return [...new Set(this)];
    },
  });
  define(Array, { combine: (arrays: unknown[][]) => arrays.flat() });
  define(Object, {
    isEmpty: (object: object) => Object.keys(object).length === 0,
    each: (object: object, callback: (value: unknown, key: string) => boolean | void) =>
      Object.entries(object).every(([key, value]) => callback(value, key) !== false),
  });
  define(String, { isString: (value: unknown) => typeof value === 'string' });
  define(Number, { isNumber: (value: unknown) => typeof value === 'number' });
  define(Math, {
    clamp: (value: number, min: number, max: number) => Math.min(Math.max(value, min), max),
    square: (value: number) => value * value,
  });
  define(String.prototype, {
    contains(this: string, target: string) {
      return this.includes(target);
    },
  });
}
