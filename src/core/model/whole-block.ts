import type { Range } from '../rules/markdown-section';

/** Marks before the first word of a line, and after its last, in UTF-16 units at most. */
const MAX_MARKS = 60;
/** A line that begins a block of its own: a heading, a quote, an item, a row. */
const OPENING = /^[ \t]*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]|\|)/;
/** A line that is one. */
const HEADING = /^[ \t]*#{1,6}[ \t]/;
/** What no reader takes for words of the line: all that is no letter and no digit, the number of an item, the box of a task. */
const MARKS = /^[^\p{L}\p{N}\n]*(?:\d{1,9}[.)][ \t][^\p{L}\p{N}\n]*)?(?:\[[xX]\][ \t][^\p{L}\p{N}\n]*)?$/u;

/** True when a place is all the words of a paragraph, a heading, an item of a list or a row of a table. */
export function isWholeBlock(text: string, { from, to }: Range): boolean {
  const lead = text.slice(Math.max(0, from - MAX_MARKS), from);
  const rest = text.slice(to, to + MAX_MARKS);
  const [begin, stop] = [lead.lastIndexOf('\n') + 1, rest.indexOf('\n')];
  if (begin === 0 && lead.length < from) return false;
  if (stop < 0 && to + rest.length < text.length) return false;
  if (!MARKS.test(lead.slice(begin)) || /[\p{L}\p{N}]/u.test(stop < 0 ? rest : rest.slice(0, stop)))
    return false;
  const start = from - lead.length + begin;
  const end = stop < 0 ? text.length : to + stop;
  return endsAbove(text, start, end) && endsBelow(text, start, end);
}

/** True when what stands above the lines from `start` to `end` is no part of their block. */
function endsAbove(text: string, start: number, end: number): boolean {
  if (start === 0 || OPENING.test(text.slice(start, end))) return true;
  const above = text.slice(start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1, start - 1);
  return above.trim() === '' || HEADING.test(above);
}

function endsBelow(text: string, start: number, end: number): boolean {
  if (end === text.length) return true;
  const lines = text.slice(start, end);
  if (HEADING.test(lines.slice(lines.lastIndexOf('\n') + 1))) return true;
  const next = text.indexOf('\n', end + 1);
  const below = text.slice(end + 1, next < 0 ? text.length : next);
  return below.trim() === '' || OPENING.test(below);
}
