import type { Tag } from './html';

/** A part of a body that is read on its own: no code span, link or tag reaches from one section into another. */
export interface Section {
  /**
   * An overlay is a whole table read as prose: what reaches from one row into the next is there for a reader who sees no
   * table, and counts only where it is dangerous.
   */
  readonly kind: 'prose' | 'definition' | 'heading' | 'row' | 'overlay' | 'html' | 'fence' | 'indented';
  readonly from: number;
  readonly to: number;
  /** The source between `from` and `to`, of the same length, with quote and heading marks blanked out. */
  readonly text: string;
  /** True when it is a row, or when some reader may see a table in it. */
  readonly table: boolean;
  /** 1 to 6 for headings, else 0. */
  readonly level: number;
  /** True inside a list item. */
  readonly inList: boolean;
  /** The info string of a fence. */
  readonly info: Range | null;
  /** What a fence or an indented block shows; empty for all others. */
  readonly code: Range;
}

/** Offsets into the body, `to` exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** What every span has. */
export interface SpanBase {
  /** Offsets into the body; `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly section: Section;
}

/** `textFrom` to `textTo` is what stands between the backticks. */
interface CodeSpan extends SpanBase {
  readonly kind: 'code';
  readonly textFrom: number;
  readonly textTo: number;
}

/** `[[target|text]]` or `![[target|text]]`; without a bar the text is empty and stands behind the target. */
export interface WikiSpan extends SpanBase {
  readonly kind: 'wikilink' | 'embed';
  readonly targetFrom: number;
  readonly targetTo: number;
  readonly textFrom: number;
  readonly textTo: number;
}

/** `[text](address)`, `![text](address)`, or by reference to a definition. */
export interface LinkSpan extends SpanBase {
  readonly kind: 'link' | 'image';
  readonly textFrom: number;
  readonly textTo: number;
  /** As written; several when a label is defined more than once, because readers differ on which one counts. */
  readonly addresses: readonly string[];
  /** Offset of the opening parenthesis, or null for a reference. */
  readonly open: number | null;
  readonly addressFrom: number;
  /** True when it is no link in Markdown, but might become one for a forgiving reader. */
  readonly loose: boolean;
  /** True when its parentheses close, or when it has none. */
  readonly closed: boolean;
  /** True when another link or image stands in its text. */
  readonly nested: boolean;
  /** True for an image in the text of a link. */
  inLink: boolean;
}

/** `<scheme:address>`. */
export interface AutoSpan extends SpanBase {
  readonly kind: 'autolink';
}

export interface TagSpan extends SpanBase {
  readonly kind: 'tag';
  /** Null where tags begin inside tags so often that no more of them are read. */
  readonly tag: Tag | null;
}

/** Inline math or an HTML comment. */
interface QuietSpan extends SpanBase {
  readonly kind: 'math' | 'comment';
}

export type Span = CodeSpan | WikiSpan | LinkSpan | AutoSpan | TagSpan | QuietSpan;

/** Where what an inline scan finds is put; one for a whole body. */
export interface Findings {
  readonly spans: Span[];
  /** Offsets of every `%%` and of every `$$` outside code; they pair up across sections. */
  readonly percents: number[];
  readonly dollars: number[];
}

/** The definitions of a body, as references see them. */
export interface Definitions {
  /** By label, as `labelKey` makes it. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
  /** Offsets of the bracket that each definition opens with. */
  readonly starts: ReadonlySet<number>;
}

/** So much of a text is read in one step, in UTF-16 units; a section that is longer takes several. */
export const UNITS_PER_STEP = 4096;

/** The form in which link labels are compared. */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/** `<scheme:address>`. Some readers let a `<` stand in the address; of such only a short one is taken. */
export const AUTOLINK = /<[a-z][a-z0-9+.-]{1,31}:(?:[^\s<>]*|[^\s>]{0,256})>/iy;
/** A comment that browsers and Markdown end at once. */
export const EMPTY_COMMENT = /<!---?>/y;
/** Math on one line: no space inside the first dollar, no digit behind the second, as with money. */
export const MATH = /\$(?![\s$])[^$\n\\]*(?:\\[^\n][^$\n\\]*)*\$(?!\d)/y;
/** The label of a reference, which holds no brackets. */
export const LABEL = /\[((?:[^[\]\\]|\\[^]){0,999})\]/y;

/** True when a cell of a table ends between two offsets, where a row or a bar stands. */
export function crossesCell(text: string, from: number, to: number): boolean {
  return /[|\n]/.test(text.slice(from, to).replace(/\\[^]/g, ''));
}

/** The match of a sticky pattern at an offset, or null. */
export function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
