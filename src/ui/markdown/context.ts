import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import type { NoteLinks } from './note-links';

/** The context of rendering a body. */
export interface RenderContext {
  readonly body: string;
  readonly links: NoteLinks;
  /** The addresses of link definitions (`[label]: address`), by label in lower case. */
  readonly definitions: ReadonlyMap<string, string>;
  /**
   * The number of inline constructs that may still be rendered. The others are plain text. Prose has one per fifty
   * characters; a note of nothing else would make a page that no browser scrolls.
   */
  readonly budget: { left: number };
  /** Opens a note of the vault; undefined where notes cannot be opened. */
  readonly open: ((path: string) => void) | undefined;
  /** Renders `[1]`, or several in a row, in a text with numbered sources. */
  readonly drawMarks?: ((marks: string) => ComponentChildren) | undefined;
}

/** Returns the source of a node. */
export function textOf(context: RenderContext, node: { readonly from: number; readonly to: number }): string {
  return context.body.slice(node.from, node.to);
}

/** Returns the direct children of a node, in order. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** Finds the link definitions of a body. Each is one line. The first of a label counts. */
export function definitionsIn(body: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (!body.includes(']:')) return found;
  for (const [, label = '', address = ''] of body.matchAll(
    /^[ \t>]{0,8}\[([^\]\n^][^\]\n]{0,200})\]:[ \t]*(\S{1,2000})/gm,
  )) {
    const key = labelKey(label);
    if (!found.has(key)) found.set(key, address);
  }
  return found;
}

/** Normalizes a label for comparison. */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase();
}
