import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import type { EmbeddedImage, EmbeddedNote } from './embeds';
import type { NoteLinks } from './note-links';

/** A footnote: the part of a node that is its text. */
export interface Footnote {
  readonly node: SyntaxNode;
  readonly from: number;
  readonly to: number;
  /** Its place in the list, from 1; 0 before the first reference is rendered. */
  number: number;
  /** The references to it that are rendered so far. */
  references: number;
}

/** The footnotes of a body. */
export interface Footnotes {
  readonly byLabel: ReadonlyMap<string, Footnote>;
  /** Where the footnotes of a paragraph begin, by the paragraph's own beginning. */
  readonly starts: ReadonlyMap<number, number>;
  /** The footnotes in the order of their numbers. */
  readonly listed: Footnote[];
}

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
  readonly footnotes: Footnotes;
  /** Opens a note of the vault at the fragment of a link, '' for none; undefined where notes cannot be opened. */
  readonly open: ((path: string, fragment: string) => void) | undefined;
  /** Draws what the note embeds; undefined in what is itself embedded, where it is only named. */
  readonly embeds?:
    | {
        /** The embeds that may still be drawn. The others are named. */
        left: number;
        readonly image: (image: EmbeddedImage) => ComponentChildren;
        readonly note: (note: EmbeddedNote) => ComponentChildren;
      }
    | undefined;
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

/** A block id at the end of a block. */
const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]{1,100})\s*$/;
/** The longest end of a block that a block id is searched in (UTF-16 units). */
const MAX_BLOCK_ID = 200;

/** Returns where the text of a block ends before its block id (`^id`), and the id as an anchor; undefined for none. */
export function withoutBlockId(
  context: RenderContext,
  { from, to }: { readonly from: number; readonly to: number },
): { readonly to: number; readonly anchor: string | undefined } {
  const start = Math.max(from, to - MAX_BLOCK_ID);
  const found = BLOCK_ID.exec(context.body.slice(start, to));
  return found === null ? { to, anchor: undefined } : { to: start + found.index, anchor: `^${found[1]}` };
}
