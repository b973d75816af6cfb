import type { Tree } from '@lezer/common';
import {
  type BlockContext,
  type BlockParser,
  GFM,
  type InlineContext,
  type InlineParser,
  type LeafBlock,
  type LeafBlockParser,
  type Line,
  type MarkdownConfig,
  parser,
} from '@lezer/markdown';
import { blockRules } from '../../core/markdown/blocks';

/**
 * The deepest nesting of quotes and lists (a list counts twice). Deeper lines become paragraphs, so that no input makes the
 * parser slow or overflows the stack.
 */
const MAX_DEPTH = 32;

/**
 * Returns the parser of a block between two lines with the same mark, outside of quotes and lists. A block without an end
 * reaches to the end of the text.
 */
function fenced(name: string, mark: string): BlockParser {
  return {
    name,
    before: 'LinkReference',
    parse(cx: BlockContext, line: Line) {
      const text = line.text.slice(line.pos);
      if (cx.depth > 1 || !text.startsWith(mark) || text.includes(mark, mark.length)) return false;
      const from = cx.lineStart + line.pos;
      while (cx.nextLine()) {
        if (!line.text.includes(mark)) continue;
        cx.nextLine();
        break;
      }
      cx.addElement(cx.elt(name, from, cx.prevLineEnd()));
      return true;
    },
  };
}

/** The blocks that Obsidian adds to Markdown: comments and math. */
const blockSyntax: MarkdownConfig = {
  defineNodes: [
    { name: 'HiddenBlock', block: true },
    { name: 'MathBlock', block: true },
  ],
  parseBlock: [
    fenced('HiddenBlock', '%%'),
    fenced('MathBlock', '$$'),
    {
      name: 'TaskState',
      after: 'SetextHeading',
      leaf: (context, { content }) =>
        /^\[[^\s[\]]\][ \t]/u.test(content) && context.parentType().name === 'ListItem' ? TASK_STATE : null,
    },
  ],
};

/** Parses a task with a state other than done and open, such as `- [/] words`, into the nodes of one. */
const TASK_STATE: LeafBlockParser = {
  nextLine: () => false,
  finish(context: BlockContext, leaf: LeafBlock) {
    const { start, content } = leaf;
    const marker = content.indexOf(']') + 1;
    context.addLeafElement(
      leaf,
      context.elt('Task', start, start + content.length, [
        context.elt('TaskMarker', start, start + marker),
        ...context.parser.parseInline(content.slice(marker), start + marker),
      ]),
    );
    return true;
  },
};

/**
 * The longest block whose inline content is parsed (UTF-16 units). The parser takes quadratic time on a hostile block, so a
 * longer one is plain text. A long paragraph of prose has half of this.
 */
const MAX_INLINE = 4000;

/** The longest inline construct of Obsidian (UTF-16 units), so that an opening mark without an end costs little. */
const MAX_SPAN = 1000;

const [HASH, PERCENT, DOLLAR, EQUALS, BRACKET, BANG, CARET] = [...'#%$=[!^'].map((mark) =>
  mark.charCodeAt(0),
);

/** Returns an inline parser of a pattern that begins with a given character. */
function matching(name: string, first: number | undefined, pattern: RegExp, node = name): InlineParser {
  return {
    name,
    before: 'Escape',
    parse(cx, next, pos) {
      if (next !== first) return -1;
      const found = pattern.exec(cx.slice(pos, Math.min(cx.end, pos + MAX_SPAN)));
      return found === null ? -1 : cx.addElement(cx.elt(node, pos, pos + found[0].length));
    },
  };
}

/** Skips a block that is too long for inline parsing: all of it becomes plain text. */
const cap: InlineParser = {
  name: 'Cap',
  before: 'Escape',
  parse: (cx, _next, pos) => (pos === cx.offset && cx.end - cx.offset > MAX_INLINE ? cx.end : -1),
};

const tag: InlineParser = {
  name: 'HashTag',
  before: 'Escape',
  parse(cx, next, pos) {
    if (next !== HASH || !/^[\s(]?$/.test(cx.slice(Math.max(cx.offset, pos - 1), pos))) return -1;
    const found = /^#[\p{L}\p{M}\p{N}_/-]+/u.exec(cx.slice(pos, Math.min(cx.end, pos + 200)));
    if (found === null || !/\D/.test(found[0].slice(1))) return -1;
    return cx.addElement(cx.elt('HashTag', pos, pos + found[0].length));
  },
};

const HIGHLIGHT = { resolve: 'Highlight', mark: 'HighlightMark' };

const highlight: InlineParser = {
  name: 'Highlight',
  after: 'Emphasis',
  parse(cx: InlineContext, next, pos) {
    if (next !== EQUALS || cx.char(pos + 1) !== EQUALS || cx.char(pos + 2) === EQUALS) return -1;
    const before = cx.slice(Math.max(cx.offset, pos - 1), pos);
    const after = cx.slice(pos + 2, Math.min(cx.end, pos + 3));
    return cx.addDelimiter(HIGHLIGHT, pos, pos + 2, !/^\s?$/.test(after), !/^\s?$/.test(before));
  },
};

/** Parses `^[words]`. The words may have links, but no brackets deeper than those of a wikilink. */
const inlineFootnote: InlineParser = {
  name: 'InlineFootnote',
  before: 'Escape',
  parse(cx, next, pos) {
    if (next !== CARET || cx.char(pos + 1) !== BRACKET) return -1;
    const found = /^\^\[(?:[^[\]\\\n]|\\[^\n]|\[(?:\[[^[\]\n]*\]|[^[\]\n]*)\])+\]/.exec(
      cx.slice(pos, Math.min(cx.end, pos + MAX_SPAN)),
    );
    if (found === null) return -1;
    const [from, to] = [pos + 2, pos + found[0].length - 1];
    return cx.addElement(
      cx.elt('InlineFootnote', pos, to + 1, cx.parser.parseInline(cx.slice(from, to), from)),
    );
  },
};

/** The inline syntax of Obsidian: wikilinks, embeds, highlights, comments, tags, math, footnotes. */
const inlineSyntax: MarkdownConfig = {
  defineNodes: [
    'Wikilink',
    'Embed',
    'Highlight',
    'HighlightMark',
    'HiddenText',
    'HashTag',
    'Math',
    'FootnoteRef',
    'InlineFootnote',
  ],
  parseInline: [
    cap,
    matching('Embed', BANG, /^!\[\[[^[\]\n]+\]\]/),
    matching('Wikilink', BRACKET, /^\[\[[^[\]\n]+\]\]/),
    matching('FootnoteRef', BRACKET, /^\[\^[^[\]\s]+\]/),
    inlineFootnote,
    matching('HiddenText', PERCENT, /^%%[^]*?%%/),
    matching('DisplayMath', DOLLAR, /^\$\$[^]+?\$\$/, 'Math'),
    matching('Math', DOLLAR, /^\$(?:[^\s$\\]|\\[^\n])(?:(?:[^$\n\\]|\\[^\n])*(?:[^\s$\\]|\\[^\n]))?\$(?!\d)/),
    tag,
    highlight,
  ],
};

const noteParser = parser.configure([GFM, inlineSyntax, blockSyntax, blockRules(MAX_DEPTH)]);

/** Parses a body as Obsidian does, in time linear in its length. */
export function parseBody(body: string): Tree {
  return noteParser.parse(body);
}
