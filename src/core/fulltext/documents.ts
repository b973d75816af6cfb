import { jsonBytes } from '../base/hash';
import type { Steps } from '../base/steps';
import { compareText, utf8Text } from '../base/text';
import { MAX_DOCUMENTS, widened } from './postings';

/** The number of paths in a group, which is one step of a few tenths of a millisecond. */
export const PATH_GROUP = 256;

/** The paths of an index file, as groups in JSON, which a host decodes faster than any code could. */
export class PathList {
  /** @param ends the end of each group in `bytes` */
  constructor(
    private readonly ends: Uint32Array,
    private readonly bytes: Uint8Array,
  ) {}

  get groups(): number {
    return this.ends.length;
  }

  /** Returns the paths of a group, in order. */
  group(at: number): readonly string[] {
    const group = this.bytes.subarray(at === 0 ? 0 : this.ends[at - 1], this.ends[at]);
    return JSON.parse(utf8Text(group)) as readonly string[]; // The checksum of the file vouches for the contents.
  }
}

/**
 * Yields the groups as bytes, padded to a multiple of eight. A lone surrogate, as a file name on Windows may have one, is
 * escaped.
 */
export function* packPaths(paths: readonly string[]): Generator<Uint8Array<ArrayBuffer>> {
  for (let from = 0; from < paths.length; from += PATH_GROUP)
    yield jsonBytes(JSON.stringify(paths.slice(from, from + PATH_GROUP)));
}

/** The properties of a document that a search can filter by. */
export interface Facets {
  /** The wing of the document, by a key that all spellings share. */
  readonly wing?: string | null;
  readonly hall?: string | null;
  readonly raw?: boolean;
}

/** A filter by facets. */
export interface FacetFilter {
  readonly wing?: string;
  readonly hall?: string;
  /** Excludes documents that nobody has reviewed. */
  readonly reviewed?: boolean;
}

/** The number of changes that are remembered. */
const RECENT = 256;

/** The documents of an index by number: items, paths, lengths and facets. A number that becomes free is used again. */
export class Documents<T extends { readonly path: string }> {
  readonly #facetsOf: (item: T) => Facets;
  readonly #most: number;
  readonly #items: (T | undefined)[] = [];
  readonly #facets: (Facets | undefined)[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];
  #lengths = new Uint32Array(256);
  #total = 0;
  #reviewed = 0;
  #changes = 0;
  /** The documents of the last changes. */
  readonly #changed = new Uint32Array(RECENT);

  /** @param most the maximum number of documents */
  constructor(facetsOf: (item: T) => Facets, most = MAX_DOCUMENTS) {
    this.#facetsOf = facetsOf;
    this.#most = most;
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** An upper bound (exclusive) of all document numbers. */
  get limit(): number {
    return this.#items.length;
  }

  /** The sum of the lengths of all documents. */
  get totalLength(): number {
    return this.#total;
  }

  /** The number of changes of documents so far. */
  get changes(): number {
    return this.#changes;
  }

  /** Returns the documents that changed since there were so many changes; null when that is too long ago to tell. */
  changedSince(changes: number): number[] | null {
    const count = this.#changes - changes;
    if (count > RECENT) return null;
    return Array.from({ length: count }, (_, at) => this.#changed[(changes + at) % RECENT] ?? 0);
  }

  /** The number of documents that are not raw. */
  get reviewed(): number {
    return this.#reviewed;
  }

  /** Returns true for a document that is not raw. */
  isReviewed(doc: number): boolean {
    return this.#facets[doc]?.raw !== true;
  }

  number(path: string): number | undefined {
    return this.#numbers.get(path);
  }

  item(doc: number): T | undefined {
    return this.#items[doc];
  }

  length(doc: number): number {
    return this.#lengths[doc] ?? 0;
  }

  /** Adds a document, or replaces the one with the same path. Returns its number. */
  put(item: T, length: number): number {
    const doc = this.number(item.path) ?? this.#newNumber();
    this.#release(doc);
    this.#set(doc, item, length);
    return doc;
  }

  /**
   * Fills an empty table with the documents of a file, numbered in the order of `paths`. Returns the numbers of the documents
   * without an item, which are free. A step is a group of paths.
   */
  *fill(
    paths: PathList,
    lengths: Uint32Array,
    itemOf: (path: string) => T | undefined,
  ): Steps<readonly number[]> {
    for (let group = 0; group < paths.groups; group += 1) {
      for (const path of paths.group(group)) {
        const doc = this.#items.length;
        const item = itemOf(path);
        this.#items.push(undefined);
        if (item === undefined) this.#free.push(doc);
        else this.#set(doc, item, lengths[doc] ?? 0);
      }
      yield;
    }
    return [...this.#free];
  }

  drop(path: string): void {
    const doc = this.number(path);
    if (doc === undefined) return;
    this.#release(doc);
    this.#numbers.delete(path);
    this.#items[doc] = undefined;
    this.#facets[doc] = undefined;
    this.#free.push(doc);
    this.#noteChange(doc);
  }

  /** Returns all numbers in use, in the order in which the documents came. */
  all(): Iterable<number> {
    return this.#numbers.values();
  }

  /** Compares two documents by path. */
  compare(a: number, b: number): number {
    return compareText(this.#items[a]?.path ?? '', this.#items[b]?.path ?? '');
  }

  /** Returns a test whether a document passes the filter. */
  filter({ wing, hall, reviewed = false }: FacetFilter): (doc: number) => boolean {
    const all = this.#facets;
    return (doc) => {
      const facets = all[doc];
      if (facets === undefined || (reviewed && facets.raw === true)) return false;
      return (wing === undefined || facets.wing === wing) && (hall === undefined || facets.hall === hall);
    };
  }

  #set(doc: number, item: T, length: number): void {
    if (doc >= this.#lengths.length) this.#lengths = widened(this.#lengths, doc * 2);
    this.#items[doc] = item;
    this.#facets[doc] = this.#facetsOf(item);
    this.#numbers.set(item.path, doc);
    this.#lengths[doc] = length;
    this.#total += length;
    if (this.isReviewed(doc)) this.#reviewed += 1;
    this.#noteChange(doc);
  }

  #noteChange(doc: number): void {
    this.#changed[this.#changes % RECENT] = doc;
    this.#changes += 1;
  }

  #newNumber(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#items.length >= this.#most)
      throw new RangeError(`An index holds at most ${this.#most} documents.`);
    return this.#items.push(undefined) - 1;
  }

  /** Takes a document out of the counts. */
  #release(doc: number): void {
    if (this.#items[doc] === undefined) return;
    this.#total -= this.length(doc);
    if (this.isReviewed(doc)) this.#reviewed -= 1;
  }
}
