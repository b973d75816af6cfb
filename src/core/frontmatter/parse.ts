import { openingOf } from './block';
import { type Fault, lineOfBlock, withoutBom } from './split';
import { emptyMap, type Values } from './yaml';

/** A parsed note of the vault. */
export interface ParsedNote {
  /** The front matter as `readYaml` has it: scalars are source text, empty values and a plain null are null, no prototype. */
  readonly frontmatter: Values;
  /** The text after the block, byte for byte; the whole text when there is no readable block. */
  readonly body: string;
  /**
   * The fault of the front matter, its place, and the fix, in sentences; null when it is readable YAML. The keys that can still be
   * read are in `frontmatter`.
   */
  readonly problem: string | null;
  /** The comments of a block without properties, which may be text between two rules; absent for any other note. */
  readonly comments?: string;
}

/** Parses any file of the vault. Never throws: an unreadable block is a part of the body, and `problem` has the reason. */
export function parseNote(text: string): ParsedNote {
  const opening = openingOf(text);
  if (opening.kind === 'none') return { frontmatter: emptyMap(), body: withoutBom(text), problem: null };
  const { split } = opening;
  const where = ({ line, reason }: Fault): string =>
    `The front matter has a mistake in line ${lineOfBlock(text, split) + line - 1} of the note: ${reason}.`;
  if (opening.kind === 'unreadable') {
    const problem = `${where(opening.fault)} Correct it; until then the block is read as text and none of its properties is known.`;
    return { frontmatter: emptyMap(), body: withoutBom(text), problem };
  }
  const { values, entries, unreadable, repeated, tabbed } = opening.block;
  const problem =
    unreadable !== null
      ? `${where(unreadable)} Correct it; until then the value is taken as the text that stands there.`
      : repeated !== null
        ? `${where(repeated)} Correct it; until then the first value counts.`
        : tabbed && `${where(tabbed)} Correct it; until then other programs may read none of the properties.`;
  const hasComments = entries.length === 0 && split.block.includes('#');
  return { frontmatter: values, body: split.body, problem, ...(hasComments && { comments: split.block }) };
}
