import {
  type Block,
  cellOf,
  code,
  dedented,
  item,
  leading,
  led,
  linesOf,
  list,
  paragraph,
  quotation,
  tableOf,
} from './blocks';
import { CUT_WARNING, inlineCode, joinWithin, literalStart, link, linkTarget } from './markup';
import type { ReadText } from './protocol';
import { directiveBlocks, directiveOf, type RstParts } from './rst-directives';
import { RstInline } from './rst-inline';
import { addressLines, noteLabel, RstNames, substitutionName, targetAt } from './rst-names';
import { type DrawnTable, endOfSimple, GRID, gridTable, SIMPLE, simpleTable } from './rst-tables';

/** The line of one character under a title (reStructuredText specification, "Sections"). */
const ADORNMENT = /^([!-/:-@[-`{-~])\1*$/;
const BULLET = /^[-*+•‣⁃](?: +|$)/;
const NUMBER =
  /^(?:\((#|\d{1,9}|[a-zA-Z]|[ivxlcdmIVXLCDM]{1,12})\)|(#|\d{1,9}|[a-zA-Z]|[ivxlcdmIVXLCDM]{1,12})([.)]))(?: +|$)/;
const FIELD = /^:(?![: ])((?:[^:\\]|\\.|:(?![ `]|$))+):(?: +|$)/;
const OPTION_WORD = String.raw`(?:(?:-\w|\+\w)(?: ?(?:<[^<>]+>|[A-Za-z][\w-]*))?|(?:--|/)[A-Za-z0-9][\w-]*(?:[ =](?:<[^<>]+>|[A-Za-z][\w-]*))?)`;
const OPTION = new RegExp(`^${OPTION_WORD}(?:, ${OPTION_WORD})*(?:  +| ?$)`);
const EXPLICIT = /^\.\.(?: |$)/;
const DIRECTIVE = /^\.\. +([a-zA-Z0-9]+(?:[-._+:][a-zA-Z0-9]+)*) ?::(?: +(.*))?$/;
/** The depth of blocks in blocks beyond which the text stays as written. */
const MAX_DEPTH = 24;

/**
 * Converts a reStructuredText file to Markdown. Nothing that it says is left out but comments and the names of places in
 * the file, which a warning counts; what has no form in Markdown stays as a block of code or as text.
 */
export function readRst(text: string): ReadText {
  const lines = text
    .replace(/\0/g, '\ufffd')
    .split('\n')
    .map((line) => withoutTabs(line).trimEnd());
  const reader = new RstReader(lines);
  const { text: whole, isCut } = joinWithin(reader.pieces());
  return {
    markdown: whole === '' ? '' : `${whole.trimEnd()}\n`,
    ...(reader.title !== null && { title: reader.title }),
    warnings: [...(isCut ? [CUT_WARNING] : []), ...reader.warnings()],
  };
}

/** Replaces tabs by blanks up to the next eighth column. */
function withoutTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let width = 0;
  return line
    .split('\t')
    .map((part, at, all) => {
      width += part.length;
      const gap = at === all.length - 1 ? 0 : 8 - (width % 8);
      width += gap;
      return part + ' '.repeat(gap);
    })
    .join('');
}

/** Blocks that were made of lines, and the index behind these. */
interface Taken {
  readonly blocks: readonly Block[];
  readonly end: number;
}

class RstReader {
  title: string | null = null;
  readonly #lines: readonly string[];
  readonly #names: RstNames;
  readonly #inline: RstInline;
  /** The styles of titles in the order in which the file uses them. */
  readonly #styles: string[] = [];
  #comments = 0;
  readonly #places: string[] = [];
  /** Definitions that may be used further down: their names, and their lines. */
  readonly #targets: string[] = [];
  readonly #substitutions: { readonly name: string; readonly lines: readonly string[] }[] = [];

  constructor(lines: readonly string[]) {
    this.#lines = lines;
    this.#names = new RstNames(lines);
    this.#inline = new RstInline(this.#names);
  }

  *pieces(): Generator<string> {
    for (const block of this.#blocks(this.#lines, 0)) yield `${block.lines.join('\n')}\n\n`;
    for (const block of this.#unused()) yield `${block.lines.join('\n')}\n\n`;
  }

  /** Says what the text lacks. */
  warnings(): string[] {
    const left = [
      ...(this.#comments === 0 ? [] : [this.#comments === 1 ? '1 comment' : `${this.#comments} comments`]),
      ...(this.#places.length === 0
        ? []
        : [
            `the names of places to which links lead (${this.#places.slice(0, 5).join(', ')}${this.#places.length > 5 ? ', …' : ''})`,
          ]),
    ];
    return left.length === 0 ? [] : [`Left out, and only in the original: ${left.join(' and ')}.`];
  }

  /** Addresses and substitutions that nothing in the file uses, and addresses to which no link can lead. */
  *#unused(): Generator<Block> {
    const links = this.#targets.flatMap((name) => {
      const address = this.#names.addressLeft(name);
      const target = address === null ? null : linkTarget(address);
      if (address === null) return [];
      return [[`- ${target === null ? literalStart(`${name}: ${address}`) : link(target, name)}`]];
    });
    for (const address of this.#names.anonymousLeft()) {
      const target = linkTarget(address);
      links.push([`- ${target === null ? literalStart(address) : link(target, address)}`]);
    }
    if (links.length > 0) yield list(links);
    for (const { name, lines } of this.#substitutions)
      if (!this.#names.isSubstituted(name, lines.length)) yield code(lines, 'rst');
  }

  *#blocks(lines: readonly string[], depth: number): Generator<Block> {
    if (depth > MAX_DEPTH) {
      if (lines.some((line) => line !== '')) yield code(lines, '');
      return;
    }
    let at = 0;
    while (at < lines.length) {
      if ((lines[at] ?? '') === '') at += 1;
      else {
        const { blocks, end } = this.#take(lines, at, depth);
        yield* blocks;
        at = end;
      }
    }
  }

  #take(lines: readonly string[], at: number, depth: number): Taken {
    const line = lines[at] ?? '';
    if (line.startsWith(' ')) {
      const end = endOfIndented(lines, at - 1);
      const inner = [...this.#blocks(dedented(lines.slice(at, end)), depth + 1)];
      return { blocks: inner.length === 0 ? [] : [quotation(inner)], end };
    }
    if (EXPLICIT.test(line)) return this.#explicit(lines, at, depth);
    return (
      this.#title(lines, at) ??
      this.#list(lines, at, depth) ??
      this.#drawn(lines, at, depth) ??
      this.#text(lines, at, depth)
    );
  }

  #title(lines: readonly string[], at: number): Taken | null {
    const [line = '', next = '', third = ''] = [lines[at], lines[at + 1], lines[at + 2]];
    if (ADORNMENT.test(line)) {
      const isOver = next.trim() !== '' && third === line && !ADORNMENT.test(next);
      if (isOver && (line.length >= 4 || next.trim().length <= line.length))
        return { blocks: [this.#heading(next.trim(), `${line.charAt(0)} over`)], end: at + 3 };
      return line.length >= 4 && next === ''
        ? { blocks: [{ kind: 'other', lines: ['---'] }], end: at + 1 }
        : null;
    }
    const isUnder = ADORNMENT.test(next) && (next.length >= 4 || line.length <= next.length);
    if (!isUnder || next === '::') return null;
    return { blocks: [this.#heading(line, next.charAt(0))], end: at + 2 };
  }

  /** The level of a title is the place of its style among those of the file. */
  #heading(source: string, style: string): Block {
    if (!this.#styles.includes(style)) this.#styles.push(style);
    const level = Math.min(6, this.#styles.indexOf(style) + 1);
    const text = this.#inline.convert(source);
    if (level === 1) this.title ??= text.shown();
    return { kind: 'other', lines: [`${'#'.repeat(level)} ${text.line()}`] };
  }

  #list(lines: readonly string[], at: number, depth: number): Taken | null {
    for (const take of [this.#bullet, this.#number, this.#field, this.#option]) {
      const items: string[][] = [];
      let end = at;
      for (;;) {
        const next = blankEnd(lines, end);
        const found = next < lines.length ? take.call(this, lines, next, depth, items.length) : null;
        if (found === null) break;
        items.push(found.item);
        end = found.end;
      }
      if (items.length > 0) return { blocks: [list(items)], end };
    }
    return null;
  }

  #bullet(lines: readonly string[], at: number, depth: number): Item | null {
    const mark = BULLET.exec(lines[at] ?? '')?.[0];
    if (mark === undefined) return null;
    const { inner, end } = itemLines(lines, at, mark.length);
    return { item: item('-', [...this.#blocks(inner, depth + 1)]), end };
  }

  #number(lines: readonly string[], at: number, depth: number, count: number): Item | null {
    const [mark, inBrackets, plain, dot = ')'] = NUMBER.exec(lines[at] ?? '') ?? [];
    const value = inBrackets ?? plain;
    if (mark === undefined || value === undefined) return null;
    // Text goes on at the margin, and the words of an item do not.
    const next = lines[at + 1] ?? '';
    if (next !== '' && !next.startsWith(' ') && !NUMBER.test(next)) return null;
    const { inner, end } = itemLines(lines, at, mark.length);
    const blocks = [...this.#blocks(inner, depth + 1)];
    if (value === '#' || /^\d/.test(value))
      return { item: item(`${value === '#' ? count + 1 : value}${dot}`, blocks), end };
    const [first, ...rest] = blocks;
    const label = mark.trim();
    return {
      item: item(
        '-',
        first?.kind === 'paragraph'
          ? [paragraph([`${label} ${first.lines[0] ?? ''}`, ...first.lines.slice(1)]), ...rest]
          : [paragraph([label]), ...blocks],
      ),
      end,
    };
  }

  #field(lines: readonly string[], at: number, depth: number): Item | null {
    const [mark, name] = FIELD.exec(lines[at] ?? '') ?? [];
    if (mark === undefined || name === undefined) return null;
    const end = endOfIndented(lines, at);
    const first = (lines[at] ?? '').slice(mark.length);
    const inner = [first, ...dedented(lines.slice(at + 1, end))];
    return {
      item: item('-', led(`${this.#inline.convert(name).line()}:`, [...this.#blocks(inner, depth + 1)])),
      end,
    };
  }

  #option(lines: readonly string[], at: number, depth: number): Item | null {
    const mark = OPTION.exec(lines[at] ?? '')?.[0];
    if (mark === undefined) return null;
    const end = endOfIndented(lines, at);
    const first = (lines[at] ?? '').slice(mark.length);
    if (first === '' && end === at + 1) return null;
    const inner = [first, ...dedented(lines.slice(at + 1, end))];
    return { item: item('-', led(inlineCode(mark.trim()), [...this.#blocks(inner, depth + 1)])), end };
  }

  /** Blocks that are told by how they are drawn. */
  #drawn(lines: readonly string[], at: number, depth: number): Taken | null {
    const line = lines[at] ?? '';
    if (/^>>>(?: |$)/.test(line)) {
      const end = endOfFilled(lines, at);
      return { blocks: [code(lines.slice(at, end), 'python')], end };
    }
    if (/^\|(?: |$)/.test(line)) return this.#lineBlock(lines, at);
    if (GRID.test(line) || SIMPLE.test(line)) {
      const end = GRID.test(line) ? endOfFilled(lines, at) : endOfSimple(lines, at);
      const drawn = lines.slice(at, end);
      const table = GRID.test(line) ? gridTable(drawn) : simpleTable(drawn);
      return { blocks: table === null ? [code(drawn, 'text')] : this.#table(table, depth), end };
    }
    const target = targetAt(line);
    if (target !== null) {
      const taken = addressLines(target.address, lines.slice(at, endOfIndented(lines, at)));
      return { blocks: [], end: at + 1 + taken.length };
    }
    return null;
  }

  #table(table: DrawnTable, depth: number): Block[] {
    const rows = table.map((row) => row.map((cell) => cellOf(this.#blocks(cell, depth + 1))));
    return tableOf(rows);
  }

  #lineBlock(lines: readonly string[], at: number): Taken {
    const texts: string[] = [];
    let end = at;
    for (; (lines[end] ?? '') !== ''; end += 1) {
      const line = lines[end] ?? '';
      if (/^\|(?: |$)/.test(line)) texts.push(line.slice(2));
      else if (line.startsWith(' ') && texts.length > 0) texts.push(`${texts.pop() ?? ''} ${line.trim()}`);
      else break;
    }
    const groups: string[][] = [[]];
    for (const one of texts)
      if (one.trim() === '') groups.push([]);
      else groups.at(-1)?.push(...this.#inline.convert(one).lines());
    return { blocks: groups.filter((group) => group.length > 0).map(paragraph), end };
  }

  /** A paragraph, a term with its definition, or text before a block of code. */
  #text(lines: readonly string[], at: number, depth: number): Taken {
    const line = lines[at] ?? '';
    if ((lines[at + 1] ?? '').startsWith(' ') && !line.endsWith('::'))
      return this.#definitions(lines, at, depth);
    let end = at + 1;
    while ((lines[end] ?? '') !== '' && !(lines[end] ?? '').startsWith(' ') && !isTitled(lines, end))
      end += 1;
    const last = lines[end - 1] ?? '';
    const literal = /(?<!\\)::$/.test(last) ? literalAfter(lines, end) : null;
    const source = lines.slice(at, end);
    if (literal !== null)
      source[source.length - 1] = /(?:^| )::$/.test(last) ? last.slice(0, -2) : last.slice(0, -1);
    const said = source.join('\n').trim();
    const words = said === '' ? [] : [paragraph(this.#inline.convert(said).lines())];
    if (literal === null) return { blocks: words, end };
    return { blocks: [...words, code(literal.lines, '')], end: literal.end };
  }

  #definitions(lines: readonly string[], at: number, depth: number): Taken {
    const items: string[][] = [];
    let end = at;
    for (;;) {
      const next = blankEnd(lines, end);
      const term = lines[next] ?? '';
      const isTerm = term !== '' && !term.startsWith(' ') && (lines[next + 1] ?? '').startsWith(' ');
      if (!isTerm || (next !== at && this.#begins(lines, next))) break;
      end = endOfIndented(lines, next);
      const blocks = [...this.#blocks(dedented(lines.slice(next + 1, end)), depth + 1)];
      items.push(item('-', [paragraph(this.#inline.convert(term).lines()), ...blocks]));
    }
    return { blocks: [list(items)], end };
  }

  /** Returns true when a line begins another block than a paragraph or a definition. */
  #begins(lines: readonly string[], at: number): boolean {
    const line = lines[at] ?? '';
    return (
      [BULLET, NUMBER, FIELD, OPTION, EXPLICIT, GRID, SIMPLE, /^(?:>>>|\|)(?: |$)/, /::$/].some((one) =>
        one.test(line),
      ) || isTitled(lines, at)
    );
  }

  /** What begins with two dots: a directive, a target, a note, a substitution or a comment. */
  #explicit(lines: readonly string[], at: number, depth: number): Taken {
    const line = lines[at] ?? '';
    // Two dots alone end what is above and take nothing with them.
    if (line === '..' && (lines[at + 1] ?? '') === '') return { blocks: [], end: at + 1 };
    const end = endOfIndented(lines, at);
    const source = lines.slice(at, end);
    const [whole, name = '', rest = ''] = DIRECTIVE.exec(line) ?? [];
    if (whole !== undefined) {
      const directive = directiveOf(name, rest, source.slice(1), source);
      const parts: RstParts = {
        blocks: (inner) => [...this.#blocks(inner, depth + 1)],
        inline: (text) => this.#inline.convert(text),
      };
      return { blocks: directiveBlocks(directive, parts), end };
    }
    const label = noteLabel(line);
    if (label !== null) return { blocks: [this.#note(label, source, depth)], end };
    const target = targetAt(line);
    if (target !== null) {
      if (target.name !== null) this.#target(target.name);
      // What is below the address does not belong to it.
      const rest = source.slice(1 + addressLines(target.address, source).length);
      return { blocks: [...this.#blocks(dedented(rest), depth + 1)], end };
    }
    const substitution = substitutionName(line);
    if (substitution !== null) this.#substitutions.push({ name: substitution, lines: source });
    else this.#comments += 1;
    return { blocks: [], end };
  }

  #target(name: string): void {
    const said = name.replace(/^`|`$/g, '');
    if (this.#names.isPlace(name)) this.#places.push(said);
    else this.#targets.push(said);
  }

  #note(label: string, source: readonly string[], depth: number): Block {
    const first = (source[0] ?? '').replace(/^\.\. +\[[^\]]*\] ?/, '').trim();
    const blocks = [...this.#blocks([first, ...dedented(source.slice(1))], depth + 1)];
    const mark = this.#names.noteLabel(label);
    if (mark === null)
      return {
        kind: 'other',
        lines: linesOf(led(`**\\[${this.#inline.convert(label).line()}\\]**`, blocks)),
      };
    const lines = linesOf(led(`[^${mark}]:`, blocks));
    return {
      kind: 'other',
      lines: lines.map((line, at) => (at === 0 || line === '' ? line : `    ${line}`)),
    };
  }
}

interface Item {
  readonly item: string[];
  readonly end: number;
}

/** Returns the lines of an item, of whose first line the mark is left out. */
function itemLines(lines: readonly string[], at: number, width: number): { inner: string[]; end: number } {
  const end = endOfIndented(lines, at);
  const first = (lines[at] ?? '').slice(width);
  const rest = lines.slice(at + 1, end);
  const inner =
    first === ''
      ? dedented(rest)
      : [first, ...rest.map((line) => line.slice(Math.min(width, leading(line))))];
  return { inner, end };
}

function isTitled(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = [lines[at], lines[at + 1]];
  return line.length >= 4 && next.length >= line.length && ADORNMENT.test(next) && !ADORNMENT.test(line);
}

/** Returns the block of code behind a paragraph that ends in `::`: indented, or each line behind the same mark. */
function literalAfter(lines: readonly string[], from: number): { lines: string[]; end: number } | null {
  const at = blankEnd(lines, from);
  const first = lines[at] ?? '';
  if (first.startsWith(' ')) {
    const end = endOfIndented(lines, from - 1);
    return { lines: lines.slice(at, end), end };
  }
  if (at === from || !/^[!-/:-@[-`{-~]/.test(first)) return null;
  let end = at;
  while ((lines[end] ?? '').startsWith(first.charAt(0))) end += 1;
  return { lines: lines.slice(at, end), end };
}

/** Returns the index of the first line from an index that is not blank, or the length. */
function blankEnd(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at] === '') at += 1;
  return at;
}

function endOfFilled(lines: readonly string[], at: number): number {
  let end = at;
  while ((lines[end] ?? '') !== '') end += 1;
  return end;
}

/** Returns the index after the indented lines behind a line, without blank lines at their end. */
function endOfIndented(lines: readonly string[], at: number): number {
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line === '') continue;
    if (!line.startsWith(' ')) break;
    end = next + 1;
  }
  return end;
}
