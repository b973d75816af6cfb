export function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}

/** An attribute of a node, empty where it has none. */
export function attribute(node: Node, name: string): string {
  return isElement(node) ? (node.getAttribute(name) ?? '') : '';
}
