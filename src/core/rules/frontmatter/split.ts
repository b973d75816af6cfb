/** A text with front matter, cut so that `open + block + close + body` is the text without its BOM and leading blank lines. */
export interface SplitNote {
  /** The opening fence line with its line end. */
  readonly open: string;
  /** Everything between the fence lines: whole lines, or nothing. */
  readonly block: string;
  /** The closing fence line with its line end, which is missing when the file ends right after it. */
  readonly close: string;
  /** Everything after the closing fence line. */
  readonly body: string;
}

const FENCE = /---[ \t]*(?:\r?\n|$)/y;

/** The text without a byte order mark at its start. */
export function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.replace(/^\uFEFF+/, '') : text;
}

/**
 * Cuts a text where front matter would stand, whatever the block holds (`openingOf` reads it): an optional BOM and blank lines, a line of exactly `---` and spaces, and
 * the first such line after it. Null when there is no such pair: a block that is never closed is body.
 */
export function splitNote(text: string): SplitNote | null {
  const plain = withoutBom(text);
  const start = firstLine(plain);
  const blockStart = fenceEnd(plain, start);
  if (blockStart === -1 || plain[blockStart - 1] !== '\n') return null;
  // The search starts at the line feed of the opening fence, so that an empty block is found too.
  let close = plain.indexOf('\n---', blockStart - 1) + 1;
  while (close > 0) {
    const end = fenceEnd(plain, close);
    if (end !== -1) {
      return {
        open: plain.slice(start, blockStart),
        block: plain.slice(blockStart, close),
        close: plain.slice(close, end),
        body: plain.slice(end),
      };
    }
    close = plain.indexOf('\n---', close) + 1;
  }
  return null;
}

/** Number of the block's first line in a text that ends with this split, from 1. */
export function lineOfBlock(text: string, { block, close, body }: SplitNote): number {
  return text.slice(0, text.length - block.length - close.length - body.length).split('\n').length;
}

/**
 * The first line that is not blank, when it starts like a fence but names a language (`---js`, `--- toml`):
 * some readers run such blocks as code. Null for a plain fence, a longer rule (`----`), and any other line.
 */
export function languageFence(text: string): { line: number; fence: string } | null {
  const plain = withoutBom(text);
  const start = firstLine(plain);
  if (!plain.startsWith('---', start) || plain[start + 3] === '-' || fenceEnd(plain, start) !== -1)
    return null;
  const [fence = ''] = plain.slice(start, start + 60).split(/[\r\n]/);
  return { line: plain.slice(0, start).split('\n').length, fence };
}

/** Where the first line starts that holds more than spaces and tabs. */
function firstLine(text: string): number {
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\n') start = at + 1;
    else if (char !== ' ' && char !== '\t' && !(char === '\r' && text[at + 1] === '\n')) break;
  }
  return start;
}

/** Where the fence line that starts at `at` ends, or -1 when no fence line starts there. */
function fenceEnd(text: string, at: number): number {
  FENCE.lastIndex = at;
  return FENCE.test(text) ? FENCE.lastIndex : -1;
}
