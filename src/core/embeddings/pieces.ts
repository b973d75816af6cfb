import { BrainError } from '../base/errors';
import { sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import { apart, type Steps } from '../base/steps';
import { DENSE_SCRIPTS } from '../base/text';
import { parseNote } from '../frontmatter/parse';
import { titleOf } from '../links/title';
import { FACTS, type TextBlock } from '../markdown/facts';
import type { Embedder, EmbedKind } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';

/** The longest piece in UTF-16 units: less than the 2,048 tokens that common embedding models read, in any Latin text. */
const MAX_CHUNK = 3000;
/** The longest piece in scripts that take about one token a character. */
const MAX_CHUNK_CJK = 1200;
const CJK_SHARE = 0.3;
const CJK = new RegExp(`[${DENSE_SCRIPTS}]`, 'gu');
/** The most pieces of one note; the rest of the text is left out. BM25 still finds a very long note by its words. */
export const MAX_CHUNKS = 32;

/** The end of a sentence, in scripts with and without spaces. */
const SENTENCE_END = /[.!?…]["')\]]*\s|[。！？]|\n/g;

/**
 * Cuts a text into pieces that an embedding model reads completely: at headings once a piece is half full, otherwise between
 * blocks, and within a long block at the end of a sentence or of a word. A surrogate pair is never split. Returns nothing for a
 * text without words.
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

/** Splits a piece that is too long into two of about the same length. */
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

/** Returns the best place to cut in the second half of the first `max` units: after a sentence, a word, or any character. */
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

/** One text to embed: the head that every piece of its note has, and a part of the body. */
export interface Piece {
  /** The title, tags and summary of the note; empty for a query. */
  readonly head: string;
  readonly body: string;
}

/** The part of a body that is read, in UTF-16 units: markup may take as much again as the words of all pieces. */
const MAX_BODY = 200_000;
/** The longest head in UTF-16 units: it is repeated in every piece. */
const MAX_HEAD = 500;
/** The part of one front matter value that is read for the head, in UTF-16 units: links may be much longer than their words. */
const MAX_VALUE = 10_000;
/** Matches a value that may hold links, comments or HTML. Any other value, which is nearly all, is used as it is. */
const MARKUP = /[[<%]/;

/**
 * Cuts a note into the pieces to embed: its words as a reader sees them, without front matter, comments and link syntax. Each
 * piece starts with title, tags and summary. A note without words is its title. Works in steps of a few milliseconds.
 */
export function* pieceSteps(path: VaultPath, text: string): Steps<Piece[]> {
  const { frontmatter, body } = parseNote(text);
  const facts = yield* apart(FACTS, body.slice(0, MAX_BODY));
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

/** Returns the text of a piece as it is sent. */
export function textOf({ head, body }: Piece): string {
  return [head, body].filter((part) => part !== '').join('\n');
}

/** Returns a hash of the pieces and the maker: equal hashes mean equal vectors. 32 hex digits. */
export function piecesHash(pieces: readonly Piece[], maker: string): string {
  return sha256(JSON.stringify([maker, pieces.map(textOf)])).slice(0, 32);
}

/** Returns the words of a front matter value as a reader sees them in a body. */
function* wordsOf(text: string): Steps<string> {
  return MARKUP.test(text) ? (yield* apart(FACTS, text.slice(0, MAX_VALUE))).searchText : text.trim();
}

/** Returns the words of a front matter value or list; empty if it has none. */
function* wordsIn(value: unknown): Steps<string[]> {
  const found: string[] = [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const item of items) {
    const words = typeof item === 'string' ? yield* wordsOf(item) : '';
    if (words !== '') found.push(words);
  }
  return found;
}

/** The length of every vector; the column of the table has it. */
export const DIMENSIONS = 768;

/**
 * The additional weight of the first piece: the beginning of a note describes it best. This value, like the weight by length,
 * is an estimate.
 */
const FIRST_WEIGHT = 1.5;

/** The vector of a piece, and the length of its text in UTF-16 units. */
interface PieceVector {
  readonly vector: Float32Array;
  readonly length: number;
}

/**
 * Combines the vectors of the pieces of a text, the first piece first: the mean of their directions, weighted by the square
 * root of their length and the first one more; of length 1. Returns null when the pieces cancel each other out, or there are
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

/** Returns the vector at length 1; null when it has no direction. */
export function normalised(vector: ArrayLike<number>): Float32Array | null {
  let square = 0;
  for (let at = 0; at < vector.length; at += 1) square += (vector[at] ?? 0) ** 2;
  const length = Math.sqrt(square);
  if (!Number.isFinite(length) || length < 1e-12) return null;
  return Float32Array.from(vector, (value) => value / length);
}

/** The shortest piece that is split, in UTF-16 units: a model that reads less is no model for notes. */
const MIN_PIECE = 200;

/**
 * Embeds a text given in pieces as one vector, in one call. A piece that is too long for the model is halved until it fits.
 * @throws BrainError `embed_error`
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
 * Embeds several documents given in pieces, in one call; null for a text whose pieces cancel each other out. Nothing is halved:
 * when one piece is too long, no text is embedded.
 * @throws BrainError `embed_error`
 */
export async function embedTogether(
  embedder: Embedder,
  texts: readonly (readonly Piece[])[],
  signal?: StopSignal,
): Promise<(Float32Array | null)[]> {
  const vectors = (await embedder.embed(texts.flat().map(textOf), 'document', signal)).values();
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
  // The embedder does not say which of several pieces is too long.
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
