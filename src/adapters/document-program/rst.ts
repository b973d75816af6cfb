import {
  CUT_WARNING,
  fenced,
  indentOf,
  joinWithin,
  outsideCode,
  collapseBlankLines,
  webLink,
} from './markup';
import type { ReadText } from './protocol';

const INLINE_CODE = /()``([^\n]{1,1000}?)``/g;
/**
 * Both match only where a run of their characters begins: when the whole of a run does not match, no part of it does. The
 * first group is the beginning of the run that does not belong to them.
 */
const ROLE = /(?<![\w:+.-])([\w+.-]*):[\w:+.-]+:`([^`]+)`/g;
const REFERENCE = /(?<![\w.-])((?<=`)\w*[.-]+|(?<!`)[.-]*)(\w[\w.-]*)_(?![\w`_])/g;

/** Returns the named targets of a file: `.. _name: https://…`. Names are compared without case. */
function targetsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  for (const line of lines) {
    const [, name, address] = /^\s*\.\. _`?([^:`]+)`?:\s+(\S+)$/.exec(line) ?? [];
    if (name !== undefined && address !== undefined) targets.set(name.toLowerCase(), address);
  }
  return targets;
}

/** Returns a function that converts the inline markup of a line: code, links, roles. Emphasis is the same in Markdown. */
export function rstInline(targets: ReadonlyMap<string, string>): (line: string) => string {
  const named = (name: string) => webLink(targets.get(name.toLowerCase()) ?? '', name);
  return (line) =>
    outsideCode(line, INLINE_CODE, (text) =>
      text
        .replace(/`([^`<]+)<([^`>]+)>`__?/g, (_, label: string, address: string) => webLink(address, label))
        .replace(/`([^`]+)`__?/g, (_, name: string) => named(name))
        .replace(ROLE, (_, before: string, said: string) => before + withoutTarget(said).replace(/^[~!]/, ''))
        .replace(/`([^`]+)`/g, '*$1*')
        .replace(/\[#?(\w+)\]_(?!\w)/g, '[^$1]')
        .replace(REFERENCE, (whole, before: string, name: string) =>
          targets.has(name.toLowerCase()) ? before + named(name) : whole,
        ),
    );
}

/** Returns the text of a role without the target in angle brackets at its end. */
function withoutTarget(said: string): string {
  if (!said.endsWith('>')) return said;
  const open = said.indexOf('<', said.slice(0, -1).lastIndexOf('>') + 1);
  return open < 0 ? said : said.slice(0, open).trimEnd();
}

/** The line of one character under a title (reStructuredText specification, "Sections"). */
const ADORNMENT = /^([!-/:-@[-`{-~])\1{2,}\s*$/;
const TABLE = /^(?:={2,}(?: +={2,})+|\+(?:[-=]+\+)+)\s*$/;
const DIRECTIVE = /^(\s*)\.\. ([\w-]+)::\s*(.*)$/;
const CODE =
  /^(?:code|code-block|sourcecode|parsed-literal|literalinclude|highlight|math|raw|csv-table|list-table|table)$/;
/** Directives that only control what is built from the file. */
const SILENT =
  /^(?:toctree|contents|index|include|meta|role|default-role|only|currentmodule|module|highlight|raw)$/;

/**
 * Converts a reStructuredText file to Markdown: titles, lists, blocks of code, links, notes. Tables become blocks of code
 * as they were drawn, and directives without text are left out.
 */
export function readRst(text: string): ReadText {
  const lines = text.split('\n').map((line) => line.replace(/\t/g, '        ').trimEnd());
  const titles = new Titles();
  const { text: whole, isCut } = joinWithin(converted(lines, titles));
  const markdown = collapseBlankLines(whole);
  return {
    markdown,
    ...(titles.first !== null && { title: titles.first }),
    warnings: isCut ? [CUT_WARNING] : [],
  };
}

/** The levels of titles: the styles of their lines count in the order in which a file uses them. */
class Titles {
  readonly #seen: string[] = [];
  first: string | null = null;

  heading(text: string, style: string): string {
    if (!this.#seen.includes(style)) this.#seen.push(style);
    const level = Math.min(6, this.#seen.indexOf(style) + 1);
    if (level === 1) this.first ??= text;
    return `${'#'.repeat(level)} ${text}\n`;
  }
}

function* converted(lines: readonly string[], titles: Titles): Generator<string> {
  const inline = rstInline(targetsOf(lines));
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [next = '', third = ''] = [lines[at + 1], lines[at + 2]];
    const directive = DIRECTIVE.exec(line);
    if (ADORNMENT.test(line) && next.trim() !== '' && third.trimEnd() === line && !ADORNMENT.test(next)) {
      yield titles.heading(inline(next.trim()), `${line.charAt(0)} over`);
      at += 2;
    } else if (isTitle(line, next)) {
      yield titles.heading(inline(line), next.charAt(0));
      at += 1;
    } else if (TABLE.test(line)) {
      const end = endOfTable(lines, at);
      yield fenced(lines.slice(at, end).join('\n'), 'text').markdown;
      at = end - 1;
    } else if (directive !== null) {
      const end = endOfIndented(lines, at, indentOf(line));
      yield* directiveText(directive[2] ?? '', directive[3] ?? '', lines.slice(at + 1, end), inline);
      at = end - 1;
    } else if (/^\s*\.\.(?:\s|$)/.test(line)) {
      // A comment, a target, or a footnote, of which only the first line is used.
      const note = /^\s*\.\. \[(\w+|#\w*)\]\s+(.*)$/.exec(line);
      const end = endOfIndented(lines, at, indentOf(line));
      if (note !== null) yield `[^${note[1]?.replace('#', '')}]: ${inline(note[2] ?? '')}\n`;
      at = end - 1;
    } else if (/::$/.test(line) && indentOf(nextText(lines, at)) > indentOf(line)) {
      if (line.trim() !== '::') yield `${textOf(line.slice(0, -1), inline)}\n`;
      const end = endOfIndented(lines, at, indentOf(line));
      yield `\n${code(lines.slice(at + 1, end), '')}\n`;
      at = end - 1;
    } else yield `${ADORNMENT.test(line) && line.trim().length >= 4 ? '---' : textOf(line, inline)}\n`;
  }
}

function isTitle(line: string, under: string): boolean {
  return (
    line !== '' &&
    !/^\s/.test(line) &&
    ADORNMENT.test(under) &&
    under.length >= line.length &&
    !ADORNMENT.test(line)
  );
}

function* directiveText(
  name: string,
  argument: string,
  body: readonly string[],
  inline: (text: string) => string,
): Generator<string> {
  const content = body.filter((line) => !/^\s*:[\w-]+:/.test(line));
  if (SILENT.test(name)) return;
  if (CODE.test(name)) yield `${code(content, /^[\w+#-]+$/.test(argument) ? argument : '')}\n`;
  else if (name === 'image' || name === 'figure') {
    const alt = body.map((line) => /^\s*:alt:\s*(.+)$/.exec(line)?.[1]).find((one) => one !== undefined);
    yield `${inline(alt ?? '')}\n`;
    for (const line of content) yield `${inline(line.trim())}\n`;
  } else {
    yield `> **${name.charAt(0).toUpperCase()}${name.slice(1)}**${argument === '' ? '' : ` ${inline(argument)}`}\n`;
    for (const line of content) yield `> ${textOf(line.trimStart(), inline)}\n`.replace(/> \n/, '>\n');
    yield '\n';
  }
}

function textOf(line: string, inline: (text: string) => string): string {
  const [, indent = '', marker, rest = ''] = /^(\s*)(?:([-*+•]|#\.|\(?\d+[.)])\s+)?(.*)$/.exec(line) ?? [];
  if (marker === undefined) {
    const [, field, value = ''] = /^\s*:([^:`]+):(?:\s+(.*))?$/.exec(line) ?? [];
    // Markdown takes a line that is indented by four spaces for code; such a line here is a quotation or part of an item.
    return field === undefined
      ? ' '.repeat(Math.min(3, indent.length)) + inline(rest)
      : `- ${field}: ${inline(value)}`;
  }
  const number = /\d+/.exec(marker)?.[0];
  const sign = marker === '#.' ? '1.' : number === undefined ? '-' : `${number}.`;
  return `${indent}${sign} ${inline(rest)}`;
}

function code(lines: readonly string[], language: string): string {
  const filled = lines.filter((line) => line !== '');
  // Not `Math.min(...)`: there may be hundreds of thousands of lines.
  const indent = filled.reduce((least, line) => Math.min(least, indentOf(line)), Infinity);
  return filled.length === 0
    ? ''
    : fenced(lines.map((line) => line.slice(indent)).join('\n'), language).markdown;
}

function nextText(lines: readonly string[], at: number): string {
  for (let next = at + 1; next < lines.length; next += 1) if (lines[next] !== '') return lines[next] ?? '';
  return '';
}

/** Returns the index after the lines that are indented further than `indent`, without blank lines at their end. */
function endOfIndented(lines: readonly string[], at: number, indent: number): number {
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line === '') continue;
    if (indentOf(line) <= indent) break;
    end = next + 1;
  }
  return end;
}

function endOfTable(lines: readonly string[], at: number): number {
  let end = at;
  while ((lines[end] ?? '') !== '') end += 1;
  return end;
}
