import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import type { NoteLinks } from './note-links';

/** What every part of a rendered body needs to know. */
export interface Reader {
  readonly body: string;
  readonly links: NoteLinks;
  /** Addresses of `[label]: address` lines, by label in lower case. */
  readonly definitions: ReadonlyMap<string, string>;
  /**
   * How many more inline constructs are drawn; what comes after them is plain text. Prose has one in fifty characters; a
   * note made of nothing else would make a page that no browser scrolls.
   */
  readonly budget: { left: number };
  /** Opens a note of the vault; absent where nothing can be opened. */
  readonly open: ((path: string) => void) | undefined;
  /** Draws `[1]`, or several of them in a row, where a text has numbered sources; absent elsewhere. */
  readonly drawMarks?: ((marks: string) => ComponentChildren) | undefined;
}

/** The text of a node as it is written. */
export function textOf(reader: Reader, node: { readonly from: number; readonly to: number }): string {
  return reader.body.slice(node.from, node.to);
}

/** The direct children of a node, in order. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** A list of the addresses of reference links. One line each; the first of a label counts. */
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

/** The form in which labels are compared. */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase();
}
