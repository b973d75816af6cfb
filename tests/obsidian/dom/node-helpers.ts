import { createElement, createSvgElement } from './create';
import { define, defineGetters, type DomWindow } from './define';

/** The document that a node belongs to; a document belongs to itself. */
function documentOf(node: Node): Document {
  // Only a document is owned by none.
  return node.ownerDocument ?? (node as Document);
}

/** True when the value was made by the class, or by the class of that name in the window of the value. */
export function isInstance(value: object, win: object | null, type: { readonly name: string }): boolean {
  if (typeof type === 'function' && value instanceof type) return true;
  const twin: unknown = win === null ? undefined : Reflect.get(win, type.name);
  return typeof twin === 'function' && value instanceof twin;
}

/** What the host adds to every node. */
export function installNodeHelpers(win: DomWindow): void {
  defineGetters(win.Node.prototype, {
    doc(this: Node) {
      return documentOf(this);
    },
    win(this: Node) {
      return documentOf(this).defaultView;
    },
    constructorWin() {
      return win;
    },
  });
  define(win.Node.prototype, {
    detach(this: Node) {
      this.parentNode?.removeChild(this);
    },
    empty(this: Node) {
      while (this.lastChild !== null) this.removeChild(this.lastChild);
    },
    appendText(this: Node, text: string) {
      this.appendChild(documentOf(this).createTextNode(text));
    },
    insertAfter(this: Node, node: Node, child: Node | null) {
      return this.insertBefore(node, child === null ? this.firstChild : child.nextSibling);
    },
    indexOf(this: Node, other: Node) {
      return Array.from(this.childNodes).findIndex((child) => child === other);
    },
    setChildrenInPlace(this: Node, children: Node[]) {
      while (this.lastChild !== null) this.removeChild(this.lastChild);
      for (const child of children) this.appendChild(child);
    },
    instanceOf(this: Node, type: { readonly name: string }) {
      return isInstance(this, documentOf(this).defaultView, type);
    },
    createEl(
      this: Node,
      tag: keyof HTMLElementTagNameMap,
      o?: DomElementInfo | string,
      callback?: (el: HTMLElement) => void,
    ) {
      return createElement(documentOf(this), this, tag, o, callback);
    },
    createDiv(this: Node, o?: DomElementInfo | string, callback?: (el: HTMLDivElement) => void) {
      return createElement(documentOf(this), this, 'div', o, callback);
    },
    createSpan(this: Node, o?: DomElementInfo | string, callback?: (el: HTMLSpanElement) => void) {
      return createElement(documentOf(this), this, 'span', o, callback);
    },
    createSvg(
      this: Node,
      tag: keyof SVGElementTagNameMap,
      o?: SvgElementInfo | string,
      callback?: (el: SVGElement) => void,
    ) {
      return createSvgElement(documentOf(this), this, tag, o, callback);
    },
  });
}
