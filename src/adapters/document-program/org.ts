import {
  CUT_WARNING,
  fenced,
  joinWithin,
  markdownTables,
  outsideCode,
  collapseBlankLines,
  webLink,
} from './markup';
import type { ReadText } from './protocol';

/** Blocks whose text is not converted; the text of other blocks is. */
const VERBATIM = /^(?:src|example|export|comment|ascii)$/;
/** The context of a mark of emphasis: `*bold*` but not `2*3*4`. */
const BEFORE = `(^|[\\s({"'-])`;
const AFTER = `(?=[\\s.,;:!?)}"'-]|$)`;
const CODE = /(^|[^\w=~])[=~](\S|\S[^\n]{0,300}?\S)[=~](?![\w=~])/g;

/**
 * Converts a file of Emacs' Org mode to Markdown: headings, lists, tables, blocks, links, emphasis. Settings and drawers
 * are left out.
 */
export function readOrg(text: string): ReadText {
  const lines = text.split('\n');
  const title = lines
    .map((line) => /^#\+title:\s*(\S.*)$/i.exec(line)?.[1]?.trim())
    .find((one) => one !== undefined);
  const { text: whole, isCut } = joinWithin(converted(lines));
  const markdown = collapseBlankLines(whole);
  return { markdown, ...(title !== undefined && { title }), warnings: isCut ? [CUT_WARNING] : [] };
}

function* converted(lines: readonly string[]): Generator<string> {
  const closing = closings(lines);
  let quoted = '';
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, keyword = '', rest = ''] = /^\s*#\+(begin|end)_(\S+.*)$/i.exec(line) ?? [];
    const [called = '', language = ''] = rest.split(/\s+/);
    const name = called.toLowerCase();
    if (keyword.toLowerCase() === 'begin') {
      const end = closing(at, `#+end_${name}`);
      if (VERBATIM.test(name) && end !== null) {
        if (name !== 'comment')
          yield* block(lines.slice(at + 1, end), /^[\w+#-]+$/.test(language) ? language : '');
        at = end;
      } else if (name === 'quote' && end !== null) quoted = '> ';
    } else if (keyword !== '') {
      if (name === 'quote') quoted = '';
    } else if (/^\s*:(?:properties|logbook):\s*$/i.test(line)) {
      at = closing(at, ':end:') ?? at;
    } else if (/^\s*\|/.test(line)) {
      const rows = tableAt(lines, at);
      yield* markdownTables(rows.filter((row) => !/^\s*\|[-+]+\|?\s*$/.test(row)).map(cellsOf));
      at += rows.length - 1;
    } else if (/^\s*: /.test(line)) {
      const from = at;
      while (/^\s*:(?: |$)/.test(lines[at + 1] ?? '')) at += 1;
      yield* block(
        lines.slice(from, at + 1).map((one) => one.replace(/^\s*: ?/, '')),
        '',
      );
    } else if (!/^\s*#(?:\+\w+:|\s|$)/.test(line)) yield `${quoted}${lineOf(line)}\n`;
  }
}

/**
 * Returns a function that finds the line which closes a block, or null. Call it in the order of the lines: it forgets the
 * lines before `from`.
 */
function closings(lines: readonly string[]): (from: number, mark: string) => number | null {
  const places = new Map<string, number[]>();
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const mark = /^\s*(#\+end_\S+|:end:)\s*$/i.exec(lines[at] ?? '')?.[1]?.toLowerCase();
    if (mark === undefined) continue;
    const known = places.get(mark);
    if (known === undefined) places.set(mark, [at]);
    else known.push(at);
  }
  return (from, mark) => {
    const later = places.get(mark) ?? [];
    while ((later.at(-1) ?? Infinity) <= from) later.pop();
    return later.at(-1) ?? null;
  };
}

function* block(lines: readonly string[], language: string): Generator<string> {
  // A comma escapes a line of a block that would be a heading (Org manual, "Literal Examples").
  yield fenced(lines.map((line) => line.replace(/^(\s*),(?=\*|#\+|,)/, '$1')).join('\n'), language).markdown;
}

function tableAt(lines: readonly string[], from: number): string[] {
  let to = from;
  while (/^\s*\|/.test(lines[to] ?? '')) to += 1;
  return lines.slice(from, to);
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((one) => inline(one.trim()));
}

function lineOf(line: string): string {
  const heading = /^(\*+)\s+(.*)$/.exec(line);
  if (heading !== null)
    return `${'#'.repeat(Math.min(6, heading[1]?.length ?? 1))} ${inline(withTagsNear(heading[2] ?? ''))}`;
  const item = /^(\s*)(?:([-+])|(\d+)[.)])\s+(?:\[([ xX-])\]\s+)?(.*)$/.exec(line);
  if (item !== null) {
    const [, indent = '', , number, box, text = ''] = item;
    const check = box === undefined ? '' : `[${box === '-' ? ' ' : box.toLowerCase()}] `;
    const [, term, meaning] = /^(.*?\S)\s+::(?:\s+(.*))?$/.exec(text) ?? [];
    const said = term === undefined ? inline(text) : `**${inline(term)}** ${inline(meaning ?? '')}`.trim();
    return `${indent}${number === undefined ? '-' : `${number}.`} ${check}${said}`;
  }
  return /^\s*-{5,}\s*$/.test(line) ? '---' : inline(line);
}

/** Replaces the run of spaces before the tags of a heading by one space. */
function withTagsNear(heading: string): string {
  return heading.replace(/(?<!\s)\s+(:(?:[\p{L}\p{N}_@#%]+:)+)\s*$/u, ' $1');
}

function inline(line: string): string {
  return outsideCode(line, CODE, (text) =>
    text
      .replace(/\[\[([^\][]+)\](?:\[([^\][]+)\])?\]/g, (_, target: string, label?: string) =>
        webLink(target, label ?? target.replace(/^(?:file:|\*|#)/, '')),
      )
      .replace(/\[fn:([\w-]+)\]/g, '[^$1]')
      .replace(marked('\\*'), '$1**$2**')
      .replace(marked('/'), '$1*$2*')
      .replace(marked('\\+'), '$1~~$2~~')
      .replace(marked('_'), '$1*$2*'),
  );
}

function marked(mark: string): RegExp {
  return new RegExp(
    `${BEFORE}${mark}([^\\s${mark}](?:[^${mark}\\n]{0,300}[^\\s${mark}])?)${mark}${AFTER}`,
    'g',
  );
}
