import { BlockAllocator, HALF_WORDS, OFFSET, PLACE, roomFor } from './postings';

/** Stands between the fields of a document, so that no phrase reaches from one into the next. */
export const FIELD_END = 0;

/**
 * A unit from here on says that a term takes two: how often its number holds LONG_TERM, and in the next unit, which is below
 * that, the rest. So every unit can be told apart by what stands before it, and nearly all of a text is terms that were met
 * early, whose small numbers take one.
 */
export const LONG_TERM = 0xf800;

/** Terms have numbers below this. */
export const MAX_TERM_NUMBER = LONG_TERM * (0x10000 - LONG_TERM);

/** The number of a term of two units. */
export function longTerm(first: number, second: number): number {
  return (first - LONG_TERM) * LONG_TERM + second;
}

/**
 * A document's terms in the order of its text, fields ended by FIELD_END. Where there are several, the last one is the text: a
 * second FIELD_END stands before it, and none before that beside another.
 */
export type TokenStream = Uint16Array;

/** The term whose last unit stands there; FIELD_END before the beginning. */
export function termEnding(units: TokenStream, at: number): number {
  const unit = units[at] ?? FIELD_END;
  const before = units[at - 1] ?? 0;
  return before < LONG_TERM ? unit : longTerm(before, unit);
}

/** How many units a term takes. */
export function unitsOf(term: number): number {
  return term < LONG_TERM ? 1 : 2;
}

/** Packs term numbers, one after the other. */
export class TermPacker {
  #units = new Uint16Array(16);
  #size = 0;

  /** Units that were added since they were last taken or forgotten. */
  get size(): number {
    return this.#size;
  }

  /** Adds a number below MAX_TERM_NUMBER. */
  add(term: number): void {
    if (this.#size + 2 > this.#units.length) this.#grow();
    // Without a branch: large numbers come late, and the engine would have to make its code of this anew in the middle of a
    // vault.
    const first = (term / LONG_TERM) | 0;
    const size = this.#size + (-first >>> 31);
    this.#units[this.#size] = LONG_TERM + first;
    this.#units[size] = term - first * LONG_TERM;
    this.#size = size + 1;
  }

  /** Forgets what was added. */
  clear(): void {
    this.#size = 0;
  }

  /** What was added since it was last taken or forgotten. */
  take(): TokenStream {
    const stream = this.#units.slice(0, this.#size);
    this.#size = 0;
    return stream;
  }

  #grow(): void {
    const larger = new Uint16Array(this.#units.length * 2);
    larger.set(this.#units);
    this.#units = larger;
  }
}

/** All term numbers in order. */
export function unpackTerms(stream: TokenStream): number[] {
  const terms: number[] = [];
  eachTermOf(stream, (term) => terms.push(term));
  return terms;
}

/** Calls `visit` with every term number in order. */
export function eachTermOf(stream: TokenStream, visit: (term: number) => void): void {
  for (let at = 0; at < stream.length; at += 1) {
    const unit = stream[at] ?? 0;
    if (unit < LONG_TERM) visit(unit);
    else visit(longTerm(unit, stream[++at] ?? 0));
  }
}

// Loops over the streams of documents: they take a good part of the time of a search, so each is a function of its own, of
// which the engine makes better code than of a loop inside another.

const TO_CARRY = (1 << 16) - LONG_TERM;

/**
 * Lists the places between `from` and `end` whose units have a mark; how many there are. Four units at a time, nearly all of
 * which have none; those fours are listed in which one has, and gone through then. Both without a branch, because a processor
 * that guesses wrong which way to go loses as much time as a dozen units take: what is listed is written down at once, and
 * stays when the count goes on.
 * @param fours room for a quarter as many numbers as units
 */
export function listMarked(
  marks: Uint8Array,
  units: TokenStream,
  from: number,
  end: number,
  places: Uint32Array,
  fours: Uint32Array,
): number {
  let listed = 0;
  let at = from;
  for (const last = end - 3; at < last; at += 4) {
    const any =
      (marks[units[at] ?? 0] ?? 0) |
      (marks[units[at + 1] ?? 0] ?? 0) |
      (marks[units[at + 2] ?? 0] ?? 0) |
      (marks[units[at + 3] ?? 0] ?? 0);
    fours[listed] = at;
    listed += (any + 0xff) >>> 8;
  }
  let count = 0;
  for (let four = 0; four < listed; four += 1) {
    const first = fours[four] ?? 0;
    places[count] = first;
    count += ((marks[units[first] ?? 0] ?? 0) + 0xff) >>> 8;
    places[count] = first + 1;
    count += ((marks[units[first + 1] ?? 0] ?? 0) + 0xff) >>> 8;
    places[count] = first + 2;
    count += ((marks[units[first + 2] ?? 0] ?? 0) + 0xff) >>> 8;
    places[count] = first + 3;
    count += ((marks[units[first + 3] ?? 0] ?? 0) + 0xff) >>> 8;
  }
  for (; at < end; at += 1) {
    places[count] = at;
    count += ((marks[units[at] ?? 0] ?? 0) + 0xff) >>> 8;
  }
  return count;
}

/** How many terms of two units begin between two places: a unit of theirs is the only one that reaches 2^16 with this added. */
export function longTermsIn(units: TokenStream, from: number, to: number): number {
  let count = 0;
  let at = from;
  for (const last = to - 3; at < last; at += 4) {
    count +=
      (((units[at] ?? 0) + TO_CARRY) >>> 16) +
      (((units[at + 1] ?? 0) + TO_CARRY) >>> 16) +
      (((units[at + 2] ?? 0) + TO_CARRY) >>> 16) +
      (((units[at + 3] ?? 0) + TO_CARRY) >>> 16);
  }
  for (; at < to; at += 1) count += ((units[at] ?? 0) + TO_CARRY) >>> 16;
  return count;
}

/** Where the first so many terms end. */
export function endOfTerms(units: TokenStream, from: number, end: number, terms: number): number {
  let at = from;
  // So many units begin as many terms, but for those among them that are the second ones of their terms.
  for (let left = terms; left > 0;) {
    const next = Math.min(end, at + left);
    if (next === end) return end;
    left = longTermsIn(units, Math.max(from, at - 1), next - 1);
    at = next;
  }
  return at > from && (units[at - 1] ?? 0) >= LONG_TERM ? at + 1 : at;
}

/** Where a document's stream stands: the start of its place, how many units it has, and for how many there is room. */
const STREAM_PLACE = PLACE;
const START = 0;
const SIZE = 1;
const ROOM = 2;

/** The streams of all documents: what a change has to take back is read from here, and so is the text for a second look. */
export class Streams {
  readonly #streams = new BlockAllocator(HALF_WORDS);
  #places: Uint32Array = new Uint32Array(16 * STREAM_PLACE);

  /** A document's stream; a view that is valid until the next change. */
  of(doc: number): TokenStream {
    const start = this.#places[doc * STREAM_PLACE + START] ?? 0;
    const from = start & OFFSET;
    return this.#streams.block(start).subarray(from, from + this.size(doc));
  }

  /** Where a document's stream begins: at `start & OFFSET` of `block(start)`. */
  start(doc: number): number {
    return this.#places[doc * STREAM_PLACE + START] ?? 0;
  }

  block(start: number): TokenStream {
    return this.#streams.block(start);
  }

  /** Number of units. */
  size(doc: number): number {
    return this.#places[doc * STREAM_PLACE + SIZE] ?? 0;
  }

  /** Keeps a copy in the place of what was kept before. */
  set(doc: number, stream: TokenStream): void {
    this.drop(doc);
    if ((doc + 1) * STREAM_PLACE > this.#places.length) this.#widen();
    if (stream.length === 0) return;
    const place = doc * STREAM_PLACE;
    const start = this.#streams.take(stream.length);
    this.#streams.block(start).set(stream, start & OFFSET);
    this.#places[place + START] = start;
    this.#places[place + SIZE] = stream.length;
    this.#places[place + ROOM] = roomFor(stream.length);
  }

  drop(doc: number): void {
    if (this.size(doc) === 0) return;
    const place = doc * STREAM_PLACE;
    this.#streams.give(this.#places[place + START] ?? 0, this.#places[place + ROOM] ?? 0);
    this.#places[place + SIZE] = 0;
  }

  /**
   * Takes over streams as a file keeps them: where they stand, as `placesFor` says, and their units.
   * @param longest how many units the longest has
   */
  adopt(places: Uint32Array, units: Uint16Array, longest: number): void {
    this.#places = places;
    this.#streams.adopt(units, places, longest);
  }

  #widen(): void {
    const larger = new Uint32Array(this.#places.length * 2 + STREAM_PLACE);
    larger.set(this.#places);
    this.#places = larger;
  }
}
