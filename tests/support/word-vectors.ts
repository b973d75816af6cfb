import { DIMENSIONS } from '../../src/core/embeddings/pieces';
import { randomNumbers } from './random-vectors';

/** Words that mean the same to the fake embedders, though no letter says so. */
const MEANINGS: readonly (readonly string[])[] = [
  ['car', 'automobile', 'vehicle'],
  ['doctor', 'physician', 'medic'],
  ['rain', 'drizzle', 'downpour'],
  ['router', 'gateway'],
  ['photo', 'picture', 'snapshot'],
];

/** The numbers of the words that were asked for last: to draw them is most of what a fake embedder does. */
const drawn = new Map<string, readonly number[]>();

function numbersOf(word: string): readonly number[] {
  const known = drawn.get(word);
  if (known !== undefined) return known;
  const random = randomNumbers(seedOf(word));
  const numbers = Array.from({ length: DIMENSIONS }, random);
  if (drawn.size === 500) drawn.clear();
  drawn.set(word, numbers);
  return numbers;
}

/**
 * A vector for a text: the sum of a direction for every word, the same for words that mean the same. Two texts are near when
 * they share meanings. The same on every machine.
 */
export function meaningOf(text: string): Float32Array {
  const sum = new Float32Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const numbers = numbersOf(MEANINGS.find((same) => same.includes(word))?.[0] ?? word);
    for (let at = 0; at < DIMENSIONS; at += 1) sum[at] = (sum[at] ?? 0) + (numbers[at] ?? 0) - 0.5;
  }
  return sum;
}

function seedOf(word: string): number {
  let hash = 2_166_136_261;
  for (const char of word) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619);
  return hash;
}
