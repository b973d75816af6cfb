import { BrainError } from '../../errors';
import { bytesOf, EMPTY_BLOCK, openingOf, readBlock, type Block, type Opening } from './block';
import type { Fault } from './entries';
import type { Values } from './read';
import { fencesOf, hasServiceKey, type Fences } from './rewrite';
import { oneLine } from './scalars';
import { languageFence, lineOfBlock, withoutBom } from './split';

/** Content from a caller, taken apart and found safe to merge. */
export interface OpenedContent {
  readonly frontmatter: Values;
  /** The text after the front matter, byte for byte, without a BOM. */
  readonly body: string;
  readonly block: Block;
  readonly fences: Fences;
  readonly warnings: readonly string[];
}

/** Blocks that stand one after the other; more than a round trip or two through a careless client can leave. */
const MAX_STACKED = 8;

/**
 * Takes apart what a caller sent. A second block right below the first is folded into it when it holds a key of the
 * service; any other one is text between two rules and stays in the body.
 * @throws BrainError `invalid_frontmatter` with `details.line` when the block cannot be merged safely.
 */
export function openContent(content: string): OpenedContent {
  refuseLanguageFence(content);
  const opening = openingOf(content);
  if (opening.kind === 'none') {
    const body = withoutBom(content);
    const fences = fencesOf(content, null);
    return { frontmatter: EMPTY_BLOCK.values, body, block: EMPTY_BLOCK, fences, warnings: [] };
  }
  const fences = fencesOf(content, opening.split);
  let block = openBlock(content, opening);
  let { body } = opening.split;
  const warnings: string[] = [];
  for (let count = 2; ; count += 1) {
    const below = openingOf(body);
    if (!isFrontMatter(below)) break;
    if (count > MAX_STACKED) {
      throw invalidFrontmatter(
        lineOfBlock(content, below.split),
        'too many blocks stand one after the other',
      );
    }
    block = fold(block, openBlock(content, below), warnings);
    body = below.split.body;
  }
  return { frontmatter: block.values, body, block, fences, warnings };
}

/**
 * Refuses front matter in a language other than YAML, which some readers run as code.
 * @throws BrainError `invalid_frontmatter` with `details.line`.
 */
export function refuseLanguageFence(content: string): void {
  const language = languageFence(content);
  if (language === null) return;
  const reason = `"${oneLine(language.fence)}" is no fence; only YAML between two lines of --- is front matter`;
  throw invalidFrontmatter(language.line, reason);
}

/** Below the first block only YAML with a key of the service counts as front matter. */
function isFrontMatter(second: Opening): second is Extract<Opening, { kind: 'front matter' }> {
  return (
    second.kind === 'front matter' && second.block.unreadable === null && hasServiceKey(second.block.values)
  );
}

/** Reads one block of the content. A merge key is refused: readers disagree on whether it sets keys of the service. */
function openBlock(content: string, opening: Exclude<Opening, { kind: 'none' }>): Block {
  const refused = ({ line, reason }: Fault) =>
    invalidFrontmatter(lineOfBlock(content, opening.split) + line - 1, reason);
  if (opening.kind === 'unreadable') throw refused(opening.fault);
  const merge = opening.block.entries.find(({ key }) => key === '<<');
  if (merge !== undefined) throw refused({ line: merge.line, reason: 'the key "<<" is not supported' });
  return opening.block;
}

/** The first block with those keys of the second that it lacks, both byte for byte. */
function fold(first: Block, second: Block, warnings: string[]): Block {
  warnings.push('A second front matter block was joined with the first.');
  const known = new Set(first.entries.map(({ key }) => key));
  const added = second.entries.filter(({ key }) => !known.has(key));
  for (const { key } of second.entries) {
    if (known.has(key))
      warnings.push(`"${key}" of the second front matter block was dropped: the first block sets it.`);
  }
  const entries = [...first.entries, ...added].map(bytesOf);
  const joined = readBlock(first.head + entries.join('') + second.head + second.tail + first.tail);
  const refused = (reason: string) =>
    invalidFrontmatter(1, `the two blocks at the start cannot be joined: ${reason}`);
  if ('reason' in joined) throw refused(joined.reason);
  if (joined.unreadable !== null && first.unreadable === null) throw refused(joined.unreadable.reason);
  return joined;
}

/** The error of front matter that is refused; `line` counts from 1 in what the caller sent. */
function invalidFrontmatter(line: number, reason: string): BrainError {
  return new BrainError(
    'invalid_frontmatter',
    `The front matter cannot be used (line ${line} of the content: ${reason}). Correct it, or leave the front matter out.`,
    { line },
  );
}
