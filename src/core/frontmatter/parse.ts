import { openingOf } from './block';
import { type Fault, lineOfBlock, withoutBom } from './split';
import { emptyMap, type Values } from './yaml';

const COMMENTS =
  'What stands between the two rules at the top of the note has no property, so it is read as text.';

/** A note of the vault, read. */
export interface ParsedNote {
  /** What the front matter says: no prototype, every scalar a string as it was written, an empty value and a plain null null. */
  readonly frontmatter: Values;
  /** The text after the block, byte for byte; all of the text when there is no block, or none that can be read. */
  readonly body: string;
  /**
   * What is wrong with the front matter, where, and what to do, in sentences; null when it is readable YAML. Keys that can be
   * read all the same are in `frontmatter`.
   */
  readonly problem: string | null;
}

/**
 * Reads a file that already stands in the vault, whatever it holds. Never throws: a block that cannot be read is
 * text like all the rest, and `problem` says why.
 */
export function parseNote(text: string): ParsedNote {
  const opening = openingOf(text);
  if (opening.kind === 'none')
    return { frontmatter: emptyMap(), body: withoutBom(text), problem: opening.comments ? COMMENTS : null };
  const { split } = opening;
  const where = ({ line, reason }: Fault): string =>
    `The front matter has a mistake in line ${lineOfBlock(text, split) + line - 1} of the note: ${reason}.`;
  if (opening.kind === 'unreadable') {
    const problem = `${where(opening.fault)} Correct it; until then the block is read as text and none of its properties is known.`;
    return { frontmatter: emptyMap(), body: withoutBom(text), problem };
  }
  const { values, unreadable, repeated, tabbed } = opening.block;
  const problem =
    unreadable !== null
      ? `${where(unreadable)} Correct it; until then the value is taken as the text that stands there.`
      : repeated !== null
        ? `${where(repeated)} Correct it; until then the first value counts.`
        : tabbed && `${where(tabbed)} Correct it; until then other programs may read none of the properties.`;
  return { frontmatter: values, body: split.body, problem };
}
