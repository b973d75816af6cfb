import { Arena, HALF_WORDS, OFFSET, PLACE, roomFor } from './arena';
import type { TermStream } from './term-stream';

/** Where a document's stream stands: the start of its place, how many units it has, and for how many there is room. */
const STREAM_PLACE = PLACE;
const START = 0;
const SIZE = 1;
const ROOM = 2;

/** The streams of all documents: what a change has to take back is read from here, and so is the text for a second look. */
export class Streams {
  readonly #streams = new Arena(HALF_WORDS);
  #places: Uint32Array = new Uint32Array(16 * STREAM_PLACE);

  /** A document's stream; a view that is valid until the next change. */
  of(doc: number): TermStream {
    const start = this.#places[doc * STREAM_PLACE + START] ?? 0;
    const from = start & OFFSET;
    return this.#streams.block(start).subarray(from, from + this.size(doc));
  }

  /** Where a document's stream begins: at `start & OFFSET` of `block(start)`. */
  start(doc: number): number {
    return this.#places[doc * STREAM_PLACE + START] ?? 0;
  }

  block(start: number): TermStream {
    return this.#streams.block(start);
  }

  /** Number of units. */
  size(doc: number): number {
    return this.#places[doc * STREAM_PLACE + SIZE] ?? 0;
  }

  /** Keeps a copy in the place of what was kept before. */
  set(doc: number, stream: TermStream): void {
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
