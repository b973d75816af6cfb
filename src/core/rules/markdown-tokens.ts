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
