import type { Tag } from './html';

/** A part of a body with inline content of its own: no code span, link or tag crosses its ends. */
export interface Section {
  /**
   * An overlay is a whole table as one paragraph, for readers of Markdown that know no tables. Only dangers count in it, and
   * only those that cross a row's end.
   */
  readonly kind: 'prose' | 'definition' | 'heading' | 'row' | 'overlay' | 'html' | 'fence' | 'indented';
  readonly from: number;
  readonly to: number;
  /** The source between `from` and `to`, of the same length, with quote and heading marks blanked out. */
  readonly text: string;
  /** True for a row, and when some reader of Markdown may see a table in it. */
  readonly table: boolean;
  /** 1 to 6 for headings, else 0. */
  readonly level: number;
  /** True inside a list item. */
  readonly inList: boolean;
  /** The info string of a fence. */
  readonly info: Range | null;
  /** The code of a fence or an indented block; empty for all others. */
  readonly code: Range;
}

/** Offsets into the body, `to` exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The fields of every span. */
export interface SpanBase {
  /** Offsets into the body; `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly section: Section;
}

/** A code span; `textFrom` to `textTo` is the text between the backticks. */
interface CodeSpan extends SpanBase {
  readonly kind: 'code';
  readonly textFrom: number;
  readonly textTo: number;
}

/** `[[target|text]]` or `![[target|text]]`; without a bar the text is empty and lies at the target's end. */
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
  /** As written; several when a label is defined more than once, because readers of Markdown choose differently. */
  readonly addresses: readonly string[];
  /** Offset of the opening parenthesis, or null for a reference. */
  readonly open: number | null;
  readonly addressFrom: number;
  /** True when it is no link in Markdown, but may be one for a forgiving reader. */
  readonly loose: boolean;
  /** True when its parentheses are closed, or when it has none. */
  readonly closed: boolean;
  /** True when its text holds another link or image. */
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
  /** Null for a tag that is not read: its name is too long, or too many tags begin inside other tags. */
  readonly tag: Tag | null;
}

/** Inline math or an HTML comment. */
interface QuietSpan extends SpanBase {
  readonly kind: 'math' | 'comment';
}

export type Span = CodeSpan | WikiSpan | LinkSpan | AutoSpan | TagSpan | QuietSpan;

/** The results of the inline scans of a body. */
export interface Findings {
  readonly spans: Span[];
  /** Offsets of every `%%` and of every `$$` outside code; they pair up across sections. */
  readonly percents: number[];
  readonly dollars: number[];
  /** The tags without attributes, by their source: equal ones are one object. */
  readonly plainTags: Map<string, Tag>;
  /** The number of spans whose tag is that of an earlier one. */
  repeatedTags: number;
}

/** Returns findings without any. */
export function noFindings(): Findings {
  return { spans: [], percents: [], dollars: [], plainTags: new Map(), repeatedTags: 0 };
}

/**
 * Returns the number of sections that are read of a text at most, and that of constructs in them. What follows is one piece of
 * prose, and the gate turns it into plain text. The longest notes of people have a fifth of it. Each takes up to 400 bytes of
 * memory. Repeated tags without attributes take a third, so that three of them count as one, and long tables of HTML are read.
 */
export function mostParts(length: number): number {
  return 65_536 + (length >> 5);
}

/** The link definitions of a body, for the look-up of references. */
export interface Definitions {
  /** Keys are labels in the form of `labelKey`. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
  /** Offsets of the definitions' opening brackets. */
  readonly starts: ReadonlySet<number>;
}

/** The text that one step reads (UTF-16 units); a longer section takes several steps. */
export const UNITS_PER_STEP = 4096;

/** Returns the form in which link labels are compared (CommonMark: white space collapsed, case folded). */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/** `<scheme:address>`. Some readers allow a `<` in the address; it is matched only up to a length that keeps the scan linear. */
export const AUTOLINK = /<[a-z][a-z0-9+.-]{1,31}:(?:[^\s<>]*|[^\s>]{0,256})>/iy;
/** An empty comment, which browsers and Markdown end at once. */
export const EMPTY_COMMENT = /<!---?>/y;
/** Math on one line: no space behind the first dollar, no digit behind the second, so that prices are none. */
export const MATH = /\$(?![\s$])[^$\n\\]*(?:\\[^\n][^$\n\\]*)*\$(?!\d)/y;
/** The label of a reference; it has no unescaped brackets. */
export const LABEL = /\[((?:[^[\]\\]|\\[^]){0,999})\]/y;

/** Returns true when an unescaped bar or a line end lies between two offsets: the end of a table's cell. */
export function crossesCell(text: string, from: number, to: number): boolean {
  return /[|\n]/.test(text.slice(from, to).replace(/\\[^]/g, ''));
}

/** Matches a sticky pattern at an offset; null without a match. */
export function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
