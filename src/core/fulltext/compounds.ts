import { LONG_TERM, longTerm, TermPacker } from './streams';

/**
 * What the terms of a document do not say: which of them are wholes (`github` behind `git` and `hub`), and where words of a
 * script without spaces stand apart. Each is one number: how many units of the stream it is behind the one before it, and
 * what it is.
 */
export type TermShape = Uint16Array;

/** The word that begins there stands apart from the one before it. */
export const APART = 0;
/** A whole of more parts is found by them alone. */
export const MAX_SPAN = 61;
const TOO_LONG = 62;
/** Only leads to what is far away. */
const NOTHING = 63;
const KINDS = 64;
const FARTHEST = 1 << 20;
const BEYOND = 0x7fffffff;

/** Packs the shape of a document. */
export class ShapePacker {
  readonly #packer = new TermPacker();
  #last = 0;

  clear(): void {
    this.#packer.clear();
    this.#last = 0;
  }

  /** @param at the unit with which the term begins */
  addApart(at: number): void {
    this.#add(at, APART);
  }

  /**
   * @param at the last unit of the term
   * @param span how many parts it holds together
   */
  addWhole(at: number, span: number): void {
    this.#add(at, span > MAX_SPAN ? TOO_LONG : span);
  }

  take(): TermShape {
    this.#last = 0;
    return this.#packer.take();
  }

  #add(at: number, kind: number): void {
    for (; at - this.#last > FARTHEST; this.#last += FARTHEST) this.#packer.add(FARTHEST * KINDS + NOTHING);
    this.#packer.add((at - this.#last) * KINDS + kind);
    this.#last = at;
  }
}

/** Goes over the shape of a document. */
export class ShapeWalk {
  /** Where in the stream of the document: beyond any when there is nothing more. */
  at = 0;
  /** APART, or how many parts a whole holds together; more than MAX_SPAN for one that is not to be found. */
  kind = APART;
  readonly #shape: TermShape;
  #next = 0;

  /** Stands at the first. */
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
    } while (this.kind === NOTHING);
  }
}
