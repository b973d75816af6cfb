import { isOwners, type OwnedNote } from '../vocabulary/ownership';

/** Template code that the gate has escaped inside code. Outside code the backslash shows nothing either. */
const TEMPLATE = /<\\%/g;
/** The mark of a script that the gate has escaped: at the beginning of inline code, of a fence, and of indented code. */
const INLINE = /(`[\s\uFEFF]*)\\(?=\$=|BUTTON\[)/g;
const FENCED = /((?:^|\n)[ \t>]*(?:`{3}|~{3})[^\n]*\n[\s>\uFEFF]*)\\(?=\$=)/g;
const INDENTED = /((?:^|\n)(?=[> ]*(?: {4}|\t))[ \t>]*)\\(?=\$=)/g;

/**
 * Returns a text of a note as its writer sent it, as far as the gate has put backslashes into code; a text of the owner is returned
 * as it is. It is for agents that read: whatever they write passes the gate again.
 */
export function withoutEscapes(note: OwnedNote, text: string): string {
  if (!text.includes('\\') || isOwners(note)) return text;
  return text.replace(TEMPLATE, '<%').replace(INLINE, '$1').replace(FENCED, '$1').replace(INDENTED, '$1');
}
