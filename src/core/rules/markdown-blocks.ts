import type { SyntaxNodeRef, Tree } from '@lezer/common';
import { type LeafBlock, type LeafBlockParser, type MarkdownConfig, parser } from '@lezer/markdown';
import type { Steps } from '../steps';
import { DefinitionParser } from './markdown-definition';
import { ITEMS_PER_STEP } from './markdown-order';
import type { Range, Section } from './markdown-section';
import { splitTable } from './markdown-table';
import { UNITS_PER_STEP } from './markdown-tokens';

/**
 * Deepest nesting of quotes and lists that is read as such (a list counts twice). What is nested deeper is read as
 * prose, line by line: nothing in it is overlooked, and no input can make the parser slow or overflow the stack.
 */
const MAX_DEPTH = 64;

/**
 * So often a block may begin; what follows is read as one piece of prose, and the gate makes plain text of it. Somebody's longest notes have a fifth of it; the tree is
 * put together in one piece, which takes 30 ms for so many, and for all the one-letter blocks that fit into a note seconds.
 */
const MAX_BLOCKS = 30_000;
/** A paragraph may have at most this many lines, for the same reasons: the parser reads all of them in one piece. */
const MAX_LINES = 60_000;

/** Thrown out of the parser at the beginning of the first block that is not read. */
class TooMuch extends Error {
  constructor(readonly at: number) {
    super('The text has more blocks or lines than are read.');
  }
}

/** Counts the lines of one paragraph. */
class LineCap implements LeafBlockParser {
  #lines = 0;

  nextLine(_context: unknown, _line: unknown, { start }: LeafBlock): boolean {
    this.#lines += 1;
    if (this.#lines > MAX_LINES) throw new TooMuch(start);
    return false;
  }

  finish(): boolean {
    return false;
  }
}

/** Blocks that have begun in the parse under way: each sets it to its own count before it goes on. */
let begun = 0;

/** Blocks that are parsed, and nodes of their tree that are read, in one step. The deepest nested take 2 ms. */
const BLOCKS_PER_STEP = 25;
const NODES_PER_STEP = 500;

const NESTED = /^(?:>|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;

/**
 * Blocks only. Inline content is skipped here and scanned by `scanSteps`, and tables are found in paragraphs: the parser's
 * own rules for both, and for link definitions, take quadratic time or overflow the stack on input made for that.
 */
const BLOCKS: MarkdownConfig = {
  parseInline: [{ name: 'Skip', before: 'Escape', parse: (context) => context.end }],
  parseBlock: [
    {
      name: 'LinkReference',
      // A footnote of one word looks like a definition, and is shown.
      leaf: (_context, { content }) => (/^\[(?!\^)/.test(content) ? new DefinitionParser(content) : null),
    },
    {
      name: 'CountCap',
      before: 'IndentedCode',
      parse(context) {
        begun += 1;
        if (begun > MAX_BLOCKS) throw new TooMuch(context.lineStart);
        return false;
      },
    },
    { name: 'LineCap', leaf: () => new LineCap() },
    {
      name: 'DepthCap',
      before: 'Blockquote',
      parse(context, line) {
        if (context.depth < MAX_DEPTH || !NESTED.test(line.text.slice(line.pos, line.pos + 12))) return false;
        const from = context.lineStart + line.pos;
        context.addElement(context.elt('Paragraph', from, context.lineStart + line.text.length));
        context.nextLine();
        return true;
      },
    },
  ],
};

const blockParser = parser.configure(BLOCKS);

interface Open {
  kind: Section['kind'];
  from: number;
  to: number;
  level: number;
  inList: boolean;
  marks: Range[];
  info: Range | null;
  code: Range | null;
}

/** The sections of a text, and the text that their offsets refer to. */
export interface ReadSections {
  readonly source: string;
  readonly sections: Section[];
  /** Where reading ended: the end of the text, or before it when the text has too many blocks or lines. */
  readonly end: number;
}

/**
 * The sections of a body in order, together with the text that offsets refer to. A lone carriage return ends a line, as it
 * does in editors: without that, code could be made to end where this parser goes on. Some blocks a step: a text as long as a
 * note may be can take half a second.
 */
export function* sectionSteps(body: string): Steps<ReadSections> {
  const source = body.includes('\r') ? body.replace(/\r(?!\n)/g, '\n') : body;
  const { tree, end } = yield* parsedBlocks(source);
  if (source.length > UNITS_PER_STEP) yield;
  const opened: Open[] = [];
  let lists = 0;
  let open: Open | null = null;
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
  if (end < source.length) {
    const rest = { from: end, to: source.length, level: 0, inList: false, marks: [], info: null, code: null };
    opened.push({ kind: 'prose', ...rest });
  }
  return { source, sections: yield* closed(source, opened), end };
}

/** The sections of what was opened, those that hold a table taken apart. */
function* closed(source: string, opened: readonly Open[]): Steps<Section[]> {
  const sections: Section[] = [];
  for (const [place, open] of opened.entries()) {
    const { kind, from, to, level, inList, info } = open;
    const text = yield* blanked(source, open);
    const code = open.code ?? { from: to, to };
    const section = { kind, from, to, text, table: false, level, inList, info, code };
    if (kind === 'prose' && text.includes('|')) yield* splitTable(section, sections);
    else sections.push(section);
    if ((place + 1) % ITEMS_PER_STEP === 0) yield;
  }
  return sections;
}

/** Enters and leaves every node in order, as `Tree.iterate` does. */
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

/** The blocks of a text up to `end`, which lies before its end only when they are too many or too long. */
function* parsedBlocks(source: string): Steps<{ readonly tree: Tree; readonly end: number }> {
  for (let end = source.length; ;) {
    try {
      return { tree: yield* parsed(source.slice(0, end)), end };
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      end = error.at;
    }
  }
}

/** @throws TooMuch */
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

function* blanked(source: string, { from, to, marks }: Open): Steps<string> {
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
