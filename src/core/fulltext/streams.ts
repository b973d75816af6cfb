import { BlockAllocator, EXTENT, HALF_WORDS, OFFSET, roomFor } from './postings';

/** Ends a field in a stream, so that no phrase matches across fields. */
export const FIELD_END = 0;

/**
 * A unit of at least this value is the first of two: it holds the quotient of the term number by LONG_TERM, and the next unit
 * the remainder, which is below LONG_TERM. So the unit before tells whether a unit is a first or second one. Nearly all of a
 * text is terms that were met early; their small numbers take one unit.
 */
export const LONG_TERM = 0xf800;

/** An upper bound (exclusive) of term numbers. */
export const MAX_TERM_NUMBER = LONG_TERM * (0x10000 - LONG_TERM);

/** Returns the number of a term of two units. */
export function longTerm(first: number, second: number): number {
  return (first - LONG_TERM) * LONG_TERM + second;
}

/**
 * The terms of a document in text order, each field ended by FIELD_END. Another FIELD_END stands before the text, if other
 * fields precede it, and one behind the text, before the properties. Nowhere else are two adjacent, but about an empty text.
 */
export type TokenStream = Uint16Array;

/** Returns true if a field ends at an offset; its unit may also be the second one of a term. */
export function endsField(units: TokenStream, from: number, at: number): boolean {
  return units[at] === FIELD_END && (at === from || (units[at - 1] ?? 0) < LONG_TERM);
}

/** Returns the end of the text of a document between two offsets, behind which its properties stand. */
export function endOfText(units: TokenStream, from: number, end: number): number {
  let at = end - 1;
  while (at > from && !(endsField(units, from, at) && endsField(units, from, at - 1))) at -= 1;
  return Math.max(at, from);
}

/** Returns the term whose last unit is at `at`; FIELD_END before the start of the stream. */
export function termEnding(units: TokenStream, at: number): number {
  const unit = units[at] ?? FIELD_END;
  const before = units[at - 1] ?? 0;
  return before < LONG_TERM ? unit : longTerm(before, unit);
}

/** Returns the number of units that a term takes. */
export function unitsOf(term: number): number {
  return term < LONG_TERM ? 1 : 2;
}

/** Encodes term numbers one after the other. */
export class TermPacker {
  #units = new Uint16Array(16);
  #size = 0;

  /** The number of units added since the last `take` or `clear`. */
  get size(): number {
    return this.#size;
  }

  /** Adds a number below MAX_TERM_NUMBER. */
  add(term: number): void {
    if (this.#size + 2 > this.#units.length) this.#grow();
    // Without a branch: large numbers come late, and the engine would recompile this in the middle of reading a vault.
    const first = (term / LONG_TERM) | 0;
    const size = this.#size + (-first >>> 31);
    this.#units[this.#size] = LONG_TERM + first;
    this.#units[size] = term - first * LONG_TERM;
    this.#size = size + 1;
  }

  /** Discards what was added. */
  clear(): void {
    this.#size = 0;
  }

  /** Returns what was added since the last `take` or `clear`. */
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

/** Returns all term numbers in order. */
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

// These loops over streams take a good part of the time of a search. Each is a function of its own, because the engine
// compiles them better than loops inside others.

/** Writes the offsets between `from` and `end` of units with a mark to `offsets`, and returns their number. */
export function listMarked(
  marks: Uint8Array,
  units: TokenStream,
  from: number,
  end: number,
  offsets: Uint32Array,
): number {
  let count = 0;
  for (let at = from; at < end; at += 1) if (marks[units[at] ?? 0] !== 0) offsets[count++] = at;
  return count;
}

/** Returns the number of two-unit terms that begin between two offsets. */
export function longTermsIn(units: TokenStream, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if ((units[at] ?? 0) >= LONG_TERM) count += 1;
  return count;
}

/** Returns the end of the first `terms` terms. */
export function endOfTerms(units: TokenStream, from: number, end: number, terms: number): number {
  let at = from;
  // As many units hold as many terms, except for the second units among them, which the next round makes up for.
  for (let left = terms; left > 0;) {
    const next = Math.min(end, at + left);
    if (next === end) return end;
    left = longTermsIn(units, Math.max(from, at - 1), next - 1);
    at = next;
  }
  return at > from && (units[at - 1] ?? 0) >= LONG_TERM ? at + 1 : at;
}

/** Words of an extent of a stream: start, number of units, room. */
const STREAM_EXTENT = EXTENT;
const START = 0;
const SIZE = 1;
const ROOM = 2;

/**
 * The streams of all documents. A change reads from them what to remove, and reranking and phrases read the terms in order.
 */
export class Streams {
  readonly #streams = new BlockAllocator(HALF_WORDS);
  #extents: Uint32Array = new Uint32Array(16 * STREAM_EXTENT);

  /** Returns the stream of a document: a view that is valid until the next change. */
  of(doc: number): TokenStream {
    const start = this.#extents[doc * STREAM_EXTENT + START] ?? 0;
    const from = start & OFFSET;
    return this.#streams.block(start).subarray(from, from + this.size(doc));
  }

  /** Returns the start of a document's stream, which is at `start & OFFSET` of `block(start)`. */
  start(doc: number): number {
    return this.#extents[doc * STREAM_EXTENT + START] ?? 0;
  }

  block(start: number): TokenStream {
    return this.#streams.block(start);
  }

  /** Returns the length of a document's stream (units). */
  size(doc: number): number {
    return this.#extents[doc * STREAM_EXTENT + SIZE] ?? 0;
  }

  /** Stores a copy of a stream, in place of an earlier one. */
  set(doc: number, stream: TokenStream): void {
    this.drop(doc);
    if ((doc + 1) * STREAM_EXTENT > this.#extents.length) this.#widen();
    if (stream.length === 0) return;
    const row = doc * STREAM_EXTENT;
    const start = this.#streams.allocate(stream.length);
    this.#streams.block(start).set(stream, start & OFFSET);
    this.#extents[row + START] = start;
    this.#extents[row + SIZE] = stream.length;
    this.#extents[row + ROOM] = roomFor(stream.length);
  }

  drop(doc: number): void {
    if (this.size(doc) === 0) return;
    const row = doc * STREAM_EXTENT;
    this.#streams.free(this.#extents[row + START] ?? 0, this.#extents[row + ROOM] ?? 0);
    this.#extents[row + SIZE] = 0;
  }

  /**
   * Takes over streams from a file.
   * @param extents the extents of the streams, as `extentsFor` lays them out
   * @param longest the length of the longest stream (units)
   */
  adopt(extents: Uint32Array, units: Uint16Array, longest: number): void {
    this.#extents = extents;
    this.#streams.adopt(units, extents, longest);
  }

  #widen(): void {
    const larger = new Uint32Array(this.#extents.length * 2 + STREAM_EXTENT);
    larger.set(this.#extents);
    this.#extents = larger;
  }
}

/**
 * The compounds among the terms of a document (`github` after `git` and `hub`), and the gaps, where other characters
 * separate words of scripts without spaces. Each entry is one number: the distance from the previous entry in
 * units of the stream, and a kind.
 */
export type TermShape = Uint16Array;

/** The kind of a gap: the word that begins here is separated from the one before it. */
export const GAP = 0;
/** The maximum span of a compound. One with more parts is found by its parts only. */
export const MAX_SPAN = 61;
const TOO_LONG = 62;
/** The kind of an entry that only adds to the distance. */
const SKIP = 63;
const KINDS = 64;
const FARTHEST = 1 << 20;
const BEYOND = 0x7fffffff;

/** Encodes the shape of a document. */
export class ShapePacker {
  readonly #packer = new TermPacker();
  #last = 0;

  clear(): void {
    this.#packer.clear();
    this.#last = 0;
  }

  /** @param at the first unit of the term */
  addGap(at: number): void {
    this.#add(at, GAP);
  }

  /**
   * @param at the last unit of the term
   * @param span the number of its parts
   */
  addCompound(at: number, span: number): void {
    this.#add(at, span > MAX_SPAN ? TOO_LONG : span);
  }

  take(): TermShape {
    this.#last = 0;
    return this.#packer.take();
  }

  #add(at: number, kind: number): void {
    for (; at - this.#last > FARTHEST; this.#last += FARTHEST) this.#packer.add(FARTHEST * KINDS + SKIP);
    this.#packer.add((at - this.#last) * KINDS + kind);
    this.#last = at;
  }
}

/** Iterates over the shape of a document. */
export class ShapeWalk {
  /** The offset of the entry in the stream of the document; beyond any offset after the last entry. */
  at = 0;
  /** APART, or the span of a compound; more than MAX_SPAN for one that phrases do not find. */
  kind = GAP;
  readonly #shape: TermShape;
  #next = 0;

  /** Starts at the first entry. */
  constructor(shape: TermShape) {
    this.#shape = shape;
    this.next();
  }

  next(): void {
    do {
      const unit = this.#shape[this.#next];
      if (unit === undefined) {
        this.at = BEYOND;
        return;
      }
      const isLong = unit >= LONG_TERM;
      const number = isLong ? longTerm(unit, this.#shape[this.#next + 1] ?? 0) : unit;
      this.#next += isLong ? 2 : 1;
      this.kind = number % KINDS;
      this.at += (number - this.kind) / KINDS;
    } while (this.kind === SKIP);
  }
}
