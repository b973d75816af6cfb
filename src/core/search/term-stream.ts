/** Stands between the fields of a document, so that no phrase reaches from one into the next. */
export const FIELD_END = 0;

/**
 * A document's terms in the order of its text, seven bits a byte, low bits first, the high bit set on all but
 * a number's last byte.
 */
export type TermStream = Uint8Array;

/** Packs term numbers; the frequent ones are the first met, so most take one or two bytes. */
export function packTerms(terms: readonly number[]): TermStream {
  let size = 0;
  for (const term of terms)
    size += term < 0x80 ? 1 : term < 0x4000 ? 2 : term < 0x200000 ? 3 : term < 0x10000000 ? 4 : 5;
  const stream = new Uint8Array(size);
  let at = 0;
  for (const term of terms) {
    let rest = term;
    while (rest >= 0x80) {
      stream[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    stream[at++] = rest;
  }
  return stream;
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
 * True when the terms hold the places of a phrase one after the other; each place names the terms that may
 * fill it.
 */
export function holdsPhrase(terms: readonly number[], places: readonly ReadonlySet<number>[]): boolean {
  return terms.some((_, at) =>
    places.every((fillers, offset) => fillers.has(terms[at + offset] ?? FIELD_END)),
  );
}
