import { isElement } from './html-node';

/** What a page is not read for. */
const NOISE = new Set([
  ...['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'TITLE', 'LINK', 'META', 'BASE', 'NAV', 'DIALOG'],
  ...['IFRAME', 'FRAME', 'FRAMESET', 'NOFRAMES', 'OBJECT', 'EMBED', 'APPLET', 'SVG', 'MATH', 'CANVAS'],
  ...['VIDEO', 'AUDIO', 'BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'PROGRESS', 'METER', 'MAP'],
]);

/** Elements nested deeper than this become plain text: no page of a person comes near it, and every step costs stack. */
const MAX_DEPTH = 100;

/**
 * Takes out of an element, in place, what is not text of the page, and what is nested too deep to be walked through. Walks
 * without recursion, so that no depth is too much.
 */
export function prune(root: Element): void {
  let node: ChildNode | null = root.firstChild;
  let depth = 1;
  while (node !== null) {
    const next: ChildNode | null = isNoise(node) ? null : node.firstChild;
    if (next !== null && depth < MAX_DEPTH) {
      node = next;
      depth += 1;
      continue;
    }
    if (next !== null) flatten(node);
    const done: ChildNode = node;
    let after: ChildNode | null = done;
    while (after !== null && after.nextSibling === null) {
      after = parentWithin(after, root);
      depth -= 1;
    }
    node = after?.nextSibling ?? null;
    if (isNoise(done)) done.remove();
  }
}

/** The names that a copy of an element can have; `<b<i>` makes one that it cannot. */
const NAME = /^[a-z_][\w.-]*$/i;

/**
 * Puts what stands in elements with impossible names, which a forgotten `>` makes of two tags, in the place of these elements.
 * Browsers show it, but a document with such an element cannot be copied. The element must have been pruned.
 */
export function unwrapMisnamed(root: Element): void {
  for (const element of Array.from(root.querySelectorAll('*'))) {
    if (NAME.test(element.localName)) continue;
    for (let child = element.firstChild; child !== null; child = element.firstChild) {
      element.parentNode?.insertBefore(child, element);
    }
    element.remove();
  }
}

function parentWithin(node: ChildNode, root: Element): ChildNode | null {
  const { parentElement } = node;
  return parentElement === root ? null : parentElement;
}

function isNoise(node: ChildNode): boolean {
  if (node.nodeType === 8) return true; // A comment.
  if (!isElement(node)) return false;
  return (
    NOISE.has(node.nodeName.toUpperCase()) ||
    node.hasAttribute('hidden') ||
    node.getAttribute('role') === 'navigation' ||
    /(?:^|;)\s*display\s*:\s*none/i.test(node.getAttribute('style') ?? '')
  );
}

/** Leaves of an element only the text that stands in it. */
function flatten(top: ChildNode): void {
  const texts: string[] = [];
  let node: Node | null = top.firstChild;
  while (node !== null && node !== top) {
    if (node.nodeType === 3) texts.push(node.nodeValue ?? '');
    let next: Node | null = node.nodeType === 1 && NOISE.has(node.nodeName) ? null : node.firstChild;
    while (next === null && node !== null && node !== top) {
      next = node.nextSibling;
      if (next === null) node = node.parentNode;
    }
    node = next;
  }
  const { ownerDocument } = top;
  let child = top.firstChild;
  while (child !== null) {
    child.remove();
    child = top.firstChild;
  }
  if (ownerDocument !== null) top.appendChild(ownerDocument.createTextNode(texts.join(' ')));
}
