import { Arena, OFFSET, PLACE, roomFor, WORDS } from './arena';
import { MANY_TERMS, roomAfter, widened } from './room';
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

/**
 * Where a term's list stands: the start of its place, how many postings there are, and for how many there is room. Most terms
 * have one posting, which stands where the start would, with room for none.
 */
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
  /** Every document in a list is below this. */
  #limit = 0;

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
    const from = this.from(term);
    return this.cells(term).subarray(from, from + this.count(term));
  }

  /** The cells in which the postings of a term stand, `count` of them from `from` on. Cheaper than a view, valid as long. */
  cells(term: number): Uint32Array {
    const place = term * LIST_PLACE;
    return this.#places[place + ROOM] === 0
      ? this.#places
      : this.#lists.block(this.#places[place + START] ?? 0);
  }

  from(term: number): number {
    const place = term * LIST_PLACE;
    return this.#places[place + ROOM] === 0 ? place + START : (this.#places[place + START] ?? 0) & OFFSET;
  }

  has(term: number, doc: number): boolean {
    const cells = this.cells(term);
    const from = this.from(term);
    const to = from + this.count(term);
    const at = positionOf(doc, cells, from, to);
    return at < to && docOf(cells[at] ?? 0) === doc;
  }

  /**
   * Says in what measure `doc` holds each of some distinct terms, whatever was said of them before.
   * @param measureOf the measure of the term at a place of `terms`
   */
  put(doc: number, terms: readonly number[], measureOf: (place: number) => number): void {
    // A document that is new mostly has the highest number: it comes last in every list, which need not be looked at for that.
    if (doc < this.#limit) {
      for (let at = 0; at < terms.length; at += 1) this.#set(terms[at] ?? 0, postingOf(doc, measureOf(at)));
      return;
    }
    this.#limit = doc + 1;
    for (let at = 0; at < terms.length; at += 1) {
      const place = (terms[at] ?? 0) * LIST_PLACE;
      this.#insert(place, this.#places[place + SIZE] ?? 0, postingOf(doc, measureOf(at)));
    }
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
    this.#giveBack(place);
    this.#places[place + ROOM] = 0;
    this.#terms -= 1;
  }

  /**
   * Takes over lists as a file keeps them: where they stand, as `placesFor` says, and the postings.
   * @param terms how many terms have any
   * @param longest how many postings the longest list has
   * @param limit what every document in a list is below
   */
  adopt(places: Uint32Array, postings: Uint32Array, terms: number, longest: number, limit: number): void {
    this.#limit = limit;
    this.#places = places;
    this.#terms = terms;
    this.#lists.adopt(postings, places, longest);
  }

  /** Puts a posting where it belongs in the list of a term, or in the place of that of the same document. */
  #set(term: number, posting: number): void {
    const cells = this.cells(term);
    const from = this.from(term);
    const to = from + this.count(term);
    const doc = docOf(posting);
    const at = positionOf(doc, cells, from, to);
    if (at < to && docOf(cells[at] ?? 0) === doc) cells[at] = posting;
    else this.#insert(term * LIST_PLACE, at - from, posting);
  }

  /** Puts a posting at a place of a list, before those that stand there. */
  #insert(place: number, at: number, posting: number): void {
    if (place + LIST_PLACE > this.#places.length) this.#widen(place);
    const size = this.#places[place + SIZE] ?? 0;
    this.#places[place + SIZE] = size + 1;
    if (size === 0) {
      this.#places[place + START] = posting;
      this.#terms += 1;
      return;
    }
    if (size >= (this.#places[place + ROOM] ?? 0)) this.#move(place, size);
    const start = this.#places[place + START] ?? 0;
    const cells = this.#lists.block(start);
    const to = (start & OFFSET) + at;
    if (at < size) cells.copyWithin(to + 1, to, to + size - at);
    cells[to] = posting;
  }

  #widen(place: number): void {
    const length = roomAfter(this.#places.length, MANY_TERMS * LIST_PLACE);
    this.#places = widened(this.#places, Math.max(length, place + LIST_PLACE));
  }

  /** Moves a list to where there is half as much room again, a long one to where there is an eighth more. */
  #move(place: number, size: number): void {
    const term = place / LIST_PLACE;
    const wanted = size + 1 + (size >>> (size > LONG ? 3 : 1));
    const moved = this.#lists.take(wanted);
    copyCells(this.cells(term), this.from(term), this.#lists.block(moved), moved & OFFSET, size);
    this.#giveBack(place);
    this.#places[place + START] = moved;
    this.#places[place + ROOM] = roomFor(wanted);
  }

  #giveBack(place: number): void {
    const room = this.#places[place + ROOM] ?? 0;
    if (room > 0) this.#lists.give(this.#places[place + START] ?? 0, room);
  }
}

/** A list of more postings grows in smaller steps: they are copied all at once, and room for more is room for many more. */
const LONG = 64;

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
