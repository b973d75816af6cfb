/**
 * Bits of a posting that hold the term frequency. Above 255 the formula is saturated, so more counts as 255.
 */
const TF_BITS = 8;
const MAX_TF = (1 << TF_BITS) - 1;
/** Documents that fit into the other bits: 16.7 million. */
export const MAX_DOCUMENTS = 2 ** (32 - TF_BITS);

/** The document of a posting. */
export function docOf(posting: number): number {
  return posting >>> TF_BITS;
}

/** The weighted frequency of the term in that document, 1 to 255. */
export function tfOf(posting: number): number {
  return posting & MAX_TF;
}

/** The posting that says that `doc` holds a term `tf` times. */
export function postingOf(doc: number, tf: number): number {
  return ((doc << TF_BITS) | Math.min(tf, MAX_TF)) >>> 0;
}

/**
 * Where a term's list stands: its first posting, how many there are, and `room` for 2^room. Four numbers a term (one is
 * spare), so that a look-up touches one line of the processor's cache.
 */
const PLACE = 4;
const START = 0;
const SIZE = 1;
const ROOM = 2;

/**
 * Postings stand in blocks of 2^16, a longer list in one of its own. So the whole never has to be copied to grow, which
 * would stop a write for milliseconds. A start names the block in its high bits and the place in it in the others.
 */
const BLOCK_BITS = 16;
const BLOCK = 1 << BLOCK_BITS;
const NO_BLOCK = new Uint32Array(0);

/**
 * For each term the documents that hold it, sorted by document, one 32-bit number a posting. Lists are edited in place; one
 * that outgrows its place moves to one of twice the room, and the old place is used again. Terms are small integers given
 * by the owner.
 */
export class Postings {
  readonly #blocks: Uint32Array[] = [];
  /** The block that new places are taken from, and the first free posting in it. */
  #open = -1;
  #end = BLOCK;
  #places = new Uint32Array(1024 * PLACE);
  /** Starts of places that are free, by room. */
  readonly #free: number[][] = [];
  #terms = 0;

  /** Number of terms that any document holds. */
  get terms(): number {
    return this.#terms;
  }

  /** Number of documents that hold the term. */
  count(term: number): number {
    return this.#places[term * PLACE + SIZE] ?? 0;
  }

  /** The postings of a term, sorted by document; a view that is valid until the next change. */
  of(term: number): Uint32Array {
    const start = this.#places[term * PLACE + START] ?? 0;
    const from = start & (BLOCK - 1);
    return this.#block(start).subarray(from, from + this.count(term));
  }

  has(term: number, doc: number): boolean {
    const list = this.of(term);
    const at = positionOf(doc, list);
    return at < list.length && docOf(list[at] ?? 0) === doc;
  }

  /** Says that `doc` holds the term `tf` times (at least 1), whatever was said before. */
  set(term: number, doc: number, tf: number): void {
    if ((term + 1) * PLACE > this.#places.length) this.#widen(term);
    const place = term * PLACE;
    const size = this.#places[place + SIZE] ?? 0;
    if (size === 0) this.#begin(place);
    const list = this.of(term);
    const before = positionOf(doc, list);
    if (before < size && docOf(list[before] ?? 0) === doc) {
      list[before] = postingOf(doc, tf);
      return;
    }
    if (size === 1 << (this.#places[place + ROOM] ?? 0)) this.#grow(place);
    const start = this.#places[place + START] ?? 0;
    const block = this.#block(start);
    const from = start & (BLOCK - 1);
    if (before < size) block.copyWithin(from + before + 1, from + before, from + size);
    block[from + before] = postingOf(doc, tf);
    this.#places[place + SIZE] = size + 1;
  }

  /** Says that `doc` does not hold the term. */
  remove(term: number, doc: number): void {
    const list = this.of(term);
    const at = positionOf(doc, list);
    if (at === list.length || docOf(list[at] ?? 0) !== doc) return;
    list.copyWithin(at, at + 1);
    const place = term * PLACE;
    this.#places[place + SIZE] = list.length - 1;
    if (list.length > 1) return;
    this.#give(this.#places[place + START] ?? 0, this.#places[place + ROOM] ?? 0);
    this.#terms -= 1;
  }

  #block(start: number): Uint32Array {
    return this.#blocks[start >>> BLOCK_BITS] ?? NO_BLOCK;
  }

  #widen(term: number): void {
    const larger = new Uint32Array(Math.max(this.#places.length * 2, (term + 1) * PLACE));
    larger.set(this.#places);
    this.#places = larger;
  }

  /** Gives a term without a list room for one posting. */
  #begin(place: number): void {
    this.#places[place + START] = this.#take(0);
    this.#places[place + ROOM] = 0;
    this.#terms += 1;
  }

  #grow(place: number): void {
    const [start = 0, size = 0, room = 0] = this.#places.subarray(place, place + PLACE);
    const from = start & (BLOCK - 1);
    const moved = this.#take(room + 1);
    this.#block(moved).set(this.#block(start).subarray(from, from + size), moved & (BLOCK - 1));
    this.#give(start, room);
    this.#places[place + START] = moved;
    this.#places[place + ROOM] = room + 1;
  }

  /** The start of a place for 2^room postings. */
  #take(room: number): number {
    const free = this.#free[room]?.pop();
    if (free !== undefined) return free;
    if (room >= BLOCK_BITS) return this.#newBlock(1 << room);
    if (BLOCK - this.#end < 1 << room) this.#giveRest();
    if (this.#end === BLOCK) {
      this.#open = this.#newBlock(BLOCK);
      this.#end = 0;
    }
    const start = this.#open + this.#end;
    this.#end += 1 << room;
    return start;
  }

  #newBlock(length: number): number {
    return (this.#blocks.push(new Uint32Array(length)) - 1) * BLOCK;
  }

  /** Sets free what is left of the open block, in the largest pieces that there are. */
  #giveRest(): void {
    while (this.#end < BLOCK) {
      const room = 31 - Math.clz32(BLOCK - this.#end);
      this.#give(this.#open + this.#end, room);
      this.#end += 1 << room;
    }
  }

  #give(start: number, room: number): void {
    (this.#free[room] ??= []).push(start);
  }
}

/** How many of the postings stand before `doc`. */
function positionOf(doc: number, list: Uint32Array): number {
  // A new document often has the highest number.
  if (list.length === 0 || docOf(list[list.length - 1] ?? 0) < doc) return list.length;
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (docOf(list[middle] ?? 0) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
