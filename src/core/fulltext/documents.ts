import { jsonBytes } from '../base/hash';
import type { Steps } from '../base/steps';
import { utf8Text } from '../base/text';
import { NameTable } from './names';
import { MAX_DOCUMENTS } from './postings';

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

/**
 * The maximum length of a run. A longer one is split; it bounds the number of places to update when a document is added or
 * removed.
 */
const LONGEST_RUN = 256;

/** Documents with consecutive paths. */
interface Run {
  /** The index of the run in the list of runs. */
  rank: number;
  /** The documents, one for each path. It has room for one more than `LONGEST_RUN`, after which the run is split. */
  readonly docs: Uint32Array;
  /** The paths of the documents, so that a binary search need not look up each document. */
  readonly paths: string[];
}

/** The position at which a path is, or belongs. */
interface RunPosition {
  /** The document with this path, or undefined. */
  readonly doc: number | undefined;
  readonly rank: number;
  readonly at: number;
}

function newRun(rank: number, docs: ArrayLike<number> = [], paths: string[] = []): Run {
  const run = { rank, docs: new Uint32Array(LONGEST_RUN + 1), paths };
  run.docs.set(docs);
  return run;
}

const EMPTY = newRun(0);

/**
 * Documents sorted by path: finds them by path, and compares two without comparing paths. A map of paths would take more
 * memory, and filling it at load would take longer than all the rest of the index.
 */
export class PathOrder {
  readonly #pathOf: (doc: number) => string;
  #runs: Run[] = [];
  /** The first path of each run, which is a lower bound of its paths (except in the first run). */
  #firsts: string[] = [];
  /** By document, its run. */
  readonly #runOf: (Run | undefined)[] = [];
  #places = new Uint16Array(256);
  #size = 0;

  /** @param pathOf returns the path of a document, which must not change while the document is in here */
  constructor(pathOf: (doc: number) => string) {
    this.#pathOf = pathOf;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns a negative number if `a` sorts before `b` by path, a positive one if after, 0 only for the same document. */
  compare(a: number, b: number): number {
    const [first, second] = [this.#runOf[a], this.#runOf[b]];
    if (first === second) return (this.#places[a] ?? 0) - (this.#places[b] ?? 0);
    return (first?.rank ?? -1) - (second?.rank ?? -1);
  }

  /** Returns the position of a path; valid until the next change. */
  place(path: string): RunPosition {
    const below = countBelow(this.#firsts, path);
    const rank = this.#firsts[below] === path ? below : Math.max(0, below - 1);
    const { docs, paths } = this.#runs[rank] ?? EMPTY;
    const at = countBelow(paths, path);
    return { doc: paths[at] === path ? docs[at] : undefined, rank, at };
  }

  /** Adds a new document at the position of its path, which no other document has. */
  add(doc: number, { rank, at }: RunPosition): void {
    if (doc >= this.#places.length) this.#widen(doc);
    const run = (this.#runs[rank] ??= newRun(rank));
    const path = this.#pathOf(doc);
    run.docs.copyWithin(at + 1, at, run.paths.length);
    run.docs[at] = doc;
    run.paths.splice(at, 0, path);
    if (at === 0) this.#firsts[rank] = path;
    this.#size += 1;
    this.#runOf[doc] = run;
    this.#updatePlaces(run, at);
    if (run.paths.length > LONGEST_RUN) this.#split(run);
  }

  /** Adds documents sorted by path, all of which sort after those already here. */
  append(docs: readonly number[]): void {
    for (let from = 0; from < docs.length; from += LONGEST_RUN) {
      const part = docs.slice(from, from + LONGEST_RUN);
      const run = newRun(this.#runs.length, part, part.map(this.#pathOf));
      this.#runs.push(run);
      this.#firsts.push(run.paths[0] ?? '');
      this.#size += part.length;
      this.#indexRun(run);
    }
  }

  /** Removes a document that is here. */
  delete(doc: number): void {
    const run = this.#runOf[doc];
    if (run === undefined) return;
    const at = this.#places[doc] ?? 0;
    run.docs.copyWithin(at, at + 1, run.paths.length);
    run.paths.splice(at, 1);
    if (at === 0) this.#firsts[run.rank] = run.paths[0] ?? '';
    this.#size -= 1;
    this.#runOf[doc] = undefined;
    if (run.paths.length > 0) this.#updatePlaces(run, at);
    else this.#setRuns(this.#runs.filter((each) => each !== run));
  }

  docs(): number[] {
    return this.#runs.flatMap(({ docs, paths }) => [...docs.subarray(0, paths.length)]);
  }

  /** Splits a run: at its end if it is the last run, so that runs filled in order are full; else in the middle. */
  #split(run: Run): void {
    const isLast = run.rank === this.#runs.length - 1;
    const left = isLast ? LONGEST_RUN : LONGEST_RUN >>> 1;
    const rest = newRun(0, run.docs.subarray(left, run.paths.length), run.paths.splice(left));
    this.#indexRun(rest);
    this.#setRuns([...this.#runs.slice(0, run.rank + 1), rest, ...this.#runs.slice(run.rank + 1)]);
  }

  #setRuns(runs: Run[]): void {
    this.#runs = runs;
    runs.forEach((run, rank) => (run.rank = rank));
    this.#firsts = runs.map(({ paths }) => paths[0] ?? '');
  }

  /** Records the run of its documents, and their places. */
  #indexRun(run: Run): void {
    const last = run.docs.subarray(0, run.paths.length).reduce((most, doc) => Math.max(most, doc), 0);
    if (last >= this.#places.length) this.#widen(last);
    for (let at = 0; at < run.paths.length; at += 1) this.#runOf[run.docs[at] ?? 0] = run;
    this.#updatePlaces(run, 0);
  }

  /** Records the places of the documents of a run, from one place on. */
  #updatePlaces({ docs, paths }: Run, from: number): void {
    for (let at = from; at < paths.length; at += 1) this.#places[docs[at] ?? 0] = at;
  }

  #widen(doc: number): void {
    const larger = new Uint16Array(Math.max(doc + 1, this.#places.length * 2));
    larger.set(this.#places);
    this.#places = larger;
  }
}

/** Returns the number of sorted paths that are less than `path`. */
function countBelow(paths: readonly string[], path: string): number {
  let high = paths.length - 1;
  // Most paths are added in order.
  if (high < 0 || (paths[high] ?? '') < path) return high + 1;
  let low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((paths[middle] ?? '') < path) low = middle + 1;
    else high = middle;
  }
  return low;
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

/** The bit of a raw document in its kind. The other bits are the number of its hall. */
const RAW = 0x80;

/** The number of changes that are remembered. */
const RECENT = 256;

/**
 * Document numbers are reused only when more than this plus an eighth of the documents are free, or when no others are left.
 */
const MAX_FREE = 64;

/** The documents of an index by number: items, paths, lengths and facets. */
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
    return this.#order.size;
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
    return ((this.#kinds[doc] ?? 0) & RAW) === 0;
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

  /** Returns the position of a path; valid until the next change. */
  place(path: string): RunPosition {
    return this.#order.place(path);
  }

  /** Adds a document at the position of its path, or replaces the one with the same path. Returns its number. */
  put(item: T, length: number, place = this.place(item.path)): number {
    const doc = place.doc ?? this.#newNumber();
    this.#releaseFacets(doc);
    this.#set(doc, item, length);
    if (place.doc === undefined) this.#order.add(doc, place);
    return doc;
  }

  /**
   * Fills an empty table with the documents of a file, numbered in the order of `paths`, which are sorted. Returns the
   * numbers of the documents without an item, which are free. A step is a group of paths.
   */
  *fill(
    paths: PathList,
    lengths: Uint32Array,
    itemOf: (path: string) => T | undefined,
  ): Steps<readonly number[]> {
    this.#widen(lengths.length);
    let doc = 0;
    for (let group = 0; group < paths.groups; group += 1) {
      const present: number[] = [];
      for (const path of paths.group(group)) {
        const item = itemOf(path);
        this.#items.push(item);
        if (item === undefined) this.#free.push(doc);
        else {
          this.#set(doc, item, lengths[doc] ?? 0);
          present.push(doc);
        }
        doc += 1;
      }
      this.#order.append(present);
      yield;
    }
    return [...this.#free];
  }

  drop(path: string): void {
    const { doc } = this.place(path);
    if (doc === undefined) return;
    this.#releaseFacets(doc);
    this.#order.delete(doc);
    this.#items[doc] = undefined;
    this.#free.push(doc);
    this.#noteChange(doc);
  }

  /** Returns all numbers in use, sorted by path. */
  byPath(): number[] {
    return this.#order.docs();
  }

  /** Compares two documents by path. */
  compare(a: number, b: number): number {
    return this.#order.compare(a, b);
  }

  /** Returns a test whether a document passes the filter; null if none can. */
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
    if (!raw) this.#reviewed += 1;
    this.#noteChange(doc);
  }

  #noteChange(doc: number): void {
    this.#changed[this.#changes % RECENT] = doc;
    this.#changes += 1;
  }

  #newNumber(): number {
    const isFull = this.#items.length >= this.#most;
    const reused = isFull || this.#free.length > MAX_FREE + this.size / 8 ? this.#free.pop() : undefined;
    if (isFull && reused === undefined)
      throw new RangeError(`An index holds at most ${this.#most} documents.`);
    const doc = reused ?? this.#items.length;
    if (doc >= this.#lengths.length) this.#widen(doc * 2);
    if (reused === undefined) this.#items.push(undefined);
    return doc;
  }

  /** Releases the facets of a document, and subtracts its length. */
  #releaseFacets(doc: number): void {
    if (this.#items[doc] === undefined) return;
    this.#wingNames.release(this.#wings[doc] ?? 0);
    this.#hallNames.release((this.#kinds[doc] ?? 0) & (RAW - 1));
    this.#total -= this.#lengths[doc] ?? 0;
    if (this.isReviewed(doc)) this.#reviewed -= 1;
  }

  /** Grows the tables to this length, if they are shorter. */
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
