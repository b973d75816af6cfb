/** A run that grows longer is cut in two; so many places have to be told anew at most when a document comes or goes. */
const LONGEST_RUN = 256;

/** Documents whose paths follow each other, with no other between them. */
interface Run {
  /** The place of the run among the others. */
  rank: number;
  readonly docs: number[];
}

/** Documents in the order of their paths, so that two of them are compared without looking at the paths. */
export class PathOrder {
  readonly #pathOf: (doc: number) => string;
  #runs: Run[] = [];
  /** By document. */
  readonly #runOf: (Run | undefined)[] = [];
  #places = new Uint16Array(256);

  constructor(pathOf: (doc: number) => string) {
    this.#pathOf = pathOf;
  }

  /** Negative when the path of `a` stands before that of `b`, positive when after; 0 for the same document only. */
  compare(a: number, b: number): number {
    const [first, second] = [this.#runOf[a], this.#runOf[b]];
    if (first === second) return (this.#places[a] ?? 0) - (this.#places[b] ?? 0);
    return (first?.rank ?? -1) - (second?.rank ?? -1);
  }

  /** Takes in a document that is not there, and whose path no other has. */
  add(doc: number): void {
    if (doc >= this.#places.length) this.#widen(doc);
    const path = this.#pathOf(doc);
    const rank = Math.max(0, this.#firstAfter(path, this.#runs.length, (at) => this.#runs[at]?.docs[0]) - 1);
    const run = (this.#runs[rank] ??= { rank, docs: [] });
    const at = this.#firstAfter(path, run.docs.length, (place) => run.docs[place]);
    run.docs.splice(at, 0, doc);
    this.#runOf[doc] = run;
    this.#place(run, at);
    if (run.docs.length > LONGEST_RUN) this.#cut(run);
  }

  /** Takes in documents in the order of their paths, all of which stand behind those that are there. */
  append(docs: readonly number[]): void {
    for (let at = 0; at < docs.length; at += LONGEST_RUN) {
      const run = { rank: this.#runs.length, docs: docs.slice(at, at + LONGEST_RUN) };
      this.#runs.push(run);
      for (const doc of run.docs) {
        if (doc >= this.#places.length) this.#widen(doc);
        this.#runOf[doc] = run;
      }
      this.#place(run, 0);
    }
  }

  /** Leaves out a document that is there. */
  delete(doc: number): void {
    const run = this.#runOf[doc];
    if (run === undefined) return;
    const at = this.#places[doc] ?? 0;
    run.docs.splice(at, 1);
    this.#runOf[doc] = undefined;
    if (run.docs.length > 0) this.#place(run, at);
    else this.#setRuns(this.#runs.filter((each) => each !== run));
  }

  /** All documents. */
  docs(): number[] {
    return this.#runs.flatMap(({ docs }) => docs);
  }

  /** How many of a sorted list have a path before this one. */
  #firstAfter(path: string, length: number, docAt: (place: number) => number | undefined): number {
    const isBefore = (place: number): boolean => {
      const doc = docAt(place);
      return doc !== undefined && this.#pathOf(doc) < path;
    };
    // Whoever fills it often comes in order.
    if (length === 0 || isBefore(length - 1)) return length;
    let low = 0;
    let high = length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Cuts a run in two: behind its end when that is where it grew, so that runs filled in order are full. */
  #cut(run: Run): void {
    const isLast = run.rank === this.#runs.length - 1;
    const rest = { rank: 0, docs: run.docs.splice(isLast ? LONGEST_RUN : LONGEST_RUN >>> 1) };
    for (const doc of rest.docs) this.#runOf[doc] = rest;
    this.#place(rest, 0);
    this.#setRuns([...this.#runs.slice(0, run.rank + 1), rest, ...this.#runs.slice(run.rank + 1)]);
  }

  #setRuns(runs: Run[]): void {
    this.#runs = runs;
    runs.forEach((run, rank) => (run.rank = rank));
  }

  /** Tells the places of a run from one on. */
  #place({ docs }: Run, from: number): void {
    for (let at = from; at < docs.length; at += 1) this.#places[docs[at] ?? 0] = at;
  }

  #widen(doc: number): void {
    const larger = new Uint16Array(Math.max(doc + 1, this.#places.length * 2));
    larger.set(this.#places);
    this.#places = larger;
  }
}
