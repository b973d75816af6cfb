/** One top-level key with its bytes: `before + text + after` is what stands in the block. */
export interface Entry {
  readonly key: string;
  /** Comments above the key (and blank lines among them); they move with it. */
  readonly before: string;
  /** The key line and all lines that continue its value. */
  readonly text: string;
  /** Blank lines below that are no part of the value. */
  readonly after: string;
  /** Where the value starts in `text`, right after the colon. */
  readonly valueAt: number;
  /** Number of the key line in the block, from 1. */
  readonly line: number;
}

/** A block as lines: `head`, all entries and `tail` joined are the block again, byte for byte. */
export interface BlockLines {
  /** Comments and blank lines above the first key; they stay first. */
  readonly head: string;
  readonly entries: readonly Entry[];
  /** Comments after the last value, and the document end mark `...` with what follows it. */
  readonly tail: string;
}

/** Why a block is not taken, and the line in the block that shows it, from 1. */
export interface Fault {
  readonly line: number;
  readonly reason: string;
}

const BLANK = /^[ \t]*$/;
/** Lines that belong to the value above: indented ones, list items at column 0, a bracket that closes. */
const CONTINUATION = /^(?:[ \t]|-(?:[ \t]|$)|[\]}])/;
const END_MARK = /^\.\.\.[ \t]*$/;
const MARKER = /^(?:---|\.\.\.)(?:[ \t]|$)/;
/** The header of a block scalar to which the blank lines below it belong. */
const KEEPS_BLANKS = /[|>]\d?\+\d?[ \t]*(?:#.*)?$/m;

/** True when blank lines below this entry would become a part of its value (`|+`). */
export function keepsBlanks(text: string): boolean {
  return KEEPS_BLANKS.test(text);
}

type Draft = { -readonly [Part in keyof Entry]: Entry[Part] };

/** Cuts a block into its top-level entries, or says which line is none that this editor is sure about. */
export function parseEntries(block: string): BlockLines | Fault {
  const entries: Draft[] = [];
  let head = '';
  let tail = '';
  // What stands between a value and what comes next: blank lines, then, from the first comment on, all the rest.
  let blanks = '';
  let loose = '';
  const settle = (): void => {
    const last = entries.at(-1);
    if (!last) [head, loose] = [blanks + loose, ''];
    else if (keepsBlanks(last.text)) last.text += blanks;
    else last.after = blanks;
    blanks = '';
  };

  let line = 0;
  for (let at = 0; at < block.length;) {
    const feed = block.indexOf('\n', at);
    const bytes = block.slice(at, feed === -1 ? block.length : feed + 1);
    const text = bytes.replace(/\r?\n$/, '');
    const last = entries.at(-1);
    at += bytes.length;
    line += 1;
    if (BLANK.test(text)) {
      if (tail !== '') tail += bytes;
      else if (loose === '') blanks += bytes;
      else loose += bytes;
    } else if (text.startsWith('#') || (!last && /^[ \t]+#/.test(text))) {
      if (tail !== '') tail += bytes;
      else loose += bytes;
    } else if (tail !== '') {
      return { line, reason: 'there is text after the end mark "..."' };
    } else if (END_MARK.test(text)) {
      settle();
      [tail, loose] = [loose + bytes, ''];
    } else if (CONTINUATION.test(text)) {
      if (!last) return { line, reason: 'an indented line or list item stands under no key' };
      // Some readers do not count a tab as indentation, and take such a line for a key of the note itself.
      if (/^\t.*:(?:[ \t]|$)/.test(text))
        return { line, reason: 'a key must be indented with spaces, not a tab' };
      last.text += blanks + loose + bytes;
      blanks = loose = '';
    } else {
      const key = keyOf(text);
      if ('reason' in key) return { line, reason: key.reason };
      settle();
      entries.push({ key: key.name, before: loose, text: bytes, after: '', valueAt: key.end, line });
      loose = '';
    }
  }
  if (tail === '') settle();
  return { head, entries, tail: tail + loose };
}

/** The name of the key that a line at column 0 starts with, and where its value starts. */
function keyOf(line: string): { name: string; end: number } | { reason: string } {
  const quoted = /^(?:"([^"\\]*)"|'((?:[^']|'')*)')[ \t]*:(?=[ \t]|$)/.exec(line);
  if (quoted) return { name: quoted[1] ?? (quoted[2] ?? '').replaceAll("''", "'"), end: quoted[0].length };
  if (/^\?(?:[ \t]|$)/.test(line)) return { reason: 'a key that starts with "?" is not supported' };
  if (/^[&*!]/.test(line)) return { reason: 'a key must not carry an anchor, an alias or a tag' };
  if (line.startsWith('"')) return { reason: 'a quoted key must end on its line and hold no escape' };
  if (/^[[{]/.test(line)) return { reason: 'write one "key: value" a line, not a map or list in brackets' };
  const colon = line.search(/:(?:[ \t]|$)/);
  let end = Math.max(colon, 0);
  while (line[end - 1] === ' ' || line[end - 1] === '\t') end -= 1;
  const name = line.slice(0, end);
  if (name === '' || /^[,\]}#|>'%@`]/.test(name) || /[ \t]#/.test(name) || MARKER.test(line)) {
    return { reason: 'it is not a "key: value" line' };
  }
  return { name, end: colon + 1 };
}

/** Largest block in characters; a person's front matter is a hundredth of it. */
export const MAX_BLOCK = 64 * 1024;
/** Deepest nesting of lists and maps. */
export const MAX_DEPTH = 64;
const MAX_BLANK_LINES = 200;
/**
 * The parser's library first removes comments with a regular expression that looks at a run of white space again
 * from each of its lines: lines times characters is its work, and this much of it takes a few milliseconds.
 */
const MAX_BLANK_WORK = 1_000_000;

/**
 * Finds what must not reach a YAML parser: a block that is too large or nested too deep, characters that hide
 * lines, and runs of blank lines that cost quadratic time. Runs in linear time; null when there is nothing.
 */
export function dangerIn(block: string): Fault | null {
  if (block.length > MAX_BLOCK) return { line: 1, reason: 'the block is larger than 64 KiB' };
  const hidden = /\0|\r(?!\n)/.exec(block);
  if (hidden) {
    const line = block.slice(0, hidden.index).split('\n').length;
    return {
      line,
      reason:
        hidden[0] === '\0' ? 'it holds a NUL character' : 'it holds a carriage return without a line feed',
    };
  }
  let number = 0;
  let depth = 0;
  let blankLines = 0;
  let blankLength = 0;
  for (const line of block.split('\n')) {
    number += 1;
    // To a regular expression these are line ends as well.
    for (const part of line.split(/[\u2028\u2029]/)) {
      const blank = part.trim() === '';
      blankLines = blank ? blankLines + 1 : 0;
      blankLength = blank ? blankLength + part.length + 1 : 0;
      if (blankLines > MAX_BLANK_LINES || blankLines * blankLength > MAX_BLANK_WORK) {
        return { line: number, reason: 'there are too many blank lines in a row' };
      }
    }
    if (/^[^\s\]}]/.test(line)) depth = 0;
    for (const [sign] of line.matchAll(/[[{\]}]/g)) {
      depth = sign === '[' || sign === '{' ? depth + 1 : Math.max(depth - 1, 0);
      if (depth > MAX_DEPTH) return { line: number, reason: 'lists or maps are nested too deep' };
    }
    if (/^[ \t]*(?:[-?:][ \t]+){64}/.test(line))
      return { line: number, reason: 'lists or maps are nested too deep' };
  }
  return null;
}

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
