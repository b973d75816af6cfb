import { fenceAround } from './fence';
import { parseMarkdown, within } from './parse';

/** What is left open is closed one after the other; what is not closed then was made to be so. */
const MAX_ROUNDS = 8;
/** Marks that hide all between two of them, wherever these stand. */
const MARKS = ['$$', '%%'] as const;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
/** How HTML begins that goes on over empty lines, and what ends it. */
const HTML_ENDS = [
  [/^\s*<!--/, '-->'],
  [/^\s*<\?/, '?>'],
  [/^\s*<!\[CDATA\[/, ']]>'],
  [/^\s*<!/, '>'],
  [/^\s*<script/i, '</script>'],
  [/^\s*<style/i, '</style>'],
  [/^\s*<pre/i, '</pre>'],
] as const;

/**
 * The same text with an end for what it leaves open: a fence, math, a comment. Whatever follows below it is then no part of
 * these. A text that cannot be closed so is shown as code.
 */
export function closed(text: string): string {
  let shown = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const end = endOf(shown);
    if (end === '') return shown;
    if (end === null) break;
    shown += `\n${end}`;
  }
  return asCode(text);
}

/** The text in a fence that nothing in it ends. */
export function asCode(text: string): string {
  const fence = fenceAround(text);
  return `${fence}\n${text}\n${fence}`;
}

/** What ends something that a text leaves open; empty when it leaves nothing open, null when nothing is known to end it. */
function endOf(text: string): string | null {
  const below = text.length + 2;
  for (const mark of MARKS) {
    // A mark below pairs with one that was left open, and a heading between the two is hidden.
    const { body, sections, quiet } = parseMarkdown(`${text}\n\n# x\n\n${mark}`);
    const at = sections.find(({ from, to }) => from <= below && below < to);
    if (at === undefined) return null;
    if (at.kind === 'fence') return FENCE.exec(body.slice(at.from))?.[1] ?? null;
    if (at.kind === 'html') return HTML_ENDS.find(([begin]) => begin.test(at.text))?.[1] ?? null;
    if (at.from !== below || at.kind !== 'heading') return null;
    if (within(quiet)(below)) return mark;
  }
  return '';
}
