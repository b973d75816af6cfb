/** A window with its classes. */
export type DomWindow = Window & typeof globalThis;

/** The window of a document that is shown. */
export function documentWindow(doc: Document): DomWindow {
  const win: DomWindow | null = doc.defaultView;
  if (win === null) throw new Error('This document has no window.');
  return win;
}

/** Adds methods to a prototype, hidden from enumeration as built-in ones are. */
export function define(target: object, methods: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: false });
  }
}

/** Puts values among the globals, as getters: Jest cleans up what it sees as a value there while jsdom still uses it. */
export function defineGlobals(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) defineGetters(globalThis, { [name]: () => value });
}

export function defineGetters(target: object, getters: Readonly<Record<string, () => unknown>>): void {
  for (const [name, get] of Object.entries(getters)) {
    Object.defineProperty(target, name, { get, configurable: true, enumerable: false });
  }
}
