import { LONG_TERM, longTerm, TermPacker } from './streams';

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
