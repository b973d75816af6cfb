/** Stands between the fields of a document, so that no phrase reaches from one into the next. */
export const FIELD_END = 0;

/**
 * A document's terms in the order of its text, seven bits a byte, low bits first, the high bit set on all but
 * a number's last byte.
 */
export type TermStream = Uint8Array;

/** Packs term numbers, one after the other; the frequent ones are the first met, so most take one or two bytes. */
export class TermPacker {
  #bytes = new Uint8Array(1 << 12);
  #size = 0;

  /** Adds a number below 2^32. */
  add(term: number): void {
    // No number takes more than five bytes.
    if (this.#size + 5 > this.#bytes.length) this.#grow();
    let rest = term;
    while (rest >= 0x80) {
      this.#bytes[this.#size++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#size++] = rest;
  }

  /** What was added since the last time. */
  take(): TermStream {
    const stream = this.#bytes.slice(0, this.#size);
    this.#size = 0;
    return stream;
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** All term numbers in order. */
export function unpackTerms(stream: TermStream): number[] {
  const terms: number[] = [];
  let term = 0;
  let shift = 0;
  for (const byte of stream) {
    term |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    terms.push(term >>> 0);
    term = 0;
    shift = 0;
  }
  return terms;
}

/**
 * True when the terms hold the places of a phrase, of which there is at least one, one after the other; each place names the
 * terms that may fill it. Every beginning of the phrase that fits so far is one bit of `open` (Baeza-Yates and Gonnet, A New
 * Approach to Text Searching, 1992), so the work is one step a term for every 32 places, whatever nearly fits.
 */
export function holdsPhrase(terms: readonly number[], places: readonly ReadonlySet<number>[]): boolean {
  const size = Math.ceil(places.length / 32);
  const fitting = new Map<number, Uint32Array>();
  places.forEach((fillers, place) => {
    for (const term of fillers) {
      const bits = fitting.get(term) ?? new Uint32Array(size);
      bits[place >>> 5] = (bits[place >>> 5] ?? 0) | (1 << (place & 31));
      fitting.set(term, bits);
    }
  });
  const open = new Uint32Array(size);
  const last = 1 << ((places.length - 1) & 31);
  for (const term of terms) {
    const bits = fitting.get(term);
    if (bits === undefined) {
      open.fill(0);
      continue;
    }
    let carry = 1;
    for (let word = 0; word < size; word += 1) {
      const before = open[word] ?? 0;
      open[word] = ((before << 1) | carry) & (bits[word] ?? 0);
      carry = before >>> 31;
    }
    if (((open[size - 1] ?? 0) & last) !== 0) return true;
  }
  return false;
}
