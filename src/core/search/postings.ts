import { Arena, OFFSET, PLACE, roomFor, WORDS } from './arena';
import { CLASS_BITS } from './scoring';

const CLASS_MASK = (1 << CLASS_BITS) - 1;
/** Documents that fit into the other bits of a posting: 2,097,152. */
export const MAX_DOCUMENTS = 2 ** (32 - CLASS_BITS);

/** The document of a posting. */
export function docOf(posting: number): number {
  return posting >>> CLASS_BITS;
}

/** How much of the term is in that document, as `classOf` in `scoring.ts` makes it. */
export function classIn(posting: number): number {
  return posting & CLASS_MASK;
}

/** The posting that says that `doc` holds a term in this measure. */
export function postingOf(doc: number, measure: number): number {
  return ((doc << CLASS_BITS) | measure) >>> 0;
}

/** Where a term's list stands: the start of its place, how many postings there are, and for how many there is room. */
const LIST_PLACE = PLACE;
const START = 0;
const SIZE = 1;
const ROOM = 2;

/**
 * For each term the documents that hold it, sorted by document, one 32-bit number a posting. Lists are edited in place; one
 * that outgrows its place moves to a larger one, and the old place is used again. Terms are small integers given by the owner.
 */
export class Postings {
  readonly #lists = new Arena(WORDS);
  #places: Uint32Array = new Uint32Array(16 * LIST_PLACE);
  #terms = 0;

  /** Number of terms that any document holds. */
  get terms(): number {
    return this.#terms;
  }

  /** Number of documents that hold the term. */
  count(term: number): number {
    return this.#places[term * LIST_PLACE + SIZE] ?? 0;
  }

  /** The postings of a term, sorted by document; a view that is valid until the next change. */
  of(term: number): Uint32Array {
    const start = this.#places[term * LIST_PLACE + START] ?? 0;
    const from = start & OFFSET;
    return this.#lists.block(start).subarray(from, from + this.count(term));
  }

  /** The cells in which the postings of a term stand, `count` of them from `from` on. Cheaper than a view. */
  cells(term: number): Uint32Array {
    return this.#lists.block(this.#places[term * LIST_PLACE + START] ?? 0);
  }

  from(term: number): number {
    return (this.#places[term * LIST_PLACE + START] ?? 0) & OFFSET;
  }

  has(term: number, doc: number): boolean {
    const start = this.#places[term * LIST_PLACE + START] ?? 0;
    const from = start & OFFSET;
    const to = from + this.count(term);
    const block = this.#lists.block(start);
    const at = positionOf(doc, block, from, to);
    return at < to && docOf(block[at] ?? 0) === doc;
  }

  /** Says in what measure `doc` holds the term, whatever was said before. */
  set(term: number, doc: number, measure: number): void {
    const place = term * LIST_PLACE;
    if (place + LIST_PLACE > this.#places.length) this.#widen(term);
    const size = this.#places[place + SIZE] ?? 0;
    if (size === 0) this.#begin(place);
    let start = this.#places[place + START] ?? 0;
    let block = this.#lists.block(start);
    const end = (start & OFFSET) + size;
    // A new document often has the highest number.
    const isLast = size === 0 || docOf(block[end - 1] ?? 0) < doc;
    const at = isLast ? end : positionOf(doc, block, end - size, end);
    if (at < end && docOf(block[at] ?? 0) === doc) {
      block[at] = postingOf(doc, measure);
      return;
    }
    let to = at;
    if (size === this.#places[place + ROOM]) {
      this.#move(place, size);
      start = this.#places[place + START] ?? 0;
      block = this.#lists.block(start);
      to = (start & OFFSET) + at - end + size;
    }
    if (!isLast) block.copyWithin(to + 1, to, (start & OFFSET) + size);
    block[to] = postingOf(doc, measure);
    this.#places[place + SIZE] = size + 1;
  }

  /** Says that `doc` does not hold the term. */
  remove(term: number, doc: number): void {
    const list = this.of(term);
    const at = positionOf(doc, list, 0, list.length);
    if (at === list.length || docOf(list[at] ?? 0) !== doc) return;
    list.copyWithin(at, at + 1);
    const place = term * LIST_PLACE;
    this.#places[place + SIZE] = list.length - 1;
    if (list.length > 1) return;
    this.#lists.give(this.#places[place + START] ?? 0, this.#places[place + ROOM] ?? 0);
    this.#terms -= 1;
  }

  /**
   * Takes over lists as a file keeps them: where they stand, as `placesFor` says, and the postings.
   * @param terms how many terms have any
   * @param longest how many postings the longest list has
   */
  adopt(places: Uint32Array, postings: Uint32Array, terms: number, longest: number): void {
    this.#places = places;
    this.#terms = terms;
    this.#lists.adopt(postings, places, longest);
  }

  #widen(term: number): void {
    const larger = new Uint32Array(Math.max(this.#places.length * 2, (term + 1) * LIST_PLACE));
    larger.set(this.#places);
    this.#places = larger;
  }

  /** Gives a term without a list room for one posting. */
  #begin(place: number): void {
    this.#places[place + START] = this.#lists.take(1);
    this.#places[place + ROOM] = 1;
    this.#terms += 1;
  }

  /** Moves a list to where there is half as much room again. */
  #move(place: number, size: number): void {
    const start = this.#places[place + START] ?? 0;
    const wanted = size + 1 + (size >>> 1);
    const moved = this.#lists.take(wanted);
    copyCells(this.#lists.block(start), start & OFFSET, this.#lists.block(moved), moved & OFFSET, size);
    this.#lists.give(start, this.#places[place + ROOM] ?? 0);
    this.#places[place + START] = moved;
    this.#places[place + ROOM] = roomFor(wanted);
  }
}

/** Most lists are short, and a view of one costs more than to copy a few numbers. */
const SHORT = 16;

function copyCells(from: Uint32Array, at: number, to: Uint32Array, place: number, size: number): void {
  if (size > SHORT) to.set(from.subarray(at, at + size), place);
  else for (let cell = 0; cell < size; cell += 1) to[place + cell] = from[at + cell] ?? 0;
}

/** The first place between two of a list at which no document below `doc` stands. */
function positionOf(doc: number, list: Uint32Array, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (docOf(list[middle] ?? 0) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
