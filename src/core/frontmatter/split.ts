/** One top-level key with its bytes: `before + text + after` is its part of the block. */
export interface Entry {
  readonly key: string;
  /** Comments above the key and the blank lines among them; they move with the key. */
  readonly before: string;
  /** The key line and all lines that continue its value. */
  readonly text: string;
  /** Blank lines below the value. */
  readonly after: string;
  /** Offset of the value in `text`, right after the colon. */
  readonly valueAt: number;
  /** Line of the key in the block, counted from 1. */
  readonly line: number;
}

/** A block as lines: `head`, all entries and `tail` joined are the block, byte for byte. */
export interface BlockLines {
  /** Comments, blank lines and an empty map above the first key. */
  readonly head: string;
  readonly entries: readonly Entry[];
  /** Comments after the last value, and the document end mark `...` with everything behind it. */
  readonly tail: string;
}

/** The reason why a block is refused, and the line in the block, counted from 1. */
export interface Fault {
  readonly line: number;
  readonly reason: string;
}

const BLANK = /^[ \t]*$/;
/** Lines that continue the value above: indented ones, list items at column 0, a closing bracket. */
const CONTINUATION = /^(?:[ \t]|-(?:[ \t]|$)|[\]}])/;
/** A line with text that is indented with a tab. */
export const TABBED = /^ *\t\s*\S/;
/** What is wrong with a line that is indented with a tab. */
export const TAB_INDENTS = 'a tab indents it, where YAML allows blanks only';
/** The line of a block without properties, as some programs write it. */
export const EMPTY_MAP = /^\{[ \t]*\}[ \t]*(?:\r?\n|$)/m;
const END_MARK = /^\.\.\.[ \t]*$/;
const MARKER = /^(?:---|\.\.\.)(?:[ \t]|$)/;
/** The header of a block scalar that keeps the blank lines at its end (`|+`). */
const KEEPS_BLANKS = /[|>]\d?\+\d?[ \t]*(?:#.*)?$/m;

/** Returns true when blank lines below an entry would become a part of its value (`|+`). */
export function keepsBlanks(text: string): boolean {
  return KEEPS_BLANKS.test(text);
}

type Draft = { -readonly [Part in keyof Entry]: Entry[Part] };

/** Splits a block into its top-level entries, or returns the first line that cannot be edited safely. */
export function parseEntries(block: string): BlockLines | Fault {
  const entries: Draft[] = [];
  let head = '';
  let tail = '';
  // The lines behind a value: blank ones, and then, from the first comment on, all lines before the next key.
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
    } else if (text.startsWith('#') || (!last && (/^[ \t]+#/.test(text) || EMPTY_MAP.test(text)))) {
      if (tail !== '') tail += bytes;
      else loose += bytes;
    } else if (tail !== '') {
      return { line, reason: 'there is text after the end mark "..."' };
    } else if (END_MARK.test(text)) {
      settle();
      [tail, loose] = [loose + bytes, ''];
    } else if (CONTINUATION.test(text)) {
      if (!last) {
        const isTab = TABBED.test(text);
        return { line, reason: isTab ? TAB_INDENTS : 'an indented line or list item stands under no key' };
      }
      // Some readers do not count a tab as indentation and read such a line as a top-level key.
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

/** Returns the key at the beginning of a line and the offset of its value, or the reason why the line has none. */
function keyOf(line: string): { name: string; end: number } | { reason: string } {
  const quoted = /^(?:"([^"\\]*)"|'((?:[^']|'')*)')[ \t]*:(?=[ \t]|$)/.exec(line);
  if (quoted) return { name: quoted[1] ?? (quoted[2] ?? '').replaceAll("''", "'"), end: quoted[0].length };
  if (/^\?(?:[ \t]|$)/.test(line)) return { reason: 'a key that starts with "?" is not supported' };
  if (/^[&*!]/.test(line)) return { reason: 'a key must not carry an anchor, an alias or a tag' };
  if (line.startsWith('"')) return { reason: 'a quoted key must end on its line and hold no escape' };
  if (/^[[{]/.test(line)) return { reason: 'write one "key: value" a line, or one object of JSON' };
  const colon = line.search(/:(?:[ \t]|$)/);
  let end = Math.max(colon, 0);
  while (line[end - 1] === ' ' || line[end - 1] === '\t') end -= 1;
  const name = line.slice(0, end);
  if (name === '' || /^[,\]}#|>'%@`]/.test(name) || /[ \t]#/.test(name) || MARKER.test(line)) {
    return { reason: 'it is not a "key: value" line' };
  }
  return { name, end: colon + 1 };
}

/** The largest block (characters); a person's front matter has a hundredth of it. */
export const MAX_BLOCK = 64 * 1024;
/** The deepest nesting of lists and maps. */
export const MAX_DEPTH = 64;
const MAX_BLANK_LINES = 200;
/**
 * The largest run of blank lines (lines times characters). The YAML library removes comments with a regular expression that
 * scans such a run again from each of its lines; this much takes a few milliseconds.
 */
const MAX_BLANK_WORK = 1_000_000;

/**
 * Returns the fault of a block that must not reach a YAML parser: it is too large or nested too deep, or it has characters that
 * hide lines or runs of blank lines that take quadratic time. Null for a safe block. Linear time.
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
    // A regular expression counts U+2028 and U+2029 as line ends too.
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

/** A text split at its fences: `open + block + close + body` is the text without its BOM and leading blank lines. */
export interface SplitNote {
  /** The opening fence line with its line end. */
  readonly open: string;
  /** The whole lines between the fences, or ''. */
  readonly block: string;
  /** The closing fence line with its line end, if it has one. */
  readonly close: string;
  /** Everything after the closing fence line. */
  readonly body: string;
}

const FENCE = /---[ \t]*(?:\r?\n|$)/y;

/** Removes byte order marks at the start of a text. */
export function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.replace(/^\uFEFF+/, '') : text;
}

/**
 * Splits a text at the fences of its front matter: after an optional BOM and blank lines, a line of only `---` and spaces, and the
 * next such line. Null without such a pair: a block that is never closed is body. The block's content does not matter here;
 * `openingOf` reads it.
 */
export function splitNote(text: string): SplitNote | null {
  const plain = withoutBom(text);
  const start = firstLine(plain);
  const blockStart = fenceEnd(plain, start);
  if (blockStart === -1 || plain[blockStart - 1] !== '\n') return null;
  // The search starts at the opening fence's line feed, so that it finds an empty block too.
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

/** Returns the line of the block's first line in the text of this split, counted from 1. */
export function lineOfBlock(text: string, { block, close, body }: SplitNote): number {
  return text.slice(0, text.length - block.length - close.length - body.length).split('\n').length;
}

/**
 * Returns the first non-blank line when it is a fence with a language (`---js`, `--- toml`), because some readers run such blocks
 * as code. Null for a plain fence, a longer rule (`----`), and any other line.
 */
export function languageFence(text: string): { line: number; fence: string } | null {
  const plain = withoutBom(text);
  const start = firstLine(plain);
  if (!plain.startsWith('---', start) || plain[start + 3] === '-' || fenceEnd(plain, start) !== -1)
    return null;
  const [fence = ''] = plain.slice(start, start + 60).split(/[\r\n]/);
  return { line: plain.slice(0, start).split('\n').length, fence };
}

/** Returns the offset of the first line with more than spaces and tabs. */
function firstLine(text: string): number {
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\n') start = at + 1;
    else if (char !== ' ' && char !== '\t' && !(char === '\r' && text[at + 1] === '\n')) break;
  }
  return start;
}

/** Returns the offset after the fence line at `at`; -1 when there is none. */
function fenceEnd(text: string, at: number): number {
  FENCE.lastIndex = at;
  return FENCE.test(text) ? FENCE.lastIndex : -1;
}
