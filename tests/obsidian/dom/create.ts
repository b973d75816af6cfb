const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

/** Makes an element in a document and puts it into the parent, as the host's `createEl` does. */
export function createElement<K extends keyof HTMLElementTagNameMap>(
  doc: Document,
  parent: Node | null,
  tag: K,
  o: DomElementInfo | string = {},
  callback?: (el: HTMLElementTagNameMap[K]) => void,
): HTMLElementTagNameMap[K] {
  const info = typeof o === 'string' ? { cls: o } : o;
  // The declared type of createElementNS does not follow the tag; that of createElement does.
  const el = doc.createElementNS(HTML, tag) as HTMLElementTagNameMap[K];
  dress(el, info);
  if (info.text !== undefined) fill(el, info.text);
  if (info.title !== undefined) el.setAttribute('title', info.title);
  for (const name of ['type', 'placeholder', 'href', 'value'] as const) {
    const value = info[name];
    if (value === undefined) continue;
    if (name in el) Reflect.set(el, name, value);
    else el.setAttribute(name, value);
  }
  place(el, info.parent ?? parent, info.prepend);
  callback?.(el);
  return el;
}

/** The same for drawings. */
export function createSvgElement<K extends keyof SVGElementTagNameMap>(
  doc: Document,
  parent: Node | null,
  tag: K,
  o: SvgElementInfo | string = {},
  callback?: (el: SVGElementTagNameMap[K]) => void,
): SVGElementTagNameMap[K] {
  const info = typeof o === 'string' ? { cls: o } : o;
  const el = doc.createElementNS(SVG, tag);
  dress(el, info);
  place(el, info.parent ?? parent, info.prepend);
  callback?.(el);
  return el;
}

/** Replaces what an element shows. */
export function fill(el: Element, content: string | DocumentFragment): void {
  if (typeof content === 'string') el.textContent = content;
  else el.replaceChildren(content);
}

/** Sets an attribute; null takes it away. */
export function setAttribute(el: Element, name: string, value: string | number | boolean | null): void {
  if (value === null) el.removeAttribute(name);
  else el.setAttribute(name, String(value));
}

function dress(el: Element, info: Pick<DomElementInfo, 'cls' | 'attr'>): void {
  const classes = Array.isArray(info.cls) ? info.cls : (info.cls ?? '').split(' ');
  el.classList.add(...classes.filter((name) => name !== ''));
  for (const [name, value] of Object.entries(info.attr ?? {})) setAttribute(el, name, value);
}

function place(el: Element, parent: Node | null, first = false): void {
  if (first) parent?.insertBefore(el, parent.firstChild);
  else parent?.appendChild(el);
}
