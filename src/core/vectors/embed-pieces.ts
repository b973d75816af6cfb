import { BrainError } from '../errors';
import type { Embedder, EmbedKind } from '../ports';
import type { StopSignal } from '../host';
import { halves } from './chunks';
import { type Piece, textOf } from './embed-text';
import { type PieceVector, pool } from './pool';

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
