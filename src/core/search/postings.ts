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

/** Where a list stands: it has room for 2^room postings, of which `size` are in use. */
interface Place {
  start: number;
  size: number;
  room: number;
}

/**
 * For each term the documents that hold it, sorted by document, one 32-bit number a posting. All lists stand
 * in one typed array and are edited in place; a list that outgrows its place moves to one of twice the room,
 * and the old place is used again. Terms are small integers given by the owner.
 */
export class Postings {
  #data = new Uint32Array(1024);
  #end = 0;
  readonly #places: (Place | undefined)[] = [];
  readonly #free: number[][] = [];

  /** Number of documents that hold the term. */
  count(term: number): number {
    return this.#places[term]?.size ?? 0;
  }

  /** The postings of a term, sorted by document; a view that is valid until the next change. */
  of(term: number): Uint32Array {
    const place = this.#places[term];
    return place === undefined
      ? new Uint32Array(0)
      : this.#data.subarray(place.start, place.start + place.size);
  }

  has(term: number, doc: number): boolean {
    const place = this.#places[term];
    return place !== undefined && this.#holds(place, this.#find(place, doc), doc);
  }

  /** Says that `doc` holds the term `tf` times (at least 1), whatever was said before. */
  set(term: number, doc: number, tf: number): void {
    const posting = postingOf(doc, tf);
    const place = (this.#places[term] ??= { start: this.#take(0), size: 0, room: 0 });
    const at = this.#find(place, doc);
    if (!this.#holds(place, at, doc)) {
      if (place.size === 1 << place.room) this.#grow(place);
      const from = place.start + at;
      this.#data.copyWithin(from + 1, from, place.start + place.size);
      place.size += 1;
    }
    this.#data[place.start + at] = posting;
  }

  /** Says that `doc` does not hold the term. */
  remove(term: number, doc: number): void {
    const place = this.#places[term];
    if (place === undefined) return;
    const at = this.#find(place, doc);
    if (!this.#holds(place, at, doc)) return;
    const from = place.start + at;
    this.#data.copyWithin(from, from + 1, place.start + place.size);
    place.size -= 1;
    if (place.size > 0) return;
    this.#give(place);
    this.#places[term] = undefined;
  }

  /** How many postings of the place stand before `doc`. */
  #find(place: Place, doc: number): number {
    let low = 0;
    let high = place.size;
    // A new document has the highest number, so this is the common case.
    if (high === 0 || docOf(this.#at(place, high - 1)) < doc) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (docOf(this.#at(place, middle)) < doc) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #holds(place: Place, at: number, doc: number): boolean {
    return at < place.size && docOf(this.#at(place, at)) === doc;
  }

  #at(place: Place, index: number): number {
    return this.#data[place.start + index] ?? 0;
  }

  #grow(place: Place): void {
    const start = this.#take(place.room + 1);
    this.#data.copyWithin(start, place.start, place.start + place.size);
    this.#give(place);
    place.start = start;
    place.room += 1;
  }

  #take(room: number): number {
    const free = this.#free[room]?.pop();
    if (free !== undefined) return free;
    const start = this.#end;
    this.#end += 1 << room;
    if (this.#end > this.#data.length) {
      const larger = new Uint32Array(Math.max(this.#end, this.#data.length * 2));
      larger.set(this.#data);
      this.#data = larger;
    }
    return start;
  }

  #give(place: Place): void {
    (this.#free[place.room] ??= []).push(place.start);
  }
}
