import { field, type TextRun } from './pdf-run';

/** Bits of an annotation's flags: hidden, and not shown on a screen (ISO 32000-2, 12.5.3). */
const UNSEEN = 0b10_0010;

/** The font size that is assumed of text in a note or a form field. */
const SIZE = 10;

/** The most lines that one note or field has on a page; the rest is joined to the last. */
const MAX_LINES = 2000;

/**
 * Returns the text of an annotation of pdf.js at its place on the page: the value of a form field, or a note that is
 * written on the page (FreeText). A check box or a radio button is ☒ or ☐. Passwords and hidden fields give nothing.
 */
export function runsOfNote(note: unknown): TextRun[] {
  const flags = Number(field(note, 'annotationFlags')) || 0;
  const rect = field(note, 'rect');
  if ((flags & UNSEEN) !== 0 || field(note, 'hidden') === true || !Array.isArray(rect)) return [];
  const [left = 0, bottom = 0, , top = 0] = rect.map(Number);
  const lines = linesOfNote(note);
  if (lines.length === 0 || ![left, bottom, top].every(Number.isFinite)) return [];
  const height = Math.abs(top - bottom);
  const size = Math.max(1, Math.min(SIZE, height * 0.8));
  // One line is in the middle of its box, several begin at its top.
  const first = lines.length === 1 ? (top + bottom) / 2 - 0.35 * size : Math.max(top, bottom) - size;
  return lines.map((text, at) => ({
    text,
    x: left,
    y: first - at * 1.2 * size,
    width: 0.5 * size * text.length,
    size,
    ...(field(note, 'subtype') === 'Widget' && { isValue: true }),
  }));
}

function linesOfNote(note: unknown): string[] {
  switch (field(note, 'subtype')) {
    case 'FreeText':
      return split(textOf(field(field(note, 'contentsObj'), 'str')));
    case 'Widget':
      return split(valueOfField(note));
    default:
      return [];
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function split(text: string): string[] {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  const rest = lines.splice(MAX_LINES).join(' ');
  return [...lines, rest].filter((line) => line !== '');
}

function valueOfField(note: unknown): string {
  if (field(note, 'password') === true) return '';
  const value = field(note, 'fieldValue');
  const kind = field(note, 'fieldType');
  if (kind === 'Btn') {
    const on = field(note, 'checkBox') === true ? field(note, 'exportValue') : field(note, 'buttonValue');
    if (field(note, 'checkBox') !== true && field(note, 'radioButton') !== true) return '';
    return typeof value === 'string' && value === on && value !== 'Off' ? '☒' : '☐';
  }
  const values = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
  if (kind === 'Tx') {
    // The shown text has the format of the form: 1,299.00 for 1299.
    const shown = field(note, 'textContent');
    const lines = Array.isArray(shown) ? shown.filter((each) => typeof each === 'string') : [];
    return lines.some((line) => line.trim() !== '') ? lines.join('\n') : values.join('\n');
  }
  if (kind !== 'Ch') return '';
  return values.map((each) => shownAs(each, field(note, 'options'))).join(', ');
}

/** Returns the text that a form shows for a value of a list. */
function shownAs(value: string, options: unknown): string {
  const all: readonly unknown[] = Array.isArray(options) ? options : [];
  const option = all.find((each) => field(each, 'exportValue') === value);
  return textOf(field(option, 'displayValue')) || value;
}
