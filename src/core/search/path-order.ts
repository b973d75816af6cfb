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
export interface Place {
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
