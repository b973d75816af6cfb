import { BrainError } from '../../errors';
import { bytesOf, EMPTY_BLOCK, openingOf, readBlock, type Block } from './block';
import { withoutInvisible } from '../invisible';
import { MAX_BLOCK } from './danger';
import type { Fault } from './entries';
import { visible } from './inert';
import { same } from './offers';
import type { Values } from './read';
import { fencesOf, hasServiceKey, type Fences } from './rewrite';
import { oneLine } from './scalars';
import { languageFence, lineOfBlock, splitNote, withoutBom, type SplitNote } from './split';

/** Content from a caller, taken apart and found safe to merge. */
export interface OpenedContent {
  readonly frontmatter: Values;
  /** The text after the front matter, byte for byte, without a BOM. */
  readonly body: string;
  readonly block: Block;
  readonly fences: Fences;
  /** Number of the first line of the block in the content, from 1. */
  readonly firstLine: number;
  readonly warnings: readonly string[];
}

/** Blocks that stand one after the other; more than a round trip or two through a careless client can leave. */
const MAX_STACKED = 8;

/**
 * Takes apart what a caller sent. A second block right below the first is folded into it when it holds a key of the
 * service; any other one is text between two rules and stays in the body. Invisible characters in a block are removed, which
 * is said in the warnings.
 * @throws BrainError `invalid_frontmatter` with `details.line` when the block cannot be merged safely.
 */
export function openContent(content: string): OpenedContent {
  refuseLanguageFence(content);
  const opening = openingOf(content);
  if (opening.kind === 'none') {
    const body = withoutBom(content);
    const fences = fencesOf(content, null);
    return { frontmatter: EMPTY_BLOCK.values, body, block: EMPTY_BLOCK, fences, firstLine: 1, warnings: [] };
  }
  const fences = fencesOf(content, opening.split);
  const warnings = new Set<string>();
  let block = openBlock(content, opening.split, warnings);
  let { body } = opening.split;
  for (let count = 2; ; count += 1) {
    const below = splitNote(body);
    if (below === null || !isFrontMatter(readBlock(shownText(below.block)))) break;
    if (count > MAX_STACKED) {
      throw invalidFrontmatter(lineOfBlock(content, below), 'too many blocks stand one after the other');
    }
    block = fold(block, openBlock(content, below, warnings), warnings);
    body = below.body;
  }
  const firstLine = lineOfBlock(content, opening.split);
  return { frontmatter: block.values, body, block, fences, firstLine, warnings: [...warnings] };
}

/** What is said when a text began like front matter where it must be text. */
export const ESCAPED =
  'The text began like a second front matter block; the line that opened it was escaped.';

/** Empty blocks that are looked through; whoever sends more has the first one escaped. */
const MAX_EMPTY = 100;

/**
 * A body as it may stand in a note. Where it begins with what a reader could take for front matter when the body is sent back
 * by itself or below a block, the line that opens that is escaped. Text between two rules stays. Never throws.
 */
export function asText(body: string): string {
  let below = splitNote(body);
  for (let count = 0; below !== null && count < MAX_EMPTY; count += 1) {
    const block = readBlock(shownText(below.block));
    if ('reason' in block) return body;
    if (block.entries.length > 0) break;
    // Two rules, perhaps with a heading between them: what counts stands below.
    below = splitNote(below.body);
  }
  const first = below && splitNote(body);
  if (first === null) return body;
  const at = body.length - first.open.length - first.block.length - first.close.length - first.body.length;
  return `${body.slice(0, at)}\\${body.slice(at)}`;
}

/** The note in which a second block is text. Never throws. */
export function oneBlock(text: string): string {
  const body = splitNote(text)?.body;
  if (body === undefined) return text;
  return text.slice(0, text.length - body.length) + asText(body);
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
function isFrontMatter(second: Block | Fault): boolean {
  return !('reason' in second) && second.unreadable === null && hasServiceKey(second.values);
}

/** Reads one block of the content. A merge key is refused: readers disagree on whether it sets keys of the service. */
function openBlock(content: string, split: SplitNote, warnings: Set<string>): Block {
  const block = visibleBlock(split.block, warnings);
  const merge = 'reason' in block ? undefined : block.entries.find(({ key }) => key === '<<');
  if (!('reason' in block) && merge === undefined) return block;
  const { line, reason } =
    'reason' in block ? block : { line: merge?.line ?? 1, reason: 'the key "<<" is not supported' };
  throw invalidFrontmatter(lineOfBlock(content, split) + line - 1, reason);
}

/** A note whose block has no invisible characters, where it can be read; its body stays as it is. */
export function visibleNote(text: string): { text: string; warnings: string[] } {
  const split = splitNote(text);
  const warnings = new Set<string>();
  const block = split === null ? null : visibleBlock(split.block, warnings);
  if (split === null || block === null || 'reason' in block || warnings.size === 0)
    return { text, warnings: [] };
  const { open, close, body } = split;
  const shown = open + block.head + block.entries.map(bytesOf).join('') + block.tail + close + body;
  return { text: shown, warnings: [...warnings] };
}

/** The text of a block without invisible characters; one that is too large to be read is left as it is. */
function shownText(block: string): string {
  return block.length > MAX_BLOCK ? block : withoutInvisible(block);
}

/** An escape of a quoted text, with all backslashes before it, so that one that is itself escaped is told. */
const ESCAPE = /(\\+)(?:u([\da-fA-F]{4})|U([\da-fA-F]{8}))/g;

/** Reads a block without its invisible characters, those that stand as an escape included. */
function visibleBlock(text: string, warnings: Set<string>): Block | Fault {
  const seen = shownText(text);
  if (seen !== text) warnings.add(INVISIBLE_REMOVED);
  const block = readBlock(seen);
  if ('reason' in block || same(block.values, visible(block.values))) return block;
  const escaped = block.entries.map((entry) => {
    const { key } = entry;
    const isVisible = same(block.values[key], visible(block.values[key])) && key === withoutInvisible(key);
    return isVisible ? bytesOf(entry) : entry.before + withoutEscapes(entry.text) + entry.after;
  });
  const again = readBlock(block.head + escaped.join('') + block.tail);
  if ('reason' in again) return again;
  if (!same(again.values, visible(again.values))) {
    return { line: 1, reason: 'it holds invisible characters that cannot be taken out' };
  }
  warnings.add(INVISIBLE_REMOVED);
  return again;
}

const INVISIBLE_REMOVED = 'Invisible characters were removed from the front matter.';

function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (all: string, slashes: string, short?: string, long?: string) => {
    const point = parseInt(short ?? long ?? '', 16);
    const isHidden =
      slashes.length % 2 === 1 && point <= 0x10ffff && withoutInvisible(String.fromCodePoint(point)) === '';
    return isHidden ? slashes.slice(1) : all;
  });
}

/** The first block with those keys of the second that it lacks, both byte for byte. */
function fold(first: Block, second: Block, warnings: Set<string>): Block {
  warnings.add('A second front matter block was joined with the first.');
  const known = new Set(first.entries.map(({ key }) => key));
  const added = second.entries.filter(({ key }) => !known.has(key));
  for (const { key } of second.entries) {
    if (known.has(key))
      warnings.add(`"${key}" of the second front matter block was dropped: the first block sets it.`);
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
