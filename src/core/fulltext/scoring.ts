// Robertson and Zaragoza, The Probabilistic Relevance Framework (2009). Both parameters are on a plateau: finer tuning on
// several collections gained nothing.
/** How soon further occurrences of a term stop to count (k1). */
export const K1 = 1.2;
/** How much the length of a document counts (b). */
export const B = 0.75;
/** The minimum length of a document (terms): otherwise notes of one line would win by their brevity. */
export const MIN_LENGTH = 40;

/**
 * The kinds of the parts of a document, in the order in which they come: what it is called, what its parts are called, where it
 * belongs, its text, and what is noted beside the text.
 */
export const FIELD_KINDS = ['name', 'heading', 'place', 'text', 'property'] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

/** The unit of frequencies. */
export const FREQUENCY_STEP = 0.25;
/**
 * How much an occurrence counts. Names count three times, which was best on several collections; the headings of a text stand
 * in the text as well. A word that stands only in properties counts so little, however often it does.
 */
export const FIELD_WEIGHTS: Readonly<Record<FieldKind, number>> = {
  name: 3,
  heading: 1,
  place: 1,
  text: 1,
  property: FREQUENCY_STEP,
};

/**
 * A posting stores frequency and document length as two small classes, so that its score is one look into a table that fits
 * the fastest cache. Frequencies are exact to 16, then in four classes to a doubling, to 181; lengths are at most 6 % off, to
 * 58,000 terms. This is finer than the one byte that Lucene keeps of a length, and leaves 21 bits for documents.
 */
const FREQUENCY_BITS = 5;
const LENGTH_BITS = 6;
export const CLASS_BITS = FREQUENCY_BITS + LENGTH_BITS;

/** The first classes are those of words in properties: of one, and of several that count as one. */
const FRACTIONS = [FREQUENCY_STEP, 2 * FREQUENCY_STEP];
const FREQUENCIES = Array.from({ length: 1 << FREQUENCY_BITS }, (_, at) => {
  const whole = at - FRACTIONS.length;
  return FRACTIONS[at] ?? (whole < 16 ? whole + 1 : Math.round(16 * 2 ** ((whole - 15) / 4)));
});
const LENGTHS = Array.from({ length: 1 << LENGTH_BITS }, (_, at) => Math.round(MIN_LENGTH * 2 ** (at / 6)));
const MAX_FREQUENCY = 181;

/** By the number of steps of a frequency, the class with the nearest frequency below. */
const frequencyClasses = Uint8Array.from({ length: MAX_FREQUENCY / FREQUENCY_STEP + 1 }, (_, steps) =>
  Math.max(0, FREQUENCIES.filter((known) => known <= steps * FREQUENCY_STEP).length - 1),
);

function frequencyClass(frequency: number): number {
  return frequencyClasses[Math.min(frequency, MAX_FREQUENCY) / FREQUENCY_STEP] ?? 0;
}

/** Returns the class with the nearest length. Integer arithmetic makes it equal on every machine. */
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

/**
 * Returns a function from weighted frequencies to classes of postings, for a document of this length.
 * @param whole the length with its properties, which is that of a word that stands nowhere else
 */
export function classesFor(length: number, whole = length): (frequency: number) => number {
  const [lengths, wholes] = [lengthClass(length) << FREQUENCY_BITS, lengthClass(whole) << FREQUENCY_BITS];
  return (frequency) => (frequency < 1 ? wholes : lengths) | frequencyClass(frequency);
}

// The terms of a group count as one: a sum has the shortest length, as a term of the text has, above the steps of the frequency.
// Frequencies are added before they become a class, so that no order of terms makes a difference.
const STEP_BITS = 20;
const STEPS = (1 << STEP_BITS) - 1;

/** Returns the sum of the class of one posting. */
export function sumOf(measure: number): number {
  return ((measure >>> FREQUENCY_BITS) << STEP_BITS) | (frequencyIn(measure) / FREQUENCY_STEP);
}

/** Returns the sum of two sums, of the same document. */
export function sumOfSums(a: number, b: number): number {
  return (
    (Math.min(a >>> STEP_BITS, b >>> STEP_BITS) << STEP_BITS) | Math.min(STEPS, (a & STEPS) + (b & STEPS))
  );
}

/** Returns the class of a sum. */
export function classOfSum(sum: number): number {
  return ((sum >>> STEP_BITS) << FREQUENCY_BITS) | frequencyClass((sum & STEPS) * FREQUENCY_STEP);
}

function frequencyIn(measure: number): number {
  return FREQUENCIES[measure & ((1 << FREQUENCY_BITS) - 1)] ?? 0;
}

// Scores are integers, so that sums do not depend on the order of addition. A saturation and a weight are below 2^16 and
// their product below 2^31; after the shift a thousand products add up within 32 bits.
const SATURATION_SCALE = 2 ** 14;
const WEIGHT_SCALE = 2 ** 12;
const KEPT_SHIFT = 10;
/** The integer for a score of 1. */
export const SCORE_SCALE = (SATURATION_SCALE * WEIGHT_SCALE) / 2 ** KEPT_SHIFT;
/** The integer score of a weight of 1 at saturation 1. */
export const WEIGHT_TO_SCORE = SCORE_SCALE / WEIGHT_SCALE;
/** The maximum number of groups that are added up. */
export const MAX_GROUPS = 1000;

/**
 * Returns the inverse document frequency of a term in `holders` of `documents`, as an integer weight; this variant is never
 * negative.
 */
export function weightOf(holders: number, documents: number): number {
  // A term that every document holds tells next to nothing, but a query for it still finds them.
  return Math.max(1, Math.round(WEIGHT_SCALE * Math.log(1 + (documents - holders + 0.5) / (holders + 0.5))));
}

/** The number of weights in the cache, since each takes a logarithm. */
const CACHED = 1 << 12;

/** A cache of the weights of terms for one number of documents. */
export class WeightTable {
  /** By number of holders; 0 if not computed yet. */
  readonly #weights = new Uint16Array(CACHED);
  #documents = 0;

  /** Sets the number of documents. */
  setDocuments(documents: number): void {
    if (documents === this.#documents) return;
    this.#documents = documents;
    this.#weights.fill(0);
  }

  /** Returns the weight of a term with so many holders, as `weightOf` does. */
  of(holders: number): number {
    const known = this.#weights[holders] ?? 0;
    if (known !== 0) return known;
    // It fits into 16 bits: the logarithm of twice the maximum number of documents is below 16.
    const weight = weightOf(holders, this.#documents);
    this.#weights[holders] = weight;
    return weight;
  }
}

/** Returns the inverse document frequency of a weight. */
export function idfOf(weight: number): number {
  return weight / WEIGHT_SCALE;
}

/** Returns the integer score of a saturation and a weight. */
export function worthOf(saturation: number, weight: number): number {
  return Math.imul(saturation, weight) >>> KEPT_SHIFT;
}

function saturation(frequency: number, norm: number): number {
  return Math.round((SATURATION_SCALE * frequency * (K1 + 1)) / (frequency + norm));
}

/** By number of occurrences, the saturation in a passage, whose length does not count. */
export const PASSAGE_SATURATIONS = Int32Array.from({ length: 256 }, (_, count) => saturation(count, K1));

/** The lowest class that stands for several frequencies. */
const FIRST_INEXACT = 16;

/** Returns the saturation if all occurrences in the text are in one passage; there may be more of them than the class says. */
function maxPassageSaturation(frequency: number): number {
  return (
    PASSAGE_SATURATIONS[frequency < FIRST_INEXACT ? Math.floor(frequency) : PASSAGE_SATURATIONS.length - 1] ??
    0
  );
}

/** The number of steps to a doubling of the average length. Steps of about 1 % keep the table unchanged for many updates. */
const AVERAGE_STEPS = 64;

/** By class of a posting, the saturation for one average length. */
export class SaturationTable {
  readonly #values = new Int32Array(1 << CLASS_BITS);
  readonly #passageBounds = new Float64Array(1 << LENGTH_BITS);
  #step = NaN;

  /** Returns the table for documents with `total` terms together; valid until the next call. It depends on nothing else. */
  tableFor(total: number, documents: number): Int32Array {
    const step = Math.round(AVERAGE_STEPS * Math.log2(total / documents));
    if (step !== this.#step) {
      this.#step = step;
      this.#fill(2 ** (step / AVERAGE_STEPS));
    }
    return this.#values;
  }

  /**
   * Returns the maximum ratio of the score of a passage to that of its document of this length, for the last average length.
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
        bound = Math.max(bound, maxPassageSaturation(frequency) / value);
      });
      this.#passageBounds[at] = bound;
    });
  }
}
