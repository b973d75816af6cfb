import type { Steps } from '../steps';
import { NameTable } from './name-table';
import type { PathList } from './path-list';
import { PathOrder, type Place } from './path-order';
import { MAX_DOCUMENTS } from './postings';

/** What a search may ask of a document beside its text. */
export interface Facets {
  /** The wing it belongs to, by a name that all spellings of it share. */
  readonly wing?: string | null;
  readonly hall?: string | null;
  /** True until a person has reviewed it. */
  readonly raw?: boolean;
}

/** Which documents a search may find. */
export interface FacetFilter {
  readonly wing?: string;
  readonly hall?: string;
  /** Leaves out documents that nobody has reviewed. */
  readonly reviewed?: boolean;
}

/** In a document's kind: set when it is raw. The other bits are the number of its hall. */
const RAW = 0x80;

/**
 * Numbers of documents that are gone are used again only when there are more of them than this and an eighth of the others, or
 * when no others are left.
 */
const MAX_HOLES = 64;

/** The documents of an index by small numbers: paths, lengths, and what a search may be limited to. */
export class Documents<T extends { readonly path: string }> {
  readonly #facetsOf: (item: T) => Facets;
  readonly #most: number;
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];
  #lengths = new Uint32Array(256);
  #wings = new Uint32Array(256);
  #kinds = new Uint8Array(256);
  readonly #wingNames = new NameTable(MAX_DOCUMENTS + 1);
  readonly #hallNames = new NameTable(RAW);
  readonly #order = new PathOrder((doc) => this.#items[doc]?.path ?? '');
  #total = 0;

  /** @param most how many documents there may be */
  constructor(facetsOf: (item: T) => Facets, most = MAX_DOCUMENTS) {
    this.#facetsOf = facetsOf;
    this.#most = most;
  }

  /** Number of documents. */
  get size(): number {
    return this.#order.size;
  }

  /** Every number of a document is below this. */
  get limit(): number {
    return this.#items.length;
  }

  /** The lengths of all documents together. */
  get totalLength(): number {
    return this.#total;
  }

  number(path: string): number | undefined {
    return this.place(path).doc;
  }

  item(doc: number): T | undefined {
    return this.#items[doc];
  }

  length(doc: number): number {
    return this.#lengths[doc] ?? 0;
  }

  /** Where a path stands or belongs; valid until the next document comes or goes. */
  place(path: string): Place {
    return this.#order.place(path);
  }

  /** Adds a document at the place of its path, or replaces the one with the same path; its number. */
  put(item: T, length: number, place = this.place(item.path)): number {
    const doc = place.doc ?? this.#newNumber();
    this.#leave(doc);
    this.#set(doc, item, length);
    if (place.doc === undefined) this.#order.add(doc, place);
    return doc;
  }

  /**
   * Fills an empty table with the documents of a file, numbered as `paths` come, which is in their order.
   * Returns the numbers of those for which there is no item, which are free then. A step is a group of them.
   */
  *fill(
    paths: PathList,
    lengths: Uint32Array,
    itemOf: (path: string) => T | undefined,
  ): Steps<readonly number[]> {
    this.#widen(lengths.length);
    let doc = 0;
    for (let group = 0; group < paths.groups; group += 1) {
      const there: number[] = [];
      for (const path of paths.group(group)) {
        const item = itemOf(path);
        this.#items.push(item);
        if (item === undefined) this.#free.push(doc);
        else {
          this.#set(doc, item, lengths[doc] ?? 0);
          there.push(doc);
        }
        doc += 1;
      }
      this.#order.append(there);
      yield;
    }
    return [...this.#free];
  }

  drop(path: string): void {
    const { doc } = this.place(path);
    if (doc === undefined) return;
    this.#leave(doc);
    this.#order.delete(doc);
    this.#items[doc] = undefined;
    this.#free.push(doc);
  }

  /** All numbers in use, in the order of their paths. */
  byPath(): number[] {
    return this.#order.docs();
  }

  /** Order of the paths of two documents. */
  compare(a: number, b: number): number {
    return this.#order.compare(a, b);
  }

  /** A test whether a document passes the filter; null when none does. */
  filter({ wing, hall, reviewed = false }: FacetFilter): ((doc: number) => boolean) | null {
    const inWing = wing === undefined ? 0 : this.#wingNames.get(wing);
    const inHall = hall === undefined ? 0 : this.#hallNames.get(hall);
    if (inWing === undefined || inHall === undefined) return null;
    const mask = (inHall === 0 ? 0 : RAW - 1) | (reviewed ? RAW : 0);
    const wings = this.#wings;
    const kinds = this.#kinds;
    if (inWing === 0) return (doc) => ((kinds[doc] ?? 0) & mask) === inHall;
    return (doc) => wings[doc] === inWing && ((kinds[doc] ?? 0) & mask) === inHall;
  }

  #set(doc: number, item: T, length: number): void {
    const { wing = null, hall = null, raw = false } = this.#facetsOf(item);
    this.#items[doc] = item;
    this.#lengths[doc] = length;
    this.#wings[doc] = this.#wingNames.take(wing);
    this.#kinds[doc] = this.#hallNames.take(hall) | (raw ? RAW : 0);
    this.#total += length;
  }

  #newNumber(): number {
    const isFull = this.#items.length >= this.#most;
    const reused = isFull || this.#free.length > MAX_HOLES + this.size / 8 ? this.#free.pop() : undefined;
    if (isFull && reused === undefined)
      throw new RangeError(`An index holds at most ${this.#most} documents.`);
    const doc = reused ?? this.#items.length;
    if (doc >= this.#lengths.length) this.#widen(doc * 2);
    if (reused === undefined) this.#items.push(undefined);
    return doc;
  }

  /** Takes away what is known of a document. */
  #leave(doc: number): void {
    if (this.#items[doc] === undefined) return;
    this.#wingNames.release(this.#wings[doc] ?? 0);
    this.#hallNames.release((this.#kinds[doc] ?? 0) & (RAW - 1));
    this.#total -= this.#lengths[doc] ?? 0;
  }

  /** Makes room for so many documents, unless there is. */
  #widen(length: number): void {
    if (length <= this.#lengths.length) return;
    const [lengths, wings, kinds] = [this.#lengths, this.#wings, this.#kinds];
    this.#lengths = new Uint32Array(length);
    this.#wings = new Uint32Array(length);
    this.#kinds = new Uint8Array(length);
    this.#lengths.set(lengths);
    this.#wings.set(wings);
    this.#kinds.set(kinds);
  }
}
