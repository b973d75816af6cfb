import { DIMENSIONS, normalised } from '../../src/core/embeddings/pieces';

/** Numbers between 0 and 1, the same for the same seed (Mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Vectors that lie as embeddings do: around topics, and with most of their spread in few directions. Of length 1, the same
 * for the same seed.
 */
export function topicalVectors(count: number, seed: number, topics = 64): Float32Array[] {
  const random = randomNumbers(seed);
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  // Spread falls with the number of the direction, as in any corpus.
  const spread = Array.from({ length: DIMENSIONS }, (_, at) => 1 / Math.sqrt(1 + at / 8));
  const point = (scale: number) => spread.map((width) => scale * width * gauss());
  const centres = Array.from({ length: topics }, () => point(1));
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(random() * topics)] ?? [];
    const offset = point(0.7);
    return normalised(offset.map((value, at) => value + (centre[at] ?? 0))) ?? new Float32Array(DIMENSIONS);
  });
}
