import { apart, finish, type Steps } from '../base/steps';
import { SECTIONS } from '../markdown/blocks';

/** A part of a text that a model reads at once, as offsets in UTF-16 units, `to` exclusive. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  /** The start of the text that no earlier chunk has; equal to `from` for the first. */
  readonly fresh: number;
}

export interface ChunkLimits {
  /** The longest chunk, including its overlap. */
  readonly max: number;
  /** The longest overlap with the chunk before, so that text across the cut is read whole once. */
  readonly overlap: number;
  /** The most chunks; the text after them is left out. */
  readonly count: number;
}

/**
 * A chunk has about 4,000 tokens of Latin text. A small machine takes at least a minute for each, so twenty are a long wait.
 */
export const CHUNK_LIMITS: ChunkLimits = { max: 12_000, overlap: 400, count: 20 };

/**
 * Cuts a text into chunks, in order and without gaps: each as long as possible, cut at the highest heading in its second half,
 * else between blocks, sentences or words. A surrogate pair is never split.
 */
export function* chunkText(text: string, limits: ChunkLimits = CHUNK_LIMITS): Steps<Chunk[]> {
  const chunks: Chunk[] = [];
  for (let fresh = 0; chunks.length < limits.count;) {
    const from = fresh === 0 ? 0 : overlapStart(text, fresh, limits.overlap);
    const end = from + limits.max;
    const to = end >= text.length ? text.length : yield* cutSteps(text, fresh, end);
    chunks.push({ from, to, fresh });
    if (to === text.length) break;
    fresh = to;
    yield;
  }
  return chunks;
}

/**
 * Returns the best place to cut in the second half between `from` and `end`, in short steps: before the highest heading (the last
 * of equals), else at the start of a block, after a sentence, after a word, or between any two characters.
 */
export function* cutSteps(text: string, from: number, end: number): Steps<number> {
  const least = from + Math.ceil((end - from) / 2);
  return (
    (yield* blockStart(text, from, least, end)) ??
    lastMatchEnd(text, SENTENCE_END, least, end) ??
    lastMatchEnd(text, /\s+/g, least, end) ??
    wholeCharacter(text, end)
  );
}

/** Matches the end of a sentence, in scripts with and without spaces, or of a line. */
const SENTENCE_END = /[.!?…]["')\]]*\s+|[。！？]|\n/g;

function* blockStart(text: string, from: number, least: number, end: number): Steps<number | null> {
  let best: { at: number; rank: number } | null = null;
  for (const section of yield* apart(SECTIONS, text.slice(from, end))) {
    if (section.kind === 'overlay') continue;
    // The markers of lists and quotes precede the block.
    const at = text.lastIndexOf('\n', from + section.from - 1) + 1;
    const rank = section.level === 0 ? 7 : section.level;
    if (at >= least && at < end && (best === null || rank <= best.rank)) best = { at, rank };
  }
  return best?.at ?? null;
}

/** Searches backwards in growing pieces: a text may have a million words. */
function lastMatchEnd(text: string, pattern: RegExp, least: number, end: number): number | null {
  for (let size = 1024; ; size *= 2) {
    const start = Math.max(least, end - size);
    const last = [...text.slice(start, end).matchAll(pattern)].at(-1);
    if (last !== undefined) return start + last.index + last[0].length;
    if (start === least) return null;
  }
}

/** Returns the start of a word in the last `most` units before `at`, or of any character there. */
function overlapStart(text: string, at: number, most: number): number {
  const start = Math.max(0, at - most);
  const word = /\s\S/.exec(text.slice(start, at));
  return word === null ? wholeCharacter(text, start, 1) : start + word.index + 1;
}

/** Returns the offset, or the adjacent one when it splits a surrogate pair. */
function wholeCharacter(text: string, at: number, step: 1 | -1 = -1): number {
  const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
  const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
  return isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1)) ? at + step : at;
}

/** Returns the beginning of a Markdown text, at most `max` UTF-16 units, cut at the end of a block, a sentence or a word. */
export function firstBlocks(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, finish(cutSteps(text, 0, max))).trimEnd();
}

/** Closes an unclosed code fence at the end of a text, so that text after it stays text. */
export function* closedFence(text: string): Steps<string> {
  const last = (yield* apart(SECTIONS, text)).at(-1);
  if (last?.kind !== 'fence') return text;
  const fence = text.slice(last.from, last.to).replace(/\r(?!\n)/g, '\n');
  const mark = /^(?:`{3,}|~{3,})/.exec(fence)?.[0];
  const before = text.slice(text.lastIndexOf('\n', last.from - 1) + 1, last.from);
  // A fence in a list or a quote ends with it.
  if (mark === undefined || before.trim() !== '' || last.inList) return text;
  const isClosed = new RegExp(`\\n[ \\t>]*${mark}[${mark[0]}]*[ \\t]*$`).test(fence);
  return isClosed ? text : `${text}\n${mark}`;
}

/** Splits a text into blocks at blank lines, each trimmed at its end; code stays in one block. */
export function* blocksOf(text: string): Steps<string[]> {
  const sections = yield* apart(SECTIONS, text);
  const code = sections.filter(({ kind }) => kind === 'fence' || kind === 'indented' || kind === 'html');
  const blocks: string[] = [];
  let from = 0;
  for (const { 0: gap, index } of text.matchAll(/\n(?:[ \t]*\r?\n)+/g)) {
    if (code.some((range) => range.from < index + gap.length && index < range.to)) continue;
    blocks.push(text.slice(from, index));
    from = index + gap.length;
  }
  blocks.push(text.slice(from));
  return blocks.map((block) => block.trimEnd()).filter((block) => block.trim() !== '');
}
