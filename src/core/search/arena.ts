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
export class Arena<A extends { readonly length: number }> {
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
