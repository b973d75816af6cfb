import { BrainError } from '../base/errors';
import { sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import type { Steps } from '../base/steps';
import { DENSE_SCRIPTS } from '../base/text';
import { parseNote } from '../frontmatter/parse';
import { titleOf } from '../links/title';
import { factSteps, type TextBlock } from '../markdown/facts';
import type { Embedder, EmbedKind } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';

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

/** A piece of a text as it is embedded: what stands above every piece, and the piece itself. */
export interface Piece {
  /** Title, tags and summary of the note; empty for a query. */
  readonly head: string;
  readonly body: string;
}

/** So much of a body is read: markup may take as much again as the words of all pieces. In UTF-16 units. */
const MAX_BODY = 200_000;
/** Longest head in UTF-16 units: it is repeated above every piece. */
const MAX_HEAD = 500;
/** So much of one value of the front matter is read for it: links may be much longer than their words. */
const MAX_VALUE = 10_000;
/** Links, comments and HTML have one of these. Any other value is taken as it stands, which is all but a few. */
const MARKUP = /[[<%]/;

/**
 * What is embedded of a note: its words as a reader sees them, without front matter, comments and link syntax, in pieces
 * that each carry title, tags and summary, also without those. A note without words is its title. In steps of a few
 * milliseconds.
 */
export function* pieceSteps(path: VaultPath, text: string): Steps<Piece[]> {
  const { frontmatter, body } = parseNote(text);
  const facts = yield* factSteps(body.slice(0, MAX_BODY));
  const own = frontmatter.title;
  const title = titleOf({ title: typeof own === 'string' ? yield* wordsOf(own) : null }, facts, path);
  const tags = yield* wordsIn(frontmatter.tags ?? frontmatter.tag);
  const about = [
    [...new Set([...tags, ...facts.tags])].join(', '),
    ...(yield* wordsIn(frontmatter.summary ?? frontmatter.description)),
  ].filter((part) => part !== '');
  const head = [title, about.join('. ')]
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, MAX_HEAD);
  yield;
  const chunks = chunksOf(facts.blocks);
  yield;
  return (chunks.length === 0 ? [''] : chunks).map((chunk) => ({ head, body: chunk }));
}

/** The text of a piece, to be sent. */
export function textOf({ head, body }: Piece): string {
  return [head, body].filter((part) => part !== '').join('\n');
}

/** Tells whether a note would be embedded from the same text by the same maker as before. 32 hex digits. */
export function piecesHash(pieces: readonly Piece[], maker: string): string {
  return sha256(JSON.stringify([maker, pieces.map(textOf)])).slice(0, 32);
}

/** The words of a value of the front matter as a reader sees them in a body. */
function* wordsOf(text: string): Steps<string> {
  return MARKUP.test(text) ? (yield* factSteps(text.slice(0, MAX_VALUE))).searchText : text.trim();
}

/** The same of one value, or of several; none for what has no words. */
function* wordsIn(value: unknown): Steps<string[]> {
  const found: string[] = [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const item of items) {
    const words = typeof item === 'string' ? yield* wordsOf(item) : '';
    if (words !== '') found.push(words);
  }
  return found;
}

/** Length of every vector; the table's column is made for it. */
export const DIMENSIONS = 768;

/** The beginning of a note says best what it is about. A judgement, as is the weight by length. */
const FIRST_WEIGHT = 1.5;

/** The vector of a piece of text, and how many UTF-16 units of the note it stands for. */
interface PieceVector {
  readonly vector: Float32Array;
  readonly length: number;
}

/**
 * One vector for a text that was embedded in pieces, the first piece first: the mean of their directions, weighted by the
 * square root of their length and the first one more; of length 1. Null when the pieces cancel each other out, or there are
 * none.
 */
export function pool(pieces: readonly PieceVector[]): Float32Array | null {
  const sum = new Float64Array(DIMENSIONS);
  for (const [index, { vector, length }] of pieces.entries()) {
    const unit = normalised(vector);
    if (unit === null) continue;
    const weight = Math.sqrt(Math.max(1, length)) * (index === 0 ? FIRST_WEIGHT : 1);
    for (let at = 0; at < DIMENSIONS; at += 1) sum[at] = (sum[at] ?? 0) + weight * (unit[at] ?? 0);
  }
  return normalised(sum);
}

/** The vector at length 1, or null when it has no direction. */
export function normalised(vector: ArrayLike<number>): Float32Array | null {
  let square = 0;
  for (let at = 0; at < vector.length; at += 1) square += (vector[at] ?? 0) ** 2;
  const length = Math.sqrt(square);
  if (!Number.isFinite(length) || length < 1e-12) return null;
  return Float32Array.from(vector, (value) => value / length);
}

/** A piece is not cut below this, in UTF-16 units: a model that reads less is no model for notes. */
const MIN_PIECE = 200;

/**
 * One vector for a text given in pieces, asked for in one call. When the embedder says that a piece is longer than its model
 * reads, that piece is cut in half until it fits.
 * @throws BrainError `embed_error`.
 */
export async function embedPieces(
  embedder: Embedder,
  pieces: readonly Piece[],
  kind: EmbedKind,
  signal?: StopSignal,
): Promise<Float32Array> {
  const vector = pool(await vectorsOf(embedder, pieces, kind, signal));
  if (vector === null)
    throw new BrainError('embed_error', 'The embedder answered with vectors that have no direction.');
  return vector;
}

/**
 * One vector for each of several texts given in pieces, all of which are asked for in one call; null for one whose pieces cancel
 * each other out. Nothing is cut: where one piece is too long, none is embedded.
 * @throws BrainError `embed_error`.
 */
export async function embedTogether(
  embedder: Embedder,
  texts: readonly (readonly Piece[])[],
  kind: EmbedKind,
  signal?: StopSignal,
): Promise<(Float32Array | null)[]> {
  const vectors = (await embedder.embed(texts.flat().map(textOf), kind, signal)).values();
  return texts.map((pieces) =>
    pool(
      pieces.flatMap(({ body }) => {
        const { value: vector } = vectors.next();
        return vector === undefined ? [] : [{ vector, length: body.length }];
      }),
    ),
  );
}

async function vectorsOf(
  embedder: Embedder,
  pieces: readonly Piece[],
  kind: EmbedKind,
  signal?: StopSignal,
): Promise<PieceVector[]> {
  try {
    const vectors = await embedder.embed(pieces.map(textOf), kind, signal);
    return vectors.map((vector, index) => ({ vector, length: pieces[index]?.body.length ?? 0 }));
  } catch (error) {
    if (!isTooLong(error)) throw error;
    const [piece] = pieces;
    if (pieces.length === 1 && (piece === undefined || piece.body.length <= MIN_PIECE)) throw error;
  }
  // Of several it is not told which one is too long.
  const found: PieceVector[] = [];
  for (const piece of pieces.length > 1 ? pieces : pieces.flatMap(halved)) {
    found.push(...(await vectorsOf(embedder, [piece], kind, signal)));
  }
  return found;
}

function halved({ head, body }: Piece): Piece[] {
  return halves(body).map((half) => ({ head, body: half }));
}

function isTooLong(error: unknown): boolean {
  return error instanceof BrainError && error.code === 'embed_error' && error.details?.too_long === true;
}
