import type { Steps } from '../steps';
import type { Section } from './markdown-section';
import { ITEMS_PER_STEP } from './markdown-order';

/** Puts a paragraph that may hold a table to `parts`, as the prose before it and its rows; the line of dashes is left out. */
export function* splitTable(section: Section, parts: Section[]): Steps<void> {
  const lines = section.text.split('\n');
  const { dashes, maybe } = yield* dashesIn(lines);
  if (dashes < 0) {
    parts.push(maybe ? { ...section, table: true } : section);
    return;
  }
  let at = section.from;
  const head = lines.slice(0, dashes - 1).join('\n');
  if (dashes > 1) parts.push({ ...section, table: true, to: at + head.length, text: head });
  for (const [index, line] of lines.entries()) {
    if (index >= dashes - 1 && index !== dashes) {
      parts.push({ ...section, kind: 'row', table: true, from: at, to: at + line.length, text: line });
    }
    at += line.length + 1;
    if ((index + 1) % ITEMS_PER_STEP === 0) yield;
  }
  parts.push({ ...section, kind: 'overlay', table: true });
}

/** Which line of dashes makes a table, or -1; and whether any line has some that may make one for another reader. */
function* dashesIn(lines: readonly string[]): Steps<{ readonly dashes: number; readonly maybe: boolean }> {
  let maybe = false;
  for (const [index, line] of lines.entries()) {
    if (isDashes(line)) {
      maybe = true;
      if (index > 0 && columns(line) === columns(lines[index - 1] ?? '')) return { dashes: index, maybe };
    }
    if ((index + 1) % ITEMS_PER_STEP === 0) yield;
  }
  return { dashes: -1, maybe };
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
