/**
 * A run of text on a page. Lengths are in points. The axes follow the direction of writing: `x` grows along the line, and
 * `y` falls from line to line, whichever way the text is turned.
 */
export interface TextRun {
  /** The characters in the order of `x`; for Arabic and Hebrew that is the reverse of the order of reading. */
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The font size. */
  readonly size: number;
  /** True for letters of one width. */
  readonly isMono?: boolean;
  /** True for the value of a form field. */
  readonly isValue?: boolean;
  /** The direction of writing, in steps of 15 degrees; absent for upright text. Vertical text has VERTICAL. */
  readonly turn?: number;
}

/** The `turn` of text in vertical lines, as in Japanese. */
export const VERTICAL = 1000;

/** Returns a field of a message of pdf.js; undefined where there is none. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
