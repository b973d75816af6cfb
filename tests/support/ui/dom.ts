import { JSDOM } from 'jsdom';
import { type ComponentChild, render } from 'preact';

export interface Dom {
  readonly container: HTMLElement;
  /** Shows something in the container, in place of what it shows. */
  show(what: ComponentChild): void;
  /** Lets effects and updates run until nothing is left to do. */
  settle(): Promise<void>;
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
    settle: () => new Promise((resolve) => setTimeout(resolve, 150)),
  };
}
