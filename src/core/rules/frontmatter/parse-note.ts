import { readBlock } from './block';
import type { Fault } from './entries';
import { emptyMap, type Values } from './read';
import { lineOfBlock, splitNote, withoutBom } from './split';

/** A note of the vault, read. */
export interface ParsedNote {
  /** What the front matter says: no prototype, every scalar a string as it was written, an empty value null. */
  readonly frontmatter: Values;
  /** The text after the block, byte for byte; all of the text when there is no block. */
  readonly body: string;
  /**
   * What is wrong with the front matter, where, and what to do, in sentences; null when it is readable YAML. Keys that can be
   * read all the same are in `frontmatter`.
   */
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
  const where = ({ line, reason }: Fault): string =>
    `The front matter has a mistake in line ${lineOfBlock(text, split) + line - 1} of the note: ${reason}.`;
  if ('reason' in block) {
    const problem = `${where(block)} Correct it; until then none of its properties is known.`;
    return { frontmatter: emptyMap(), body: split.body, problem };
  }
  const { values, unreadable } = block;
  const problem =
    unreadable &&
    `${where(unreadable)} Correct it; until then the value is taken as the text that stands there.`;
  return { frontmatter: values, body: split.body, problem };
}
