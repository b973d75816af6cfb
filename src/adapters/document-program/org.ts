import {
  type Block,
  code,
  formulaBlock,
  item,
  led,
  linesOf,
  list,
  paragraph,
  quotation,
  tableOf,
} from './blocks';
import { CUT_WARNING, indentOf, inlineCode, joinWithin, literal } from './markup';
import { OrgInline } from './org-inline';
import type { ReadText } from './protocol';
import { GRID, gridTable } from './rst-tables';

const HEADING = /^(\*+)[ \t]+(.*)$/;
const BLOCK = /^\s*#\+begin_(\S+)[ \t]*(.*)$/i;
const KEYWORD = /^\s*#\+([\w-]+)(?:\[([^\]]*)\])?:[ \t]*(.*)$/;
const DRAWER = /^\s*:([\w-]+):\s*$/;
const PROPERTY = /^\s*:([^\s:]+):(?:[ \t]+(.*))?$/;
const COMMENT = /^\s*#(?:\s|$)/;
const TABLE = /^\s*\|/;
const FIXED = /^\s*:(?: |$)/;
const RULE = /^\s*-{5,}\s*$/;
const NOTE = /^\[fn:([\w-]+)\][ \t]*(.*)$/;
const ENVIRONMENT = /^\s*\\begin\{([A-Za-z]+\*?)\}/;
const ITEM = /^(\s*)(?:([-+]|(?<=\s)\*)|(\d{1,9})[.)])(?:[ \t]+|$)(.*)$/;

/** Settings that describe the document; the others tell Emacs what to do, and stay as they are written. */
const ABOUT = /^(?:author|email|date|subtitle|description|keywords|filetags|category|language)$/;
/** Blocks whose text is not converted. */
const VERBATIM = /^(?:src|example|export|comment|ascii)$/i;
const MATHS = /^(?:equation|align|alignat|gather|multline|eqnarray|displaymath|math|flalign)\*?$/;
/** The depth of blocks in blocks beyond which the text stays as written. */
const MAX_DEPTH = 24;

/**
 * Converts a file of Emacs' Org mode to Markdown. Nothing that it says is left out but comments, which a warning counts; what
 * has no form in Markdown stays as a block of code or as text.
 */
export function readOrg(text: string): ReadText {
  const lines = text.replace(/\0/g, '\ufffd').split('\n');
  const reader = new OrgReader(lines);
  const { text: whole, isCut } = joinWithin(reader.pieces());
  const title = reader.title();
  const first = /^# .*$/m.exec(whole)?.[0];
  // A note is called like its first heading.
  const isHidden = title !== '' && first !== undefined && first !== reader.titleLine();
  return {
    markdown: whole === '' ? '' : `${isHidden ? `${reader.titleLine()}\n\n` : ''}${whole.trim()}\n`,
    ...(title !== '' && { title }),
    warnings: [...(isCut ? [CUT_WARNING] : []), ...reader.warnings()],
  };
}

/** Blocks that were made of lines, and the index behind these. */
interface Taken {
  readonly blocks: readonly Block[];
  readonly end: number;
}

/** Lines that are read together, and where what they open is closed. */
interface Part {
  readonly lines: readonly string[];
  readonly depth: number;
  readonly closing: (from: number, mark: string, overHeadings?: boolean) => number | null;
}

class OrgReader {
  readonly #lines: readonly string[];
  readonly #inline = new OrgInline();
  #comments = 0;
  readonly #titles: string[] = [];

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** The title, when the pieces are made; '' when the file names none. */
  title(): string {
    return new OrgInline().convert(this.#titles.join(' ')).shown();
  }

  /** The title as a heading. */
  titleLine(): string {
    return `# ${new OrgInline().convert(this.#titles.join(' ')).line()}`;
  }

  *pieces(): Generator<string> {
    let isHeading = false;
    for (const block of this.#blocks(this.#lines, 0)) {
      // Headings follow one another without a blank line.
      const next = block.kind === 'other' && /^#{1,6} /.test(block.lines[0] ?? '');
      yield `${isHeading && next ? '' : '\n'}${block.lines.join('\n')}\n`;
      isHeading = next;
    }
    for (const { label, text } of this.#inline.notes)
      yield `\n[^${label}]: ${this.#inline.convert(text).line()}\n`;
  }

  /** Says what the text lacks. */
  warnings(): string[] {
    if (this.#comments === 0) return [];
    return [
      `Left out, and only in the original: ${this.#comments === 1 ? '1 comment' : `${this.#comments} comments`}.`,
    ];
  }

  *#blocks(lines: readonly string[], depth: number): Generator<Block> {
    if (depth > MAX_DEPTH) {
      if (lines.some((line) => line.trim() !== '')) yield code(lines, '');
      return;
    }
    const part = { lines, depth, closing: closings(lines, depth === 0) };
    let at = 0;
    while (at < lines.length) {
      if ((lines[at] ?? '').trim() === '') at += 1;
      else {
        const { blocks, end } = this.#take(part, at);
        yield* blocks;
        at = end;
      }
    }
  }

  #take(part: Part, at: number): Taken {
    const line = part.lines[at] ?? '';
    const [, stars, heading = ''] = (part.depth === 0 && HEADING.exec(line)) || [];
    if (stars !== undefined) {
      const text = `${'#'.repeat(Math.min(6, stars.length))} ${this.#inline.convert(withTagsNear(heading)).line()}`;
      return { blocks: [{ kind: 'other', lines: [text.trimEnd()] }], end: at + 1 };
    }
    return (
      this.#enclosed(part, at) ??
      this.#hash(part, at) ??
      this.#drawn(part, at) ??
      this.#note(part, at) ??
      this.#list(part, at) ??
      this.#paragraph(part, at)
    );
  }

  /** What has a line that closes it: blocks, drawers, formulas. Without that line, its first line is text. */
  #enclosed(part: Part, at: number): Taken | null {
    const line = part.lines[at] ?? '';
    const [begins, name = '', rest = ''] = BLOCK.exec(line) ?? [];
    if (begins !== undefined) {
      const end = part.closing(at, `#+end_${name.toLowerCase()}`, VERBATIM.test(name));
      if (end === null) return { blocks: [code([line], 'org')], end: at + 1 };
      const inner = part.lines.slice(at + 1, end);
      return { blocks: this.#block(name.toLowerCase(), rest.trim(), inner, part.depth), end: end + 1 };
    }
    const drawer = DRAWER.exec(line)?.[1];
    if (drawer !== undefined && !/^end$/i.test(drawer)) {
      const end = part.closing(at, ':end:');
      if (end !== null)
        return { blocks: this.#drawer(drawer, part.lines.slice(at + 1, end), part.depth), end: end + 1 };
    }
    const environment = ENVIRONMENT.exec(line)?.[1];
    const end =
      environment === undefined ? null : part.closing(at - 1, `\\end{${environment.toLowerCase()}}`);
    if (environment === undefined || end === null) return null;
    const tex = part.lines.slice(at, end + 1);
    return { blocks: [MATHS.test(environment) ? formulaBlock(tex) : code(tex, 'latex')], end: end + 1 };
  }

  #block(name: string, rest: string, inner: readonly string[], depth: number): Block[] {
    const [, language = '', settings = ''] = /^(?![-:+])([\w+#.-]*)\s*(.*)$/.exec(rest) ?? ['', '', rest];
    const said = (text: string) => (text === '' ? [] : [paragraph([inlineCode(text)])]);
    switch (name) {
      case 'comment':
        this.#comments += 1;
        return [];
      case 'src':
      case 'export':
        return [...said(settings), ...verbatim(inner, language)];
      case 'example':
      case 'ascii':
        return [...said(rest), ...verbatim(inner, '')];
      case 'verse':
        return [...said(rest), ...this.#verse(inner)];
      case 'center':
        return [...said(rest), ...this.#blocks(inner, depth + 1)];
      case 'quote':
        return [quotation([...said(rest), ...this.#blocks(inner, depth + 1)])];
      default: {
        const label = `**${literal(name.charAt(0).toUpperCase() + name.slice(1))}**`;
        return [quotation([...led(label, [...said(rest), ...this.#blocks(inner, depth + 1)])])];
      }
    }
  }

  #verse(lines: readonly string[]): Block[] {
    const verses: string[][] = [[]];
    for (const line of lines)
      if (line.trim() === '') verses.push([]);
      else verses.at(-1)?.push(line);
    return verses
      .filter((verse) => verse.length > 0)
      .map((verse) => paragraph(this.#inline.convert(verse.join('\n')).lines()));
  }

  /** Properties become a list. The text of other drawers stays, and that of a log without its name. */
  #drawer(name: string, lines: readonly string[], depth: number): Block[] {
    const kind = name.toLowerCase();
    if (kind !== 'properties') {
      const inner = [...this.#blocks(lines, depth + 1)];
      return kind === 'logbook' ? inner : [paragraph([`${literal(name)}:`]), ...inner];
    }
    const properties = lines.flatMap((line) => {
      const [, key, value = ''] = PROPERTY.exec(line) ?? [];
      return key === undefined
        ? []
        : [[`- ${literal(key, { hasMath: true })}: ${literal(value.trim(), { hasMath: true })}`.trimEnd()]];
    });
    const others = lines.filter((line) => !PROPERTY.test(line));
    return [...(properties.length === 0 ? [] : [list(properties)]), ...this.#blocks(others, depth + 1)];
  }

  /** Settings and comments. */
  #hash({ lines }: Part, at: number): Taken | null {
    const line = lines[at] ?? '';
    let end = at + 1;
    if (COMMENT.test(line)) {
      while (COMMENT.test(lines[end] ?? '')) end += 1;
      this.#comments += 1;
      return { blocks: [], end };
    }
    const [whole, name = '', short, value = ''] = KEYWORD.exec(line) ?? [];
    if (whole === undefined) return null;
    const key = name.toLowerCase();
    if (key === 'title') {
      this.#titles.push(value.trim());
      return { blocks: [], end };
    }
    if (key === 'caption') {
      const text = [short ?? '', value].filter((one) => one !== '').join(' – ');
      return { blocks: text === '' ? [] : [paragraph(this.#inline.convert(text).lines())], end };
    }
    return this.#settings(lines, at, ABOUT.test(key));
  }

  /** Settings in turn that are all about the document, as a list, or all of them not, as code. */
  #settings(lines: readonly string[], at: number, isAbout: boolean): Taken {
    const group: string[][] = [];
    let end = at;
    for (; ; end += 1) {
      const [next, called = '', , said = ''] = KEYWORD.exec(lines[end] ?? '') ?? [];
      const other = called.toLowerCase();
      if (next === undefined || /^(?:title|caption)$/.test(other) || ABOUT.test(other) !== isAbout) break;
      const label = called.charAt(0).toUpperCase() + called.slice(1).toLowerCase();
      group.push(isAbout ? [`- ${label}: ${this.#inline.convert(said).line()}`.trimEnd()] : [next.trim()]);
    }
    return { blocks: [isAbout ? list(group) : code(group.flat(), 'org')], end };
  }

  /** Blocks that are told by how their lines begin. */
  #drawn({ lines }: Part, at: number): Taken | null {
    const line = lines[at] ?? '';
    if (RULE.test(line)) return { blocks: [{ kind: 'other', lines: ['---'] }], end: at + 1 };
    if (FIXED.test(line)) {
      const end = endOf(lines, at, FIXED);
      const inner = lines.slice(at, end).map((one) => one.replace(/^\s*: ?/, ''));
      return { blocks: [code(inner, '')], end };
    }
    if (GRID.test(line.trim())) {
      const end = endOf(lines, at, /^\s*[+|]/);
      const drawn = lines.slice(at, end).map((one) => one.trim());
      const cells = gridTable(drawn)?.map((row) =>
        row.map((cell) => this.#inline.convert(cell.join('\n')).line()),
      );
      return { blocks: cells === undefined ? [code(drawn, 'text')] : tableOf(cells), end };
    }
    if (!TABLE.test(line)) return null;
    const end = endOf(lines, at, TABLE);
    const rows = lines.slice(at, end).filter((row) => !/^\s*\|[-+]+\|?\s*$/.test(row));
    return { blocks: tableOf(rows.map((row) => this.#cells(row))), end };
  }

  #cells(row: string): string[] {
    const cells = row
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|');
    return cells.map((one) => this.#inline.convert(one.trim()).line());
  }

  /** A footnote. It ends before the next one, before a heading and before a blank line without indented text below it. */
  #note({ lines, depth }: Part, at: number): Taken | null {
    const [, label, first = ''] = NOTE.exec(lines[at] ?? '') ?? [];
    if (label === undefined) return null;
    let end = at + 1;
    for (; end < lines.length; end += 1) {
      const line = lines[end] ?? '';
      if (NOTE.test(line) || HEADING.test(line)) break;
      if (line.trim() === '' && indentOf(lines[end + 1] ?? '') === 0) break;
    }
    const inner = linesOf(
      led(`[^${label}]:`, [...this.#blocks([first, ...lines.slice(at + 1, end)], depth + 1)]),
    );
    const shown = inner.map((line, nth) => (nth === 0 || line === '' ? line : `    ${line}`));
    return { blocks: [{ kind: 'other', lines: shown }], end };
  }

  #list({ lines, depth }: Part, at: number): Taken | null {
    const indent = indentOf(lines[at] ?? '');
    const items: string[][] = [];
    let end = at;
    for (;;) {
      let next = end;
      while (next < lines.length && (lines[next] ?? '').trim() === '') next += 1;
      // Two blank lines end a list.
      if (next >= lines.length || next - end > 1 || indentOf(lines[next] ?? '') !== indent) break;
      const found = ITEM.exec(lines[next] ?? '');
      if (found === null || RULE.test(lines[next] ?? '')) break;
      end = endOfItem(lines, next, indent);
      items.push(this.#item(found, lines.slice(next + 1, end), depth));
    }
    return items.length === 0 ? null : { blocks: [list(items)], end };
  }

  #item([, , , number, text = '']: RegExpExecArray, more: readonly string[], depth: number): string[] {
    const [, counter, box, rest = ''] =
      /^(?:\[@(\d{1,9})\][ \t]*)?(?:\[([ xX-])\](?:[ \t]+|$))?(.*)$/.exec(text) ?? [];
    const [, term, meaning = ''] =
      (number === undefined && /^(.*?\S)[ \t]+::(?:[ \t]+(.*))?$/.exec(rest)) || [];
    const least = more.reduce(
      (width, line) => (line.trim() === '' ? width : Math.min(width, indentOf(line))),
      Infinity,
    );
    const inner = [term === undefined ? rest : meaning, ...more.map((line) => withoutIndent(line, least))];
    const label = [
      ...(box === undefined ? [] : [`[${box === '-' ? ' ' : box.toLowerCase()}]`]),
      ...(term === undefined
        ? []
        : [`**${literal(this.#inline.convert(term).shown(), { hasMath: true })}**`]),
    ].join(' ');
    const blocks = [...this.#blocks(inner, depth + 1)];
    return item(
      number === undefined ? '-' : `${counter ?? number}.`,
      label === '' ? blocks : led(label, blocks),
    );
  }

  #paragraph(part: Part, at: number): Taken {
    const { lines } = part;
    let end = at + 1;
    while (end < lines.length && !interrupts(lines[end] ?? '', part, end)) end += 1;
    const text = lines.slice(at, end).join('\n');
    return { blocks: [paragraph(this.#inline.convert(text).lines())], end };
  }
}

const BEGINNINGS = [BLOCK, KEYWORD, COMMENT, TABLE, FIXED, RULE, NOTE, ENVIRONMENT, ITEM];

/** Returns true for a line that does not continue the paragraph above it. */
function interrupts(line: string, { closing, depth }: Part, at: number): boolean {
  if (line.trim() === '' || BEGINNINGS.some((one) => one.test(line))) return true;
  if (depth === 0 && HEADING.test(line)) return true;
  return DRAWER.test(line) && closing(at, ':end:') !== null;
}

/** Returns a block of code. A comma escapes a line of it that would be a heading (Org manual, "Literal Examples"). */
function verbatim(lines: readonly string[], language: string): Block[] {
  if (lines.every((line) => line.trim() === '')) return [];
  return [
    code(
      lines.map((line) => line.replace(/^(\s*),(?=\*|#\+|,)/, '$1')),
      language,
    ),
  ];
}

/**
 * Returns a function that finds the line which closes what a line opens, or null. Nothing is closed behind a heading but, with
 * `overHeadings`, a block before any other one. Call it in the order of the lines: it forgets the lines before `from`.
 */
function closings(lines: readonly string[], hasHeadings: boolean): Part['closing'] {
  const places = new Map<string, number[]>();
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? '';
    const mark =
      hasHeadings && HEADING.test(line)
        ? '*'
        : BLOCK.test(line)
          ? '#+begin'
          : (
              /^\s*(#\+end_\S+|:end:)\s*$/i.exec(line)?.[1] ?? /\\end\{[A-Za-z]+\*?\}(?=\s*$)/.exec(line)?.[0]
            )?.toLowerCase();
    if (mark === undefined) continue;
    const known = places.get(mark);
    if (known === undefined) places.set(mark, [at]);
    else known.push(at);
  }
  const next = (from: number, mark: string) => {
    const later = places.get(mark) ?? [];
    while ((later.at(-1) ?? Infinity) <= from) later.pop();
    return later.at(-1) ?? Infinity;
  };
  return (from, mark, overHeadings = false) => {
    const end = next(from, mark);
    const isClosed = end < next(from, '*') || (overHeadings && end < next(from, '#+begin'));
    return isClosed && end < Infinity ? end : null;
  };
}

function endOf(lines: readonly string[], from: number, pattern: RegExp): number {
  let end = from + 1;
  while (pattern.test(lines[end] ?? '')) end += 1;
  return end;
}

/** Returns the index behind the lines of an item: those that are indented further, up to two blank lines. */
function endOfItem(lines: readonly string[], at: number, indent: number): number {
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line.trim() === '') {
      if ((lines[next + 1] ?? '').trim() === '') break;
    } else if (indentOf(line) <= indent) break;
    else end = next + 1;
  }
  return end;
}

/** Removes columns of indentation from a line. */
function withoutIndent(line: string, width: number): string {
  let column = 0;
  let at = 0;
  for (; at < line.length && column < width && /[ \t]/.test(line.charAt(at)); at += 1)
    column += line[at] === '\t' ? 8 - (column % 8) : 1;
  return ' '.repeat(Number.isFinite(width) ? Math.max(0, column - width) : 0) + line.slice(at);
}

/** Replaces the run of spaces before the tags of a heading by one space. */
function withTagsNear(heading: string): string {
  return heading.replace(/(?<!\s)\s+(:(?:[\p{L}\p{N}_@#%]+:)+)\s*$/u, ' $1');
}
