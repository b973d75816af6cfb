import { CLASS_BITS } from './scoring';

const BLOCK_BITS = 16;
/** The number of cells in a block. An extent of as many or more has a block of its own. */
export const BLOCK = 1 << BLOCK_BITS;
/** Mask of the offset within a block in the start of an extent; the other bits are the number of the block. */
export const OFFSET = BLOCK - 1;

/** There are eight sizes of extents in each doubling, and every size below 16. */
const OCTAVE_BITS = 3;
const OF_OCTAVE = 1 << OCTAVE_BITS;
const SMALL = 2 * OF_OCTAVE;

/** Words that an owner keeps for an extent: its start, the cells in use, and the cells it has. */
export const EXTENT = 3;

/** How to make, view and copy cells. */
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
 * Allocates small extents from blocks. It never copies one large array to grow, which would block a write for milliseconds. A
 * freed extent is reused for its own size, of which there are eight in each doubling; an extent with a block of its own is
 * released. The start of an extent is a 32-bit number.
 */
export class BlockAllocator<A extends { readonly length: number }> {
  readonly #kind: CellKind<A>;
  readonly #none: A;
  readonly #blocks: A[] = [];
  /** The numbers of released blocks. */
  readonly #released: number[] = [];
  /** The block that new extents are taken from, and its first free cell. */
  #open = 0;
  #end = BLOCK;
  /** The starts of free extents, by size. */
  readonly #free: number[][] = [];

  constructor(kind: CellKind<A>) {
    this.#kind = kind;
    this.#none = kind.make(0);
  }

  /** Returns the block of an extent, which begins at `start & OFFSET` in it. */
  block(start: number): A {
    return this.#blocks[start >>> BLOCK_BITS] ?? this.#none;
  }

  /** Returns the start of an extent for at least one and at least `cells` cells; it has `roomFor(cells)`. */
  allocate(cells: number): number {
    const size = sizeFor(cells);
    const room = cellsOf(size);
    const free = this.#free[size]?.pop();
    if (free !== undefined) return free;
    if (room >= BLOCK) return this.#newBlock(room);
    if (BLOCK - this.#end < room) this.#freeRest();
    if (this.#end === BLOCK) {
      this.#open = this.#newBlock(BLOCK);
      this.#end = 0;
    }
    const start = this.#open + this.#end;
    this.#end += room;
    return start;
  }

  /** Frees an extent of this many cells, which need not be a size that `allocate` gives. */
  free(start: number, cells: number): void {
    if (cells < BLOCK) {
      (this.#free[sizeWithin(cells)] ??= []).push(start);
      return;
    }
    // An extent with its own block: hardly any other needs just this size.
    const block = start >>> BLOCK_BITS;
    this.#blocks[block] = this.#none;
    this.#released.push(block);
  }

  /**
   * Takes over cells that already hold extents, laid out as `extentsFor` says.
   * @param longest the length of the longest extent (cells)
   */
  adopt(cells: A, extents: Uint32Array, longest: number): void {
    for (let from = 0; from < cells.length; from += BLOCK) {
      this.#blocks.push(this.#kind.view(cells, from, Math.min(from + BLOCK, cells.length)));
    }
    if (longest <= BLOCK) return;
    for (let at = 0; at < extents.length; at += EXTENT) {
      const [start, size] = [extents[at] ?? 0, extents[at + 1] ?? 0];
      if (size > BLOCK) this.#blocks[start >>> BLOCK_BITS] = this.#kind.view(cells, start, start + size);
    }
  }

  #newBlock(length: number): number {
    const block = this.#released.pop() ?? this.#blocks.length;
    this.#blocks[block] = this.#kind.make(length);
    return block * BLOCK;
  }

  /** Frees the rest of the open block, in extents as large as possible. */
  #freeRest(): void {
    while (this.#end < BLOCK) {
      const room = cellsOf(sizeWithin(BLOCK - this.#end));
      this.free(this.#open + this.#end, room);
      this.#end += room;
    }
  }
}

/**
 * Returns the start of an extent of `cells` cells after one that ends at `at`. It crosses a block border only if it is longer
 * than a block.
 */
export function nextStart(at: number, cells: number): number {
  return (at & OFFSET) + cells > BLOCK && (at & OFFSET) !== 0 ? (at | OFFSET) + 1 : at;
}

/** Lays out `count` extents one after the other, without spare room. Returns the extents and the length of the longest. */
export function extentsFor(
  count: number,
  sizeOf: (at: number) => number,
): { readonly extents: Uint32Array; readonly longest: number } {
  const extents = new Uint32Array(count * EXTENT);
  let end = 0;
  let longest = 0;
  for (let at = 0; at < count; at += 1) {
    const size = sizeOf(at);
    if (size === 0) continue;
    const start = nextStart(end, size);
    extents[at * EXTENT] = start;
    extents[at * EXTENT + 1] = size;
    extents[at * EXTENT + 2] = size;
    end = start + size;
    longest = Math.max(longest, size);
  }
  return { extents, longest };
}

/** Returns the number of cells of an extent that was taken for `cells`. */
export function roomFor(cells: number): number {
  return cellsOf(sizeFor(cells));
}

/** Returns the index of the largest size within `cells`. Sizes are 1 to 16 cells, then 18, 20 … 32, 36, 40 … 64, 72 …. */
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

/** Returns the index of the smallest size that holds `cells`. */
function sizeFor(cells: number): number {
  const size = sizeWithin(cells);
  return cellsOf(size) === cells ? size : size + 1;
}

function cellsOf(size: number): number {
  if (size < SMALL) return size + 1;
  const beyond = size - SMALL + 1;
  return (OF_OCTAVE + (beyond & (OF_OCTAVE - 1))) << ((beyond >> OCTAVE_BITS) + 1);
}

/** The number of terms of a large vault, of about 20,000 notes. */
export const MANY_TERMS = 1 << 18;

/**
 * Returns the next length of an array that grows with the vocabulary: double, or, from a 32nd of `many` on, at least `many`
 * at once. Node and the app commit only memory that is written to, while every outgrown array leaves a hole in the heap; such
 * holes were a tenth of what an index kept right after its build. It does not suit arrays that are written all over, such as
 * hash tables.
 */
export function nextCapacity(length: number, many: number): number {
  return length * 32 < many ? length * 2 : Math.max(length * 2, many);
}

/** Returns a longer copy of an array, with zeros at the end. */
export function widened(numbers: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(length);
  wider.set(numbers);
  return wider;
}

const CLASS_MASK = (1 << CLASS_BITS) - 1;
/** The number of documents that the other bits of a posting can hold: 2,097,152. */
export const MAX_DOCUMENTS = 2 ** (32 - CLASS_BITS);

export function docOf(posting: number): number {
  return posting >>> CLASS_BITS;
}

/** Returns the class of a posting: frequency and document length, as `classesFor` in `scoring.ts` makes it. */
export function classIn(posting: number): number {
  return posting & CLASS_MASK;
}

/** Returns the posting of `doc` with the class `measure`. */
export function postingOf(doc: number, measure: number): number {
  return ((doc << CLASS_BITS) | measure) >>> 0;
}

/** A range of postings, sorted by document unless it says otherwise. */
export interface PostingRange {
  readonly cells: Uint32Array;
  readonly from: number;
  readonly to: number;
}

/**
 * The extent of a posting list: start, number of postings, room. Most terms have one posting, which replaces the start and
 * has room 0.
 */
const LIST_EXTENT = EXTENT;
const START = 0;
const SIZE = 1;
const ROOM = 2;

/**
 * An inverted index: for each term its postings, sorted by document, each one 32-bit number. Lists are edited in place; one
 * that outgrows its extent moves to a larger one, and the old extent is reused. The owner numbers the terms.
 */
export class Postings {
  readonly #lists = new BlockAllocator(WORDS);
  #extents: Uint32Array = new Uint32Array(16 * LIST_EXTENT);
  #terms = 0;
  /** An upper bound (exclusive) of the documents in all lists. */
  #limit = 0;

  /** The number of terms that some document holds. */
  get terms(): number {
    return this.#terms;
  }

  /** Returns the number of documents that hold the term. */
  count(term: number): number {
    return this.#extents[term * LIST_EXTENT + SIZE] ?? 0;
  }

  /** Returns the postings of a term, sorted by document: a view that is valid until the next change. */
  of(term: number): Uint32Array {
    const from = this.from(term);
    return this.cells(term).subarray(from, from + this.count(term));
  }

  /**
   * Returns the cells that hold the postings of a term, `count` of them from `from` on. Cheaper than a view; valid until the
   * next change.
   */
  cells(term: number): Uint32Array {
    const row = term * LIST_EXTENT;
    return this.#extents[row + ROOM] === 0
      ? this.#extents
      : this.#lists.block(this.#extents[row + START] ?? 0);
  }

  from(term: number): number {
    const row = term * LIST_EXTENT;
    return this.#extents[row + ROOM] === 0 ? row + START : (this.#extents[row + START] ?? 0) & OFFSET;
  }

  /** Returns the postings of a term, valid until the next change. */
  range(term: number): PostingRange {
    const from = this.from(term);
    return { cells: this.cells(term), from, to: from + this.count(term) };
  }

  has(term: number, doc: number): boolean {
    const cells = this.cells(term);
    const from = this.from(term);
    const to = from + this.count(term);
    const at = positionOf(doc, cells, from, to);
    return at < to && docOf(cells[at] ?? 0) === doc;
  }

  /**
   * Sets the class of distinct terms in `doc`, and replaces what was set before.
   * @param measureOf returns the class of the term at an index of `terms`
   */
  put(doc: number, terms: readonly number[], measureOf: (index: number) => number): void {
    // A new document usually has the highest number, so its posting is appended without a search.
    if (doc < this.#limit) {
      for (let at = 0; at < terms.length; at += 1) this.#set(terms[at] ?? 0, postingOf(doc, measureOf(at)));
      return;
    }
    this.#limit = doc + 1;
    for (let at = 0; at < terms.length; at += 1) {
      const row = (terms[at] ?? 0) * LIST_EXTENT;
      this.#insert(row, this.#extents[row + SIZE] ?? 0, postingOf(doc, measureOf(at)));
    }
  }

  /** Removes the posting of `doc` from the list of a term, if there is one. */
  remove(term: number, doc: number): void {
    const list = this.of(term);
    const at = positionOf(doc, list, 0, list.length);
    if (at === list.length || docOf(list[at] ?? 0) !== doc) return;
    list.copyWithin(at, at + 1);
    const row = term * LIST_EXTENT;
    this.#extents[row + SIZE] = list.length - 1;
    if (list.length > 1) return;
    this.#freeExtent(row);
    this.#extents[row + ROOM] = 0;
    this.#terms -= 1;
  }

  /**
   * Takes over posting lists from a file.
   * @param extents the extents of the lists, as `extentsFor` lays them out
   * @param terms the number of terms with postings
   * @param longest the length of the longest list (postings)
   * @param limit an upper bound (exclusive) of the documents
   */
  adopt(extents: Uint32Array, postings: Uint32Array, terms: number, longest: number, limit: number): void {
    this.#limit = limit;
    this.#extents = extents;
    this.#terms = terms;
    this.#lists.adopt(postings, extents, longest);
  }

  /** Inserts a posting at its place in the list of a term, or replaces that of the same document. */
  #set(term: number, posting: number): void {
    const cells = this.cells(term);
    const from = this.from(term);
    const to = from + this.count(term);
    const doc = docOf(posting);
    const at = positionOf(doc, cells, from, to);
    if (at < to && docOf(cells[at] ?? 0) === doc) cells[at] = posting;
    else this.#insert(term * LIST_EXTENT, at - from, posting);
  }

  /** Inserts a posting at an index of a list. */
  #insert(row: number, at: number, posting: number): void {
    if (row + LIST_EXTENT > this.#extents.length) this.#widen(row);
    const size = this.#extents[row + SIZE] ?? 0;
    this.#extents[row + SIZE] = size + 1;
    if (size === 0) {
      this.#extents[row + START] = posting;
      this.#terms += 1;
      return;
    }
    if (size >= (this.#extents[row + ROOM] ?? 0)) this.#move(row, size);
    const start = this.#extents[row + START] ?? 0;
    const cells = this.#lists.block(start);
    const to = (start & OFFSET) + at;
    if (at < size) cells.copyWithin(to + 1, to, to + size - at);
    cells[to] = posting;
  }

  #widen(row: number): void {
    const length = nextCapacity(this.#extents.length, MANY_TERMS * LIST_EXTENT);
    this.#extents = widened(this.#extents, Math.max(length, row + LIST_EXTENT));
  }

  /** Moves a list to an extent with half as much spare room, or an eighth for a long one. */
  #move(row: number, size: number): void {
    const term = row / LIST_EXTENT;
    const wanted = size + 1 + (size >>> (size > LONG ? 3 : 1));
    const moved = this.#lists.allocate(wanted);
    copyCells(this.cells(term), this.from(term), this.#lists.block(moved), moved & OFFSET, size);
    this.#freeExtent(row);
    this.#extents[row + START] = moved;
    this.#extents[row + ROOM] = roomFor(wanted);
  }

  #freeExtent(row: number): void {
    const room = this.#extents[row + ROOM] ?? 0;
    if (room > 0) this.#lists.free(this.#extents[row + START] ?? 0, room);
  }
}

/**
 * The length (postings) above which a list grows by a smaller share: it is copied in one piece, and its spare room is large
 * anyway.
 */
const LONG = 64;

/** The maximum length of a list (postings) that is copied faster by a loop than through a view. */
const SHORT = 16;

function copyCells(from: Uint32Array, at: number, to: Uint32Array, offset: number, size: number): void {
  if (size > SHORT) to.set(from.subarray(at, at + size), offset);
  else for (let cell = 0; cell < size; cell += 1) to[offset + cell] = from[at + cell] ?? 0;
}

/** Returns the index of the first posting of `doc` or a later document between two indexes. */
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
