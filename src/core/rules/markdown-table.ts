import { type Steps, Tally } from '../steps';
import type { Section } from './markdown-section';
import { ITEMS_PER_STEP } from './markdown-order';

/** Puts a paragraph that may hold a table to `parts`, as the prose before it and its rows; the line of dashes is left out. */
export function* splitTable(section: Section, parts: Section[]): Steps<void> {
  const { text } = section;
  const { header, dashes, maybe } = yield* dashesIn(text);
  if (dashes < 0) {
    parts.push(maybe ? { ...section, table: true } : section);
    return;
  }
  if (header > 0) {
    const to = header - 1;
    parts.push({ ...section, table: true, to: section.from + to, text: text.slice(0, to) });
  }
  const tally = new Tally(ITEMS_PER_STEP);
  for (let from = header; from <= text.length;) {
    const to = lineEnd(text, from);
    const [begin, end] = [section.from + from, section.from + to];
    if (from !== dashes)
      parts.push({ ...section, kind: 'row', table: true, from: begin, to: end, text: text.slice(from, to) });
    from = to + 1;
    if (tally.isFull()) yield;
  }
  parts.push({ ...section, kind: 'overlay', table: true });
}

/**
 * Where the line of dashes begins that makes a table, and the row above it; both -1 when there is none. `maybe`: some line may
 * make one for another reader.
 */
function* dashesIn(
  text: string,
): Steps<{ readonly header: number; readonly dashes: number; readonly maybe: boolean }> {
  let maybe = false;
  let above = -1;
  const tally = new Tally(ITEMS_PER_STEP);
  for (let from = 0; from <= text.length;) {
    const to = lineEnd(text, from);
    const line = text.slice(from, to);
    if (isDashes(line)) {
      maybe = true;
      if (above >= 0 && columns(line) === columns(text.slice(above, from - 1)))
        return { header: above, dashes: from, maybe };
    }
    above = from;
    from = to + 1;
    if (tally.isFull()) yield;
  }
  return { header: -1, dashes: -1, maybe };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function isDashes(line: string): boolean {
  return /^[ \t|:-]+\r?$/.test(line) && line.includes('|') && line.includes('-');
}

/**
 * The number of cells in a row: a bar counts unless a backslash stands before it or it belongs to a wikilink. There it would
 * split the cell, but is not meant to, and the gate mends it.
 */
function columns(line: string): number {
  const cells = line
    .trim()
    .replace(/\\[^]|\[\[(?!\[)(?:[^[\]]|\[(?!\[)|\](?!\]))*\]\]/g, '')
    .replace(/^\||\|$/g, '');
  let count = 1;
  for (let at = cells.indexOf('|'); at >= 0; at = cells.indexOf('|', at + 1)) count += 1;
  return count;
}
