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
