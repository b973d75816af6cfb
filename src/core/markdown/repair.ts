import { fenceAround } from './fence';
import { parseMarkdown, within } from './parse';

/** The constructs that are closed at most, one in each round. A text that leaves more open is hostile. */
const MAX_ROUNDS = 8;
/** Marks that hide everything between two of them, across blocks. */
const MARKS = ['$$', '%%'] as const;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
/** The beginnings of HTML blocks that continue over empty lines, and their ends. */
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
 * Appends the ends of everything that a text leaves open (a fence, math, a comment, HTML), so that text below it is no part of
 * that. A text that cannot be closed becomes code in a fence.
 */
export function closeOpenBlocks(text: string): string {
  let shown = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const end = missingEnd(shown);
    if (end === '') return shown;
    if (end === null) break;
    shown += `\n${end}`;
  }
  return asCode(text);
}

/** Puts a text into a code fence that nothing in it can close. */
export function asCode(text: string): string {
  const fence = fenceAround(text);
  return `${fence}\n${text}\n${fence}`;
}

/** Returns the end of one construct that a text leaves open, '' when it leaves none open, null when the end is unknown. */
function missingEnd(text: string): string | null {
  const below = text.length + 2;
  for (const mark of MARKS) {
    // The appended mark pairs with one that the text leaves open; the heading between the two is then hidden.
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
