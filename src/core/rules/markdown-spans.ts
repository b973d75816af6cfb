import type { Section } from './markdown-section';
import type { Tag } from './markdown-html';

/** What every span has. */
export interface SpanBase {
  /** Offsets into the body; `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly section: Section;
}

/** `textFrom` to `textTo` is what stands between the backticks. */
export interface CodeSpan extends SpanBase {
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
export interface QuietSpan extends SpanBase {
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
