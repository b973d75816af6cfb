import { JSDOM } from 'jsdom';
import { type ComponentChild, options, render } from 'preact';

/** The effects that wait for a frame. There is none without a browser, so they run in the next turn of the event loop. */
let waiting = 0;
options.requestAnimationFrame = (run) => {
  waiting += 1;
  setImmediate(() => {
    waiting -= 1;
    run();
  });
};

/** The turns of the event loop without a waiting effect after which nothing is left to do. */
const QUIET_TURNS = 10;

/** Longer than the delay of a debounced call in the tests that rest (ms). */
const REST_MS = 150;

/** Resolves when no effect waits and the promises that are kept by then have been followed. Timers are not waited for. */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < QUIET_TURNS; quiet = waiting === 0 ? quiet + 1 : 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export interface Dom {
  readonly container: HTMLElement;
  /** Shows something in the container, in place of what it shows. */
  show(what: ComponentChild): void;
  /** Lets effects and updates run until nothing is left to do but what timers wait for. */
  settle(): Promise<void>;
  /** Lets pass the time that a screen waits for a person to rest from typing, then settles. */
  rest(): Promise<void>;
}

/** A document without a browser, to render parts into. It has no layout: what depends on sizes is tested elsewhere. */
export function makeDom(): Dom {
  const { window } = new JSDOM('<!doctype html><body><div id="root"></div></body>', {
    pretendToBeVisual: true,
  });
  const container = window.document.getElementById('root');
  if (container === null) throw new Error('The document has no root.');
  return {
    container,
    show: (what) => render(what, container),
    settle,
    async rest() {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      await settle();
    },
  };
}
