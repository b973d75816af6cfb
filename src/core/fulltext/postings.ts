import { CLASS_BITS } from './scoring';

const BLOCK_BITS = 16;
/** Places stand in blocks of so many cells; one of as many or more has a block of its own. */
export const BLOCK = 1 << BLOCK_BITS;
/** The part of a start that is the place within its block; the rest is the number of the block. */
export const OFFSET = BLOCK - 1;

/** Of places there are so many sizes to each doubling, and below twice that every one. */
const OCTAVE_BITS = 3;
const OF_OCTAVE = 1 << OCTAVE_BITS;
const SMALL = 2 * OF_OCTAVE;

/** What owners keep of a place: where it starts, how many of its cells are in use, and how many it has. */
export const PLACE = 3;

/** What cells are kept in. */
export interface CellKind<A> {
  make(length: number): A;
  view(cells: A, from: number, to: number): A;
  copy(from: A, to: A, at: number): void;
}

/** Cells of 16 bits. */
export const HALF_WORDS: CellKind<Uint16Array> = {
  make: (length) => new Uint16Array(length),
  view: (cells, from, to) => cells.subarray(from, to),
  copy: (from, to, at) => to.set(from, at),
};

/** Cells of 32 bits. */
export const WORDS: CellKind<Uint32Array> = {
  make: (length) => new Uint32Array(length),
  view: (cells, from, to) => cells.subarray(from, to),
  copy: (from, to, at) => to.set(from, at),
};

/**
 * Hands out places of few cells each. The whole never has to be copied to grow, which would stop a write for milliseconds. A
 * place that is given back is used again for one of its own size, of which there are eight to each doubling; a block of its
 * own is let go of. The start of a place is one number of 32 bits.
 */
export class BlockAllocator<A extends { readonly length: number }> {
  readonly #kind: CellKind<A>;
  readonly #none: A;
  readonly #blocks: A[] = [];
  /** Numbers of blocks that are gone. */
  readonly #gone: number[] = [];
  /** The block that new places are taken from, and the first free cell in it. */
  #open = 0;
  #end = BLOCK;
  /** Starts of places that are free, by size. */
  readonly #free: number[][] = [];

  constructor(kind: CellKind<A>) {
    this.#kind = kind;
    this.#none = kind.make(0);
  }

  /** The block of a place, which begins in it at `start & OFFSET`. */
  block(start: number): A {
    return this.#blocks[start >>> BLOCK_BITS] ?? this.#none;
  }

  /** The start of a place for at least `cells` cells, at least one; `roomFor(cells)` are there. */
  take(cells: number): number {
    const size = sizeFor(cells);
    const room = cellsOf(size);
    const free = this.#free[size]?.pop();
    if (free !== undefined) return free;
    if (room >= BLOCK) return this.#newBlock(room);
    if (BLOCK - this.#end < room) this.#giveRest();
    if (this.#end === BLOCK) {
      this.#open = this.#newBlock(BLOCK);
      this.#end = 0;
    }
    const start = this.#open + this.#end;
    this.#end += room;
    return start;
  }

  /** Gives back a place of so many cells, which need not be a size that `take` knows. */
  give(start: number, cells: number): void {
    if (cells < BLOCK) {
      (this.#free[sizeWithin(cells)] ??= []).push(start);
      return;
    }
    // It has its block for itself, and hardly anyone needs another of just this size.
    const block = start >>> BLOCK_BITS;
    this.#blocks[block] = this.#none;
    this.#gone.push(block);
  }

  /**
   * Takes over cells that hold places already, one after the other as `placesFor` says.
   * @param longest how many cells the longest of them has
   */
  adopt(cells: A, places: Uint32Array, longest: number): void {
    for (let from = 0; from < cells.length; from += BLOCK) {
      this.#blocks.push(this.#kind.view(cells, from, Math.min(from + BLOCK, cells.length)));
    }
    if (longest <= BLOCK) return;
    for (let at = 0; at < places.length; at += PLACE) {
      const [start, size] = [places[at] ?? 0, places[at + 1] ?? 0];
      if (size > BLOCK) this.#blocks[start >>> BLOCK_BITS] = this.#kind.view(cells, start, start + size);
    }
  }

  #newBlock(length: number): number {
    const block = this.#gone.pop() ?? this.#blocks.length;
    this.#blocks[block] = this.#kind.make(length);
    return block * BLOCK;
  }

  /** Sets free what is left of the open block, in the largest pieces that there are. */
  #giveRest(): void {
    while (this.#end < BLOCK) {
      const room = cellsOf(sizeWithin(BLOCK - this.#end));
      this.give(this.#open + this.#end, room);
      this.#end += room;
    }
  }
}

/** Where a place of so many cells begins when those before it end at `at`: it does not cross into a block unless it must. */
export function laidOut(at: number, cells: number): number {
  return (at & OFFSET) + cells > BLOCK && (at & OFFSET) !== 0 ? (at | OFFSET) + 1 : at;
}

/** Places of things that stand one after the other, each with as much room as it needs, and how long the longest is. */
export function placesFor(
  count: number,
  sizeOf: (at: number) => number,
): { readonly places: Uint32Array; readonly longest: number } {
  const places = new Uint32Array(count * PLACE);
  let end = 0;
  let longest = 0;
  for (let at = 0; at < count; at += 1) {
    const size = sizeOf(at);
    if (size === 0) continue;
    const start = laidOut(end, size);
    places[at * PLACE] = start;
    places[at * PLACE + 1] = size;
    places[at * PLACE + 2] = size;
    end = start + size;
    longest = Math.max(longest, size);
  }
  return { places, longest };
}

/** How many cells a place has that was taken for so many. */
export function roomFor(cells: number): number {
  return cellsOf(sizeFor(cells));
}

/** Sizes are 1 to 16 cells, then 18, 20 … 32, 36, 40 … 64, 72 …; this is the number of the largest within `cells`. */
function sizeWithin(cells: number): number {
  if (cells < SMALL) return cells - 1;
  const octave = 31 - Math.clz32(cells);
  return (
    OF_OCTAVE * (octave - OCTAVE_BITS - 1) +
    ((cells >>> (octave - OCTAVE_BITS)) & (OF_OCTAVE - 1)) +
    SMALL -
    1
  );
}

/** The number of the smallest size that holds so many cells. */
function sizeFor(cells: number): number {
  const size = sizeWithin(cells);
  return cellsOf(size) === cells ? size : size + 1;
}

function cellsOf(size: number): number {
  if (size < SMALL) return size + 1;
  const beyond = size - SMALL + 1;
  return (OF_OCTAVE + (beyond & (OF_OCTAVE - 1))) << ((beyond >> OCTAVE_BITS) + 1);
}

/** Terms of a vault of many notes: those of some 20,000. */
export const MANY_TERMS = 1 << 18;

/**
 * How long an array that grows with the vocabulary becomes when it has too little room: twice as long, and from a 32nd of
 * `many` on as long as a vault of many notes needs it, at once. Node and the app give room to what is written only, while
 * every array that was outgrown leaves a hole behind, and holes were a tenth of what an index kept right after its build. Not
 * for arrays that are written all over, such as tables of hashes that stay.
 */
export function nextCapacity(length: number, many: number): number {
  return length * 32 < many ? length * 2 : Math.max(length * 2, many);
}

/** The same numbers in a longer array, zeros behind them. */
export function widened(numbers: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(length);
  wider.set(numbers);
  return wider;
}

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
  readonly #lists = new BlockAllocator(WORDS);
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
    const length = nextCapacity(this.#places.length, MANY_TERMS * LIST_PLACE);
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
