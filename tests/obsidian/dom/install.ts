import { define, defineGlobals, type DomWindow } from './define';
import { installElementHelpers } from './element-helpers';
import { installLanguageHelpers, windowHelpers } from './globals';
import { installHtmlHelpers } from './html-helpers';
import { installNodeHelpers } from './node-helpers';

/** Gives the classes and the globals of a window what the host adds to them; a popout's window needs it as well. */
export function installDomHelpers(win: DomWindow): void {
  installNodeHelpers(win);
  installElementHelpers(win);
  installHtmlHelpers(win);
  define(win, windowHelpers(win));
}

/**
 * The same helpers as globals of the program under test, where these are not those of the window (Node). Returns what takes
 * them away again: a closed window must not live on in the globals.
 */
export function installGlobalHelpers(win: DomWindow): () => void {
  installLanguageHelpers();
  const helpers = windowHelpers(win);
  defineGlobals(helpers);
  return () => {
    for (const name of Object.keys(helpers)) Reflect.deleteProperty(globalThis, name);
  };
}

/** Says which window has the focus; code under test reads it from the globals. */
export function setActiveWindow(win: DomWindow): void {
  defineGlobals({ activeWindow: win, activeDocument: win.document });
}
