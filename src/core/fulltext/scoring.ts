// Robertson and Zaragoza, The Probabilistic Relevance Framework (2009). Both values stand on a plateau:
// measured on several collections, finer tuning bought nothing.
/** How soon a further occurrence of a term stops to count. */
const K1 = 1.2;
/** How much the length of a document counts. */
const B = 0.75;
/** A shorter document counts as this many terms: otherwise notes of one line would win by their brevity. */
export const MIN_LENGTH = 40;

/**
 * A posting keeps how often a term occurs and how long its document is as two small classes, so that its score is one look
 * into a table that stays in the fastest cache. Frequencies are exact to 16, then four classes to a doubling, to 256; lengths
 * are off by six in a hundred at most, to 58,000 terms. That is finer than the one byte that Lucene keeps of a length, and
 * leaves 21 bits for documents.
 */
const FREQUENCY_BITS = 5;
const LENGTH_BITS = 6;
export const CLASS_BITS = FREQUENCY_BITS + LENGTH_BITS;

const FREQUENCIES = Array.from({ length: 1 << FREQUENCY_BITS }, (_, at) =>
  at < 16 ? at + 1 : Math.round(16 * 2 ** ((at - 15) / 4)),
);
const LENGTHS = Array.from({ length: 1 << LENGTH_BITS }, (_, at) => Math.round(MIN_LENGTH * 2 ** (at / 6)));
const MAX_FREQUENCY = 256;

/** By frequency, its class: the one whose frequency is nearest below. */
const frequencyClasses = Uint8Array.from({ length: MAX_FREQUENCY + 1 }, (_, frequency) =>
  Math.max(0, FREQUENCIES.filter((known) => known <= frequency).length - 1),
);

/** The class of a length: the one whose length is nearest. Whole numbers only, so that it is the same on every machine. */
function lengthClass(length: number): number {
  let low = 0;
  let high = LENGTHS.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (2 * length > (LENGTHS[middle] ?? 0) + (LENGTHS[middle + 1] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Turns weighted frequencies of one document into what its postings keep. */
export function classesFor(length: number): (frequency: number) => number {
  const lengths = lengthClass(length) << FREQUENCY_BITS;
  return (frequency) => lengths | (frequencyClasses[Math.min(frequency, MAX_FREQUENCY)] ?? 0);
}

/** What a document keeps that holds several terms which count as one. */
export function addedUp(a: number, b: number): number {
  const lengths = a & ~((1 << FREQUENCY_BITS) - 1);
  const sum = frequencyIn(a) + frequencyIn(b);
  return lengths | (frequencyClasses[Math.min(sum, MAX_FREQUENCY)] ?? 0);
}

function frequencyIn(measure: number): number {
  return FREQUENCIES[measure & ((1 << FREQUENCY_BITS) - 1)] ?? 0;
}

// Scores are whole numbers, so that sums do not depend on the order in which they are made. A saturation is below 2^16, a
// weight too, and their product below 2^31; what is kept of it lets a thousand of them be added up in 32 bits.
const SATURATION_SCALE = 2 ** 14;
const WEIGHT_SCALE = 2 ** 12;
const KEPT_SHIFT = 10;
/** What a score of 1 is as a whole number. */
export const SCORE_SCALE = (SATURATION_SCALE * WEIGHT_SCALE) / 2 ** KEPT_SHIFT;
/** What a weight of 1 adds to a score at saturation 1. */
export const WEIGHT_TO_SCORE = SCORE_SCALE / WEIGHT_SCALE;
/** So many terms may be added up. */
export const MAX_GROUPS = 1000;

/** How much a term tells that occurs in `holders` of `documents` (the variant that is never negative), as a whole number. */
export function weightOf(holders: number, documents: number): number {
  // What every document holds tells next to nothing, but a query for it still finds them.
  return Math.max(1, Math.round(WEIGHT_SCALE * Math.log(1 + (documents - holders + 0.5) / (holders + 0.5))));
}

/** Weights of terms in so many documents are remembered: a weight takes a logarithm. */
const REMEMBERED = 1 << 12;

/** Weights of terms among a number of documents. */
export class WeightTable {
  /** By number of holders; 0 for what was not asked yet. */
  readonly #weights = new Uint16Array(REMEMBERED);
  #documents = 0;

  /** Says how many documents there are from now on. */
  expect(documents: number): void {
    if (documents === this.#documents) return;
    this.#documents = documents;
    this.#weights.fill(0);
  }

  /** What `weightOf` gives for so many holders. */
  of(holders: number): number {
    const known = this.#weights[holders] ?? 0;
    if (known !== 0) return known;
    // It fits: the logarithm of twice the most documents there can be is below 16.
    const weight = weightOf(holders, this.#documents);
    this.#weights[holders] = weight;
    return weight;
  }
}

/** A weight as the inverse document frequency that it stands for. */
export function idfOf(weight: number): number {
  return weight / WEIGHT_SCALE;
}

/** What a term of this weight adds to a score. */
export function worthOf(saturation: number, weight: number): number {
  return Math.imul(saturation, weight) >>> KEPT_SHIFT;
}

function saturation(frequency: number, norm: number): number {
  return Math.round((SATURATION_SCALE * frequency * (K1 + 1)) / (frequency + norm));
}

/** By number of occurrences, the saturation in a passage, whose length does not count. */
export const PASSAGE_SATURATIONS = Int32Array.from({ length: 256 }, (_, count) => saturation(count, K1));

/** From here on, a class stands for several frequencies. */
const FIRST_ROUGH = 16;

/** The saturation of all occurrences in one passage, of which there may be more than the class of the document tells. */
function mostInPassage(frequency: number): number {
  return PASSAGE_SATURATIONS[frequency < FIRST_ROUGH ? frequency : PASSAGE_SATURATIONS.length - 1] ?? 0;
}

/** The average length is known in steps of about one in a hundred, so that the table is made anew only now and then. */
const AVERAGE_STEPS = 64;

/** The saturation of every posting there can be, by its class, for one average length. */
export class SaturationTable {
  readonly #values = new Int32Array(1 << CLASS_BITS);
  readonly #passageBounds = new Float64Array(1 << LENGTH_BITS);
  #step = NaN;

  /** The table for documents of `total` terms together. It depends on nothing else; valid until the next call. */
  for(total: number, documents: number): Int32Array {
    const step = Math.round(AVERAGE_STEPS * Math.log2(total / documents));
    if (step !== this.#step) {
      this.#step = step;
      this.#fill(2 ** (step / AVERAGE_STEPS));
    }
    return this.#values;
  }

  /**
   * No passage of a document of this length has more than so many times the score of the whole document: by the last average
   * length that the table was asked for.
   */
  passageBound(length: number): number {
    return this.#passageBounds[lengthClass(length)] ?? Infinity;
  }

  #fill(average: number): void {
    LENGTHS.forEach((length, at) => {
      const norm = K1 * (1 - B + (B * length) / average);
      let bound = 0;
      FREQUENCIES.forEach((frequency, low) => {
        const value = saturation(frequency, norm);
        this.#values[(at << FREQUENCY_BITS) | low] = value;
        bound = Math.max(bound, mostInPassage(frequency) / value);
      });
      this.#passageBounds[at] = bound;
    });
  }
}
