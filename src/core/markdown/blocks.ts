import type { SyntaxNodeRef, Tree } from '@lezer/common';
import {
  type BlockContext,
  type LeafBlock,
  type LeafBlockParser,
  type Line,
  type MarkdownConfig,
  parser,
} from '@lezer/markdown';
import { ITEMS_PER_STEP, type Steps, Tally, type TextTask } from '../base/steps';
import { mostParts, type Range, type Section, UNITS_PER_STEP } from './spans';

/** The longest label in CommonMark (characters). */
const MAX_LABEL = 999;
const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", '(': ')' };

/**
 * A leaf parser that finds the end of a link definition, where a new block begins. It agrees with the package's own parser but
 * reads every line once; the package's own reads the whole paragraph again at each line.
 */
class DefinitionParser implements LeafBlockParser {
  /** The part that is expected next. `titled`: a title may follow. `ended`: after the title. `none`: it is no definition. */
  #stage: 'label' | 'address' | 'titled' | 'title' | 'ended' | 'none' = 'label';
  #label = '';
  #close = '';

  constructor(firstLine: string) {
    // The line's first character is the label's opening bracket.
    this.#read(firstLine.slice(1));
  }

  nextLine(context: BlockContext, line: Line, leaf: LeafBlock): boolean {
    const text = line.text.slice(line.pos);
    if (this.#stage === 'ended' || (this.#stage === 'titled' && !/^["'(]/.test(text)))
      return this.finish(context, leaf);
    if (this.#stage !== 'none') this.#read(text);
    return false;
  }

  finish(context: BlockContext, leaf: LeafBlock): boolean {
    if (this.#stage !== 'ended' && this.#stage !== 'titled') return false;
    context.addLeafElement(leaf, context.elt('LinkReference', leaf.start, leaf.start + leaf.content.length));
    return true;
  }

  #read(line: string): void {
    let rest: string | null = line;
    if (this.#stage === 'label') rest = this.#readLabel(rest);
    if (rest !== null && this.#stage === 'address') rest = this.#readAddress(rest);
    if (rest !== null && this.#stage === 'titled') rest = this.#openTitle(rest);
    if (rest !== null && this.#stage === 'title') this.#closeTitle(rest);
  }

  /** Each of the following methods returns the rest of the line for the next one, or null at the line's end. */
  #readLabel(line: string): string | null {
    const part = /^(?:[^[\]\\]|\\[^]?)*/.exec(line.slice(0, MAX_LABEL + 2))?.[0] ?? '';
    this.#label += `${part} `;
    const rest = line.slice(part.length);
    if (rest === '' && this.#label.length <= MAX_LABEL) return null;
    const closed = rest.startsWith(']:') && this.#label.length <= MAX_LABEL + 1 && this.#label.trim() !== '';
    this.#stage = closed ? 'address' : 'none';
    return rest.slice(2);
  }

  #readAddress(line: string): string | null {
    const text = line.trimStart();
    if (text === '') return null;
    const found = /^<[^<>\\]*(?:\\[^][^<>\\]*)*>|^[^\s<]\S*/.exec(text)?.[0];
    this.#stage = found === undefined || !isBalanced(found) ? 'none' : 'titled';
    return text.slice(found?.length);
  }

  #openTitle(line: string): string | null {
    const text = line.trimStart();
    if (text.trim() === '') return null;
    this.#close = CLOSING[text.charAt(0)] ?? '';
    this.#stage = this.#close === '' ? 'none' : 'title';
    return text.slice(1);
  }

  #closeTitle(line: string): void {
    for (let at = 0; at < line.length; at += 1) {
      if (line[at] === '\\') at += 1;
      else if (line[at] === this.#close) {
        this.#stage = line.slice(at + 1).trim() === '' ? 'ended' : 'none';
        return;
      }
    }
  }
}

/** Returns true for an address in `<>`, and for one with balanced parentheses, as CommonMark requires. */
function isBalanced(address: string): boolean {
  if (address.startsWith('<')) return true;
  let depth = 0;
  for (const [sign] of address.matchAll(/\\[^]|[()]/g)) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/**
 * Adds a paragraph to `parts`. When it holds a table, it becomes the prose before the table, the rows without the delimiter
 * row, and an overlay.
 */
function* splitTable(section: Section, parts: Section[]): Steps<void> {
  const { text } = section;
  const { header, delimiter, maybe } = yield* delimiterRow(text);
  if (delimiter < 0) {
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
    if (from !== delimiter)
      parts.push({ ...section, kind: 'row', table: true, from: begin, to: end, text: text.slice(from, to) });
    from = to + 1;
    if (tally.isFull()) yield;
  }
  parts.push({ ...section, kind: 'overlay', table: true });
}

/**
 * Returns the offsets of a table's delimiter row and of the header row above it, both -1 without a table. `maybe`: some line
 * may be a delimiter row for another reader.
 */
function* delimiterRow(
  text: string,
): Steps<{ readonly header: number; readonly delimiter: number; readonly maybe: boolean }> {
  let maybe = false;
  let above = -1;
  const tally = new Tally(ITEMS_PER_STEP);
  for (let from = 0; from <= text.length;) {
    const to = lineEnd(text, from);
    const line = text.slice(from, to);
    if (isDelimiterRow(line)) {
      maybe = true;
      if (above >= 0 && columns(line) === columns(text.slice(above, from - 1)))
        return { header: above, delimiter: from, maybe };
    }
    above = from;
    from = to + 1;
    if (tally.isFull()) yield;
  }
  return { header: -1, delimiter: -1, maybe };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function isDelimiterRow(line: string): boolean {
  return /^[ \t|:-]+\r?$/.test(line) && line.includes('|') && line.includes('-');
}

/**
 * Counts the cells of a row. A bar counts unless it is escaped or part of a wikilink: an unescaped bar in a wikilink would
 * split the cell, but is not meant to, and the gate escapes it.
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

/**
 * The deepest nesting of quotes and lists that is parsed (a list counts twice). Deeper lines are prose, so the gate still sees
 * all of them, and no input makes the parser slow or overflows the stack.
 */
const MAX_DEPTH = 64;

/**
 * The blocks that are parsed at most. The rest of the text is one piece of prose, and the gate turns it into plain text. The
 * longest notes of people have a fifth of it. The package builds the tree in one piece: 30 ms for this many blocks, and seconds
 * for all the one-letter blocks that fit into a note.
 */
const MAX_BLOCKS = 30_000;
/** The lines that a paragraph may have at most: the package parses all of them in one piece. */
const MAX_LINES = 60_000;

/** The exception that ends the parse at a limit; `at` is the offset of the first block that is not parsed. */
class LimitReached extends Error {
  constructor(readonly at: number) {
    super('The text has more blocks or lines than are read.');
  }
}

/** A leaf parser that counts the lines of one paragraph. */
class LineCap implements LeafBlockParser {
  #lines = 0;

  nextLine(_context: unknown, _line: unknown, { start }: LeafBlock): boolean {
    this.#lines += 1;
    if (this.#lines > MAX_LINES) throw new LimitReached(start);
    return false;
  }

  finish(): boolean {
    return false;
  }
}

/** The blocks that the current parse has begun. Several parses take turns: each sets its own count before it continues. */
let begun = 0;

/** The blocks that one step parses, and the tree nodes that one step visits. The deepest nested ones take 2 ms. */
const BLOCKS_PER_STEP = 25;
const NODES_PER_STEP = 500;

const NESTED = /^(?:>|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;

/**
 * The block rules that every reader of a note shares: link definitions are read once, line by line, and quotes and lists deeper than
 * `maxDepth` (a list counts twice) are paragraphs. The parser's own rule for definitions takes quadratic time on input made
 * for that, and its nesting overflows the stack.
 */
export function blockRules(maxDepth: number): MarkdownConfig {
  return {
    parseBlock: [
      {
        name: 'LinkReference',
        // A footnote of one word looks like a definition, but it is shown text.
        leaf: (_context, { content }) => (/^\[(?!\^)/.test(content) ? new DefinitionParser(content) : null),
      },
      {
        name: 'DepthCap',
        before: 'Blockquote',
        parse(context, line) {
          if (context.depth < maxDepth || !NESTED.test(line.text.slice(line.pos, line.pos + 12)))
            return false;
          const from = context.lineStart + line.pos;
          context.addElement(context.elt('Paragraph', from, context.lineStart + line.text.length));
          context.nextLine();
          return true;
        },
      },
    ],
  };
}

/**
 * The configuration for blocks only. `scanSteps` scans inline content and `splitTable` finds tables, because the package's own
 * rules for both take quadratic time on input made for that.
 */
const BLOCKS: MarkdownConfig = {
  parseInline: [{ name: 'Skip', before: 'Escape', parse: (context) => context.end }],
  parseBlock: [
    {
      name: 'CountCap',
      before: 'IndentedCode',
      parse(context) {
        begun += 1;
        if (begun > MAX_BLOCKS) throw new LimitReached(context.lineStart);
        return false;
      },
    },
    { name: 'LineCap', leaf: () => new LineCap() },
  ],
};

const blockParser = parser.configure([BLOCKS, blockRules(MAX_DEPTH)]);

/** A block whose end the walk through the tree has not reached yet. */
interface OpenBlock {
  kind: Section['kind'];
  from: number;
  to: number;
  level: number;
  inList: boolean;
  marks: Range[];
  info: Range | null;
  code: Range | null;
}

/** The sections of a text, and the text into which their offsets point. */
interface ReadSections {
  readonly source: string;
  readonly sections: Section[];
  /** The offset where parsing ended: the text's end, or less when it has too many blocks or lines. */
  readonly end: number;
}

/**
 * Splits a body into its sections, in order. A lone carriage return ends a line, as it does in editors: otherwise code could
 * end for an editor where it continues for this parser. It takes steps, because the longest notes take half a second.
 */
export function* sectionSteps(body: string): Steps<ReadSections> {
  const source = body.includes('\r') ? body.replace(/\r(?!\n)/g, '\n') : body;
  const { tree, end } = yield* parsedBlocks(source);
  if (source.length > UNITS_PER_STEP) yield;
  const opened: OpenBlock[] = [];
  let lists = 0;
  let open: OpenBlock | null = null;
  const enter = ({ name, from, to }: SyntaxNodeRef): void => {
    const kind = kindOf(name);
    if (kind !== null) {
      open = { kind, from, to, level: levelOf(name), inList: lists > 0, marks: [], info: null, code: null };
    } else if (name === 'ListItem') {
      lists += 1;
    } else if (open !== null) {
      if (name === 'QuoteMark' || name === 'HeaderMark') open.marks.push({ from, to });
      else if (name === 'CodeInfo') open.info = { from, to };
      else if (name === 'CodeText') open.code = { from: open.code?.from ?? from, to };
    }
  };
  const leave = ({ name }: SyntaxNodeRef): void => {
    if (name === 'ListItem') lists -= 1;
    if (open === null || kindOf(name) === null) return;
    opened.push(open);
    open = null;
  };
  yield* walkTree(tree, enter, leave);
  const { sections, end: read } = yield* sectionsOf(source, opened, end);
  if (read < source.length) {
    const text = source.slice(read);
    const [from, to] = [read, source.length];
    const rest = { from, to, text, table: text.includes('|'), level: 0, inList: false, info: null };
    sections.push({ kind: 'prose', ...rest, code: { from: to, to } });
  }
  return { source, sections, end: read };
}

/** The sections of a body without their texts, as a task for a thread. */
export const SECTIONS: TextTask<string, Pick<Section, 'kind' | 'from' | 'to' | 'level' | 'inList'>[]> = {
  name: 'sections',
  *steps(body) {
    const { sections } = yield* sectionSteps(body);
    return sections.map(({ kind, from, to, level, inList }) => ({ kind, from, to, level, inList }));
  },
  textOf: (body) => body,
};

/**
 * Makes the sections of the blocks, and splits those that hold a table. `end` is the offset of the first block that is left out
 * because there are too many sections, else the given one.
 */
function* sectionsOf(
  source: string,
  opened: readonly OpenBlock[],
  end: number,
): Steps<{ readonly sections: Section[]; readonly end: number }> {
  const sections: Section[] = [];
  const most = mostParts(source.length);
  for (const [place, open] of opened.entries()) {
    const { kind, from, to, level, inList, info } = open;
    const text = yield* blanked(source, open);
    const code = open.code ?? { from: to, to };
    const section = { kind, from, to, text, table: false, level, inList, info, code };
    const before = sections.length;
    if (kind === 'prose' && text.includes('|')) yield* splitTable(section, sections);
    else sections.push(section);
    if (sections.length > most) {
      sections.length = before;
      return { sections, end: from };
    }
    if ((place + 1) % ITEMS_PER_STEP === 0) yield;
  }
  return { sections, end };
}

/** Calls `enter` and `leave` for every node in order, as `Tree.iterate` does. */
function* walkTree(
  tree: Tree,
  enter: (node: SyntaxNodeRef) => void,
  leave: (node: SyntaxNodeRef) => void,
): Steps<void> {
  const cursor = tree.cursor();
  for (let count = 1; ; count += 1) {
    if (count % NODES_PER_STEP === 0) yield;
    enter(cursor);
    if (cursor.firstChild()) continue;
    for (;;) {
      leave(cursor);
      if (cursor.nextSibling()) break;
      if (!cursor.parent()) return;
    }
  }
}

/** Parses the blocks of a text up to `end`, which is less than the text's length only when a limit was reached. */
function* parsedBlocks(source: string): Steps<{ readonly tree: Tree; readonly end: number }> {
  for (let end = source.length; ;) {
    try {
      return { tree: yield* parsed(source.slice(0, end)), end };
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      end = error.at;
    }
  }
}

/** @throws LimitReached */
function* parsed(source: string): Steps<Tree> {
  const parse = blockParser.startParse(source);
  for (let own = 0; ;) {
    begun = own;
    for (let count = 0; count < BLOCKS_PER_STEP; count += 1) {
      const tree = parse.advance();
      if (tree !== null) return tree;
    }
    own = begun;
    yield;
  }
}

function kindOf(name: string): Section['kind'] | null {
  switch (name) {
    case 'Paragraph':
      return 'prose';
    case 'LinkReference':
      return 'definition';
    case 'FencedCode':
      return 'fence';
    case 'CodeBlock':
      return 'indented';
    case 'HTMLBlock':
    case 'CommentBlock':
    case 'ProcessingInstructionBlock':
      return 'html';
    default:
      return levelOf(name) > 0 ? 'heading' : null;
  }
}

function levelOf(name: string): number {
  return name.startsWith('ATXHeading') || name.startsWith('SetextHeading') ? Number(name.at(-1)) : 0;
}

/** Returns the source of a block with its marks blanked out by as many spaces. */
function* blanked(source: string, { from, to, marks }: OpenBlock): Steps<string> {
  if (marks.length === 0) return source.slice(from, to);
  let text = '';
  let end = from;
  for (const [place, mark] of marks.entries()) {
    text += source.slice(end, mark.from) + ' '.repeat(mark.to - mark.from);
    end = mark.to;
    if ((place + 1) % ITEMS_PER_STEP === 0) yield;
  }
  return text + source.slice(end, to);
}
