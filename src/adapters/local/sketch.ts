import { DIMENSIONS } from '../../core/embeddings/pieces';

/** The 32-bit words of a sketch: one bit for each number of a vector. */
export const SKETCH_WORDS = DIMENSIONS / 32;
/** The largest distance of two sketches. */
export const MAX_DISTANCE = DIMENSIONS;
/** The numbers that one transform mixes: a power of two of which the dimensions are a multiple. */
const BLOCK = 256;

/** A fixed shuffle of the numbers and a fixed sign for each: sketches of two versions would not fit each other otherwise. */
const { order, signs } = makeShuffle();

function makeShuffle(): { order: Uint16Array; signs: Float32Array } {
  // A linear congruential generator (Numerical Recipes); its high bits are random enough here.
  let state = 0x5eed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const shuffled = Uint16Array.from({ length: DIMENSIONS }, (_, at) => at);
  for (let at = DIMENSIONS - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    const value = shuffled[at] ?? 0;
    shuffled[at] = shuffled[other] ?? 0;
    shuffled[other] = value;
  }
  return {
    order: shuffled,
    signs: Float32Array.from({ length: DIMENSIONS }, () => (random(2) === 0 ? -1 : 1)),
  };
}

const mixed = new Float32Array(DIMENSIONS);

/**
 * Writes the sketch of a vector: the signs of its numbers after a random rotation (Charikar, Similarity Estimation Techniques
 * from Rounding Algorithms, 2002), which is a shuffle, random signs and a Walsh–Hadamard transform of each block. The part of
 * the bits in which two sketches differ grows with the angle of their vectors. The rotation spreads the few numbers that carry
 * most of an embedding over all bits.
 */
export function writeSketch(numbers: ArrayLike<number>, from: number, sketch: Uint32Array, to: number): void {
  for (let at = 0; at < DIMENSIONS; at += 1) {
    mixed[at] = (numbers[from + (order[at] ?? 0)] ?? 0) * (signs[at] ?? 0);
  }
  for (let block = 0; block < DIMENSIONS; block += BLOCK) transform(block);
  for (let word = 0; word < SKETCH_WORDS; word += 1) {
    let bits = 0;
    for (let bit = 0; bit < 32; bit += 1) if ((mixed[32 * word + bit] ?? 0) < 0) bits |= 1 << bit;
    sketch[to + word] = bits;
  }
}

/** The fast Walsh–Hadamard transform of one block of `mixed`, without its factor, which changes no sign. */
function transform(block: number): void {
  for (let half = 1; half < BLOCK; half *= 2) {
    for (let start = block; start < block + BLOCK; start += 2 * half) {
      for (let at = start; at < start + half; at += 1) {
        const [low, high] = [mixed[at] ?? 0, mixed[at + half] ?? 0];
        mixed[at] = low + high;
        mixed[at + half] = low - high;
      }
    }
  }
}

/** Returns the number of bits in which two sketches differ (their Hamming distance). */
export function sketchDistance(sketches: Uint32Array, from: number, other: Uint32Array): number {
  let total = 0;
  for (let word = 0; word < SKETCH_WORDS; word += 3) {
    // The bits of each group of four are counted at once; three such counts fit a group.
    const counts =
      fourBitCounts((sketches[from + word] ?? 0) ^ (other[word] ?? 0)) +
      fourBitCounts((sketches[from + word + 1] ?? 0) ^ (other[word + 1] ?? 0)) +
      fourBitCounts((sketches[from + word + 2] ?? 0) ^ (other[word + 2] ?? 0));
    total += (counts & 0x0f0f0f0f) + ((counts >>> 4) & 0x0f0f0f0f);
  }
  // Each of the four bytes holds at most 192.
  return (total & 0xff) + ((total >>> 8) & 0xff) + ((total >>> 16) & 0xff) + (total >>> 24);
}

/** Returns the number of bits of each group of four bits, in that group. */
function fourBitCounts(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
}
