import { readBlock } from './block';
import { emptyMap, type Values } from './read';
import { lineOfBlock, splitNote, withoutBom } from './split';

/** A note of the vault, read. */
export interface ParsedNote {
  /** What the front matter says: no prototype, every scalar a string as it was written, an empty value null. */
  readonly frontmatter: Values;
  /** The text after the block, byte for byte; all of the text when there is no block. */
  readonly body: string;
  /** Why the front matter is not readable YAML, or null. Keys that can be read all the same are in `frontmatter`. */
  readonly problem: string | null;
}

/**
 * Reads a file that already stands in the vault, whatever it holds. Never throws: what cannot be read is no
 * front matter, and `problem` says why.
 */
export function parseNote(text: string): ParsedNote {
  const split = splitNote(text);
  if (split === null) return { frontmatter: emptyMap(), body: withoutBom(text), problem: null };
  const block = readBlock(split.block);
  if ('reason' in block) {
    const problem = `line ${lineOfBlock(text, split) + block.line - 1}: ${block.reason}`;
    return { frontmatter: emptyMap(), body: split.body, problem };
  }
  return { frontmatter: block.values, body: split.body, problem: block.unreadable };
}
