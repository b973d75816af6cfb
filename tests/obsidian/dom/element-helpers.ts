import { fill, setAttribute } from './create';
import { define, type DomWindow } from './define';

const words = (classes: readonly string[]): string[] =>
  classes.flatMap((one) => one.split(' ')).filter((name) => name !== '');

/** What the host adds to every element. */
export function installElementHelpers(win: DomWindow): void {
  define(win.Element.prototype, {
    getText(this: Element) {
      return this.textContent ?? '';
    },
    setText(this: Element, content: string | DocumentFragment) {
      fill(this, content);
    },
    addClass(this: Element, ...classes: string[]) {
      this.classList.add(...words(classes));
    },
    addClasses(this: Element, classes: string[]) {
      this.classList.add(...words(classes));
    },
    removeClass(this: Element, ...classes: string[]) {
      this.classList.remove(...words(classes));
    },
    removeClasses(this: Element, classes: string[]) {
      this.classList.remove(...words(classes));
    },
    toggleClass(this: Element, classes: string | string[], value: boolean) {
      for (const name of words([classes].flat())) this.classList.toggle(name, value);
    },
    hasClass(this: Element, name: string) {
      return this.classList.contains(name);
    },
    setAttr(this: Element, name: string, value: string | number | boolean | null) {
      setAttribute(this, name, value);
    },
    setAttrs(this: Element, attributes: Record<string, string | number | boolean | null>) {
      for (const [name, value] of Object.entries(attributes)) setAttribute(this, name, value);
    },
    getAttr(this: Element, name: string) {
      return this.getAttribute(name);
    },
    matchParent(this: Element, selector: string, lastParent?: Element) {
      const found = this.closest(selector);
      return found !== null && (lastParent === undefined || lastParent.contains(found)) ? found : null;
    },
    getCssPropertyValue(this: Element, property: string, pseudoElement?: string) {
      return win.getComputedStyle(this, pseudoElement).getPropertyValue(property).trim();
    },
    isActiveElement(this: Element) {
      return this.ownerDocument.activeElement === this;
    },
    find(this: Element, selector: string) {
      return this.querySelector(selector);
    },
    findAll(this: Element, selector: string) {
      return Array.from(this.querySelectorAll(selector));
    },
    findAllSelf(this: Element, selector: string) {
      return [...(this.matches(selector) ? [this] : []), ...Array.from(this.querySelectorAll(selector))];
    },
  });
  define(win.DocumentFragment.prototype, {
    find(this: DocumentFragment, selector: string) {
      return this.querySelector(selector);
    },
    findAll(this: DocumentFragment, selector: string) {
      return Array.from(this.querySelectorAll(selector));
    },
  });
}
