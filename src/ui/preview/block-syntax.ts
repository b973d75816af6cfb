import type { BlockContext, BlockParser, Line, MarkdownConfig } from '@lezer/markdown';

/**
 * Deepest nesting of quotes and lists that is shown as such (a list counts twice). What is nested deeper is shown line by
 * line, so that no input can make the parser slow or overflow the stack.
 */
const MAX_DEPTH = 32;

const NESTED = /^(?:>|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;

const depthCap: BlockParser = {
  name: 'DepthCap',
  before: 'Blockquote',
  parse(cx, line) {
    if (cx.depth < MAX_DEPTH || !NESTED.test(line.text.slice(line.pos, line.pos + 12))) return false;
    const from = cx.lineStart + line.pos;
    cx.addElement(cx.elt('Paragraph', from, cx.lineStart + line.text.length));
    cx.nextLine();
    return true;
  },
};

/**
 * A block between two lines that begin and end with the same mark, outside of quotes and lists; without an end, all the rest.
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

/**
 * Blocks of Obsidian, and limits. Link definitions are found elsewhere: the parser's own rule for them takes quadratic time
 * on input made for that.
 */
export const blockSyntax: MarkdownConfig = {
  defineNodes: [
    { name: 'HiddenBlock', block: true },
    { name: 'MathBlock', block: true },
  ],
  parseBlock: [depthCap, fenced('HiddenBlock', '%%'), fenced('MathBlock', '$$')],
  remove: ['LinkReference'],
};
