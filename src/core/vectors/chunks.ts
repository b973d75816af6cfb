import { DENSE_SCRIPTS } from '../rules/dense-scripts';
import type { TextBlock } from '../rules/markdown';

/** Longest piece in UTF-16 units: below the 2,048 tokens that common embedding models read, in any Latin text. */
const MAX_CHUNK = 3000;
/** The same for scripts that take about a token a character. */
const MAX_CHUNK_CJK = 1200;
const CJK_SHARE = 0.3;
const CJK = new RegExp(`[${DENSE_SCRIPTS}]`, 'gu');
/** What comes after these is left out: a note of a hundred thousand characters is found by its words. */
export const MAX_CHUNKS = 32;

/** The end of a sentence, in scripts with spaces and without. */
const SENTENCE_END = /[.!?…]["')\]]*\s|[。！？]|\n/g;

/**
 * Cuts a text into pieces that an embedding model reads whole: at headings where a piece is half full, else between blocks,
 * within a long block at the end of a sentence, then of a word. No character is cut in two. Empty for a text without words.
 */
export function chunksOf(blocks: readonly TextBlock[]): string[] {
  const max = chunkLimit(blocks.map(({ text }) => text).join('\n'));
  const chunks: string[] = [];
  let open = '';
  const close = (): void => {
    if (open !== '') chunks.push(open);
    open = '';
  };
  for (const { isHeading, text } of blocks) {
    if (isHeading && open.length >= max / 2) close();
    for (const part of parts(tidy(text), max)) {
      if (open !== '' && open.length + 1 + part.length > max) close();
      open = open === '' ? part : `${open}\n${part}`;
      if (chunks.length >= MAX_CHUNKS) return chunks;
    }
  }
  close();
  return chunks.slice(0, MAX_CHUNKS);
}

/** Cuts a piece that turned out to be too long into two of about the same length. */
export function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  const at = cutAt(text, middle);
  return [text.slice(0, at), text.slice(at)];
}

function chunkLimit(text: string): number {
  const dense = text.match(CJK)?.length ?? 0;
  return dense > CJK_SHARE * text.replace(/\s+/g, '').length ? MAX_CHUNK_CJK : MAX_CHUNK;
}

function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
}

function parts(text: string, max: number): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const at = cutAt(rest, max);
    found.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
    if (found.length > MAX_CHUNKS) return found;
  }
  if (rest !== '') found.push(rest);
  return found.filter((part) => part !== '');
}

/** The best place to cut in the second half of the first `max` units: after a sentence, a word, or any character. */
function cutAt(text: string, max: number): number {
  const head = text.slice(0, max);
  const half = Math.floor(max / 2);
  let sentence = -1;
  for (const match of head.matchAll(SENTENCE_END)) {
    if (match.index + match[0].length > half) sentence = match.index + match[0].length;
  }
  if (sentence > 0) return sentence;
  const space = head.lastIndexOf(' ');
  if (space > half) return space + 1;
  const unit = text.charCodeAt(max);
  return Math.max(1, unit >= 0xdc00 && unit <= 0xdfff ? max - 1 : max);
}
