import { jsonBytes } from '../base/hash';
import type { Steps } from '../base/steps';
import { utf8Text } from '../base/text';
import { NameTable } from './dictionary';
import { MAX_DOCUMENTS } from './postings';

/** So many paths are in a group, but for the last one: a step of a few tenths of a millisecond. */
export const PATH_GROUP = 256;

/** Paths as a file of the index has them: in groups, each of them JSON, of which a host makes texts faster than any code. */
export class PathList {
  /** @param ends where each group ends in `bytes` */
  constructor(
    private readonly ends: Uint32Array,
    private readonly bytes: Uint8Array,
  ) {}

  /** Number of groups. */
  get groups(): number {
    return this.ends.length;
  }

  /** The paths of a group, in order. */
  group(at: number): readonly string[] {
    const group = this.bytes.subarray(at === 0 ? 0 : this.ends[at - 1], this.ends[at]);
    return JSON.parse(utf8Text(group)) as readonly string[]; // A checksum says that it is as it was written.
  }
}

/** The groups as bytes, of multiples of eight. Half a surrogate pair, as a file name on Windows may have it, stands as an escape. */
export function* packPaths(paths: readonly string[]): Generator<Uint8Array<ArrayBuffer>> {
  for (let from = 0; from < paths.length; from += PATH_GROUP)
    yield jsonBytes(JSON.stringify(paths.slice(from, from + PATH_GROUP)));
}

/** A run that grows longer is cut in two; so many places have to be told anew at most when a document comes or goes. */
const LONGEST_RUN = 256;

/** Documents whose paths follow each other, with no other between them. */
interface Run {
  /** The place of the run among the others. */
  rank: number;
  /** As many documents as there are paths: one more than the longest run has at most, and then it is cut. */
  readonly docs: Uint32Array;
  /** Their paths, so that whoever looks for one does not have to go to every document on the way. */
  readonly paths: string[];
}

/** Where a path stands, or belongs. */
interface Place {
  /** The document with this path; undefined when there is none. */
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
 * Documents in the order of their paths: they are found by them, and two are compared without looking at the paths. A map of
 * paths would take more memory, and longer to fill than the rest of an index takes to be taken over from a file.
 */
export class PathOrder {
  readonly #pathOf: (doc: number) => string;
  #runs: Run[] = [];
  /** The first path of each run: the least of those that belong to it, but for the first run. */
  #firsts: string[] = [];
  /** By document. */
  readonly #runOf: (Run | undefined)[] = [];
  #places = new Uint16Array(256);
  #size = 0;

  /** @param pathOf asked once of a document that comes, so its path must stay the same until it goes */
  constructor(pathOf: (doc: number) => string) {
    this.#pathOf = pathOf;
  }

  /** Number of documents. */
  get size(): number {
    return this.#size;
  }

  /** Negative when the path of `a` stands before that of `b`, positive when after; 0 for the same document only. */
  compare(a: number, b: number): number {
    const [first, second] = [this.#runOf[a], this.#runOf[b]];
    if (first === second) return (this.#places[a] ?? 0) - (this.#places[b] ?? 0);
    return (first?.rank ?? -1) - (second?.rank ?? -1);
  }

  /** Where a path stands or belongs; valid until the next document comes or goes. */
  place(path: string): Place {
    const below = countBelow(this.#firsts, path);
    const rank = this.#firsts[below] === path ? below : Math.max(0, below - 1);
    const { docs, paths } = this.#runs[rank] ?? EMPTY;
    const at = countBelow(paths, path);
    return { doc: paths[at] === path ? docs[at] : undefined, rank, at };
  }

  /** Takes in a document that is not there at the place of its path, which no other has. */
  add(doc: number, { rank, at }: Place): void {
    if (doc >= this.#places.length) this.#widen(doc);
    const run = (this.#runs[rank] ??= newRun(rank));
    const path = this.#pathOf(doc);
    run.docs.copyWithin(at + 1, at, run.paths.length);
    run.docs[at] = doc;
    run.paths.splice(at, 0, path);
    if (at === 0) this.#firsts[rank] = path;
    this.#size += 1;
    this.#runOf[doc] = run;
    this.#tellPlaces(run, at);
    if (run.paths.length > LONGEST_RUN) this.#cut(run);
  }

  /** Takes in documents in the order of their paths, all of which stand behind those that are there. */
  append(docs: readonly number[]): void {
    for (let from = 0; from < docs.length; from += LONGEST_RUN) {
      const part = docs.slice(from, from + LONGEST_RUN);
      const run = newRun(this.#runs.length, part, part.map(this.#pathOf));
      this.#runs.push(run);
      this.#firsts.push(run.paths[0] ?? '');
      this.#size += part.length;
      this.#enter(run);
    }
  }

  /** Leaves out a document that is there. */
  delete(doc: number): void {
    const run = this.#runOf[doc];
    if (run === undefined) return;
    const at = this.#places[doc] ?? 0;
    run.docs.copyWithin(at, at + 1, run.paths.length);
    run.paths.splice(at, 1);
    if (at === 0) this.#firsts[run.rank] = run.paths[0] ?? '';
    this.#size -= 1;
    this.#runOf[doc] = undefined;
    if (run.paths.length > 0) this.#tellPlaces(run, at);
    else this.#setRuns(this.#runs.filter((each) => each !== run));
  }

  /** All documents. */
  docs(): number[] {
    return this.#runs.flatMap(({ docs, paths }) => [...docs.subarray(0, paths.length)]);
  }

  /** Cuts a run in two: behind its end when that is where it grew, so that runs filled in order are full. */
  #cut(run: Run): void {
    const isLast = run.rank === this.#runs.length - 1;
    const left = isLast ? LONGEST_RUN : LONGEST_RUN >>> 1;
    const rest = newRun(0, run.docs.subarray(left, run.paths.length), run.paths.splice(left));
    this.#enter(rest);
    this.#setRuns([...this.#runs.slice(0, run.rank + 1), rest, ...this.#runs.slice(run.rank + 1)]);
  }

  #setRuns(runs: Run[]): void {
    this.#runs = runs;
    runs.forEach((run, rank) => (run.rank = rank));
    this.#firsts = runs.map(({ paths }) => paths[0] ?? '');
  }

  /** Tells the documents of a new run where they are. */
  #enter(run: Run): void {
    const last = run.docs.subarray(0, run.paths.length).reduce((most, doc) => Math.max(most, doc), 0);
    if (last >= this.#places.length) this.#widen(last);
    for (let at = 0; at < run.paths.length; at += 1) this.#runOf[run.docs[at] ?? 0] = run;
    this.#tellPlaces(run, 0);
  }

  /** Tells the places of a run from one on. */
  #tellPlaces({ docs, paths }: Run, from: number): void {
    for (let at = from; at < paths.length; at += 1) this.#places[docs[at] ?? 0] = at;
  }

  #widen(doc: number): void {
    const larger = new Uint16Array(Math.max(doc + 1, this.#places.length * 2));
    larger.set(this.#places);
    this.#places = larger;
  }
}

/** How many of some paths in order stand before one. */
function countBelow(paths: readonly string[], path: string): number {
  let high = paths.length - 1;
  // Whoever fills it often comes in order.
  if (high < 0 || (paths[high] ?? '') < path) return high + 1;
  let low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((paths[middle] ?? '') < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
