/** Length of every vector; the table's column is made for it. */
export const DIMENSIONS = 768;

/** The beginning of a note says best what it is about. A judgement, as is the weight by length. */
const FIRST_WEIGHT = 1.5;

/** The vector of a piece of text, and how many UTF-16 units of the note it stands for. */
export interface PieceVector {
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
