import type { Fault } from './entries';

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
