import { NameTable } from './name-table';
import type { PathList } from './path-list';
import { PathOrder } from './path-order';
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

/** Items of so many documents are asked for in one step. */
const STEP = 256;

/** In a document's kind: set when it is raw. The other bits are the number of its hall. */
const RAW = 0x80;

/** Numbers of documents that are gone are used again only when there are more of them than this and an eighth of the others. */
const MAX_HOLES = 64;

/** Documents that came from a file, numbered as their paths come. */
interface Adopted<T> {
  readonly paths: PathList;
  readonly itemOf: (path: string) => T | undefined;
  /** Those below this are settled. */
  settled: number;
  /** Those of them for which there is no item. */
  readonly missing: number[];
}

/** The documents of an index by small numbers: paths, lengths, and what a search may be limited to. */
export class Documents<T extends { readonly path: string }> {
  readonly #facetsOf: (item: T) => Facets;
  readonly #numbers = new Map<string, number>();
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];
  #lengths = new Uint32Array(256);
  #wings = new Uint32Array(256);
  #kinds = new Uint8Array(256);
  readonly #wingNames = new NameTable(MAX_DOCUMENTS + 1);
  readonly #hallNames = new NameTable(RAW);
  readonly #order = new PathOrder((doc) => this.#items[doc]?.path ?? '');
  #total = 0;
  /** Null when all documents are settled. */
  #adopted: Adopted<T> | null = null;

  constructor(facetsOf: (item: T) => Facets) {
    this.#facetsOf = facetsOf;
  }

  /** Number of documents. */
  get size(): number {
    return this.#adopted?.paths.size ?? this.#numbers.size;
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
    return this.#numbers.get(path);
  }

  item(doc: number): T | undefined {
    const item = this.#items[doc];
    if (item !== undefined || this.#adopted === null || doc >= this.#adopted.paths.size) return item;
    return (this.#items[doc] = this.#adopted.itemOf(this.#adopted.paths.at(doc)));
  }

  length(doc: number): number {
    return this.#lengths[doc] ?? 0;
  }

  /** Adds a document, or replaces the one with the same path; its number. */
  put(item: T, length: number): number {
    const known = this.#numbers.get(item.path);
    const doc = known ?? this.#newNumber();
    this.#leave(doc);
    this.#set(doc, item, length);
    if (known === undefined) this.#order.add(doc);
    return doc;
  }

  /**
   * Fills an empty table, numbered as `paths` come, which is in their order. The item of a document is asked for when it is
   * first needed. Until `settle` has said that all are settled, only what needs neither the number of a path nor facets may be
   * asked, and nothing changed.
   */
  adopt(paths: PathList, lengths: Uint32Array, itemOf: (path: string) => T | undefined): void {
    if (paths.size === 0) return;
    this.#widen(lengths.length);
    this.#lengths.set(lengths);
    for (let doc = 0; doc < lengths.length; doc += 1) this.#total += lengths[doc] ?? 0;
    this.#items.length = paths.size;
    this.#adopted = { paths, itemOf, settled: 0, missing: [] };
  }

  /** True when all documents have been asked for their items. */
  get isSettled(): boolean {
    return this.#adopted === null;
  }

  /**
   * Asks for the items of some documents that were adopted. Null while there are others; at the end the numbers of those for
   * which there is no item, which are free then.
   */
  settle(): readonly number[] | null {
    if (this.#adopted === null) return [];
    const { paths, itemOf, settled, missing } = this.#adopted;
    const end = Math.min(paths.size, settled + STEP);
    const there: number[] = [];
    for (const [at, path] of paths.between(settled, end).entries()) {
      const doc = settled + at;
      const length = this.length(doc);
      const item = this.#items[doc] ?? itemOf(path);
      this.#total -= length;
      if (item === undefined) missing.push(doc);
      else {
        this.#set(doc, item, length);
        there.push(doc);
      }
    }
    this.#order.append(there);
    this.#adopted.settled = end;
    if (end < paths.size) return null;
    for (const doc of missing) this.#free.push(doc);
    this.#adopted = null;
    return missing;
  }

  drop(path: string): void {
    const doc = this.#numbers.get(path);
    if (doc === undefined) return;
    this.#leave(doc);
    this.#order.delete(doc);
    this.#items[doc] = undefined;
    this.#numbers.delete(path);
    this.#free.push(doc);
  }

  /** All numbers in use, in the order of their paths. */
  byPath(): number[] {
    return this.#order.docs();
  }

  /** Order of the paths of two documents. */
  compare(a: number, b: number): number {
    return this.#adopted === null ? this.#order.compare(a, b) : a - b;
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
    this.#numbers.set(item.path, doc);
  }

  #newNumber(): number {
    const reused = this.#free.length > MAX_HOLES + this.size / 8 ? this.#free.pop() : undefined;
    const doc = reused ?? this.#items.length;
    if (doc >= MAX_DOCUMENTS) throw new RangeError(`An index holds at most ${MAX_DOCUMENTS} documents.`);
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
