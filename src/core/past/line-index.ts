import { isSha } from '../base/hash';
import { partitionPoint } from '../base/steps';

/** A list of numbers in one array. */
class Numbers {
  length: number;

  constructor(private values: Float64Array = new Float64Array(0)) {
    this.length = values.length;
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(64 + Math.ceil(1.5 * this.length));
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }

  all(): Float64Array {
    return this.values.subarray(0, this.length);
  }
}

/** Where a line of a log stands (bytes), and when what it tells was done (ms since the epoch). */
export interface LinePlace {
  readonly from: number;
  readonly length: number;
  readonly time: number;
}

/** The most lines of an index: their numbers take the place of the last bits of a key. */
const LINES = 1 << 16;
/** The most entries of an index, but for those of its last line: more would take long to sort. */
const ENTRIES = 4 * LINES;
/** Entries that are sorted together first. */
const RUN = 1 << 12;

/** The arrays of an index: times, starts and lengths of the lines, and the entries in their order. */
export type IndexArrays = readonly [
  times: Float64Array,
  froms: Float64Array,
  lengths: Float64Array,
  entries: Float64Array,
];

/**
 * Where lines of a log are, by the names in them. It holds numbers alone: 24 bytes for a line and 8 for each of its names. Names are
 * told apart by 37 bits, so a line that is found may have another name, and its reader looks.
 */
export class LineIndex {
  readonly #times: Numbers;
  readonly #froms: Numbers;
  readonly #lengths: Numbers;
  /** An entry is the key of a name, with the number of a line in its last bits. Each run is sorted, and longer than the next one. */
  readonly #runs: Float64Array[] = [];
  /** The entries that are in no run yet. */
  #last = new Numbers();
  #isLastSorted = true;
  #size = 0;
  #latest = -Infinity;

  constructor([times, froms, lengths, entries]: Partial<IndexArrays> = []) {
    this.#times = new Numbers(times);
    this.#froms = new Numbers(froms);
    this.#lengths = new Numbers(lengths);
    for (const time of times ?? []) this.#latest = Math.max(this.#latest, time);
    if (entries === undefined) return;
    this.#runs.push(entries);
    this.#size = entries.length;
  }

  /** True when the next line belongs into another index. */
  get isFull(): boolean {
    return this.#times.length >= LINES || this.#size >= ENTRIES;
  }

  /** The times of the lines (ms since the epoch). */
  get times(): Float64Array {
    return this.#times.all();
  }

  /** The latest time of a line (ms since the epoch). */
  get latest(): number {
    return this.#latest;
  }

  /** Adds a line that has these names. */
  add({ from, length, time }: LinePlace, names: Iterable<string>): void {
    const line = this.#times.length;
    this.#times.push(time);
    this.#froms.push(from);
    this.#lengths.push(length);
    this.#latest = Math.max(this.#latest, time);
    for (const name of new Set(names)) {
      this.#last.push(firstOf(name) + line);
      this.#isLastSorted = false;
      this.#size += 1;
      if (this.#last.length === RUN) this.#sort();
    }
  }

  placeOf(line: number): LinePlace {
    return { from: this.#froms.at(line), length: this.#lengths.at(line), time: this.#times.at(line) };
  }

  /** Returns the lines that may have the name, in their order. */
  naming(name: string): number[] {
    const first = firstOf(name);
    const found: number[] = [];
    for (const [run, from, to] of this.#spans(first))
      for (let at = from; at < to; at += 1) found.push((run[at] ?? 0) - first);
    return found;
  }

  /** Returns how many lines may have the name. */
  count(name: string): number {
    let count = 0;
    for (const [, from, to] of this.#spans(firstOf(name))) count += to - from;
    return count;
  }

  /** Returns the lines at or after a time (ms since the epoch). */
  since(time: number): number[] {
    const found: number[] = [];
    if (this.#latest < time) return found;
    for (let line = 0; line < this.#times.length; line += 1)
      if (this.#times.at(line) >= time) found.push(line);
    return found;
  }

  /** Returns the arrays, of which an equal index can be made. They are the index's own. */
  arrays(): IndexArrays {
    if (this.#last.length > 0) this.#sort();
    const entries = this.#runs.reduceRight(merged, new Float64Array(0));
    this.#runs.splice(0, Infinity, entries);
    return [this.times, this.#froms.all(), this.#lengths.all(), entries];
  }

  /** Yields where the entries of a name are. */
  *#spans(first: number): Generator<readonly [run: ArrayLike<number>, from: number, to: number]> {
    const end = first + LINES;
    if (!this.#isLastSorted) this.#last.all().sort();
    this.#isLastSorted = true;
    for (const run of [...this.#runs, this.#last.all()]) {
      const from = partitionPoint(run, (entry) => entry < first);
      let to = from;
      while ((run[to] ?? Infinity) < end) to += 1;
      yield [run, from, to];
    }
  }

  #sort(): void {
    let run = this.#last.all().sort();
    this.#last = new Numbers();
    for (let before = this.#runs.at(-1); before && before.length <= run.length; before = this.#runs.at(-1)) {
      run = merged(run, before);
      this.#runs.pop();
    }
    this.#runs.push(run);
  }
}

/** Returns the entries of both sorted arrays, sorted. */
function merged(one: Float64Array, other: Float64Array): Float64Array {
  if (one.length === 0) return other;
  const both = new Float64Array(one.length + other.length);
  for (let at = 0, a = 0, b = 0; at < both.length; at += 1) {
    const [first = Infinity, second = Infinity] = [one[a], other[b]];
    both[at] = first <= second ? first : second;
    if (first <= second) a += 1;
    else b += 1;
  }
  return both;
}

/** Returns the entry of a name in line 0. */
function firstOf(name: string): number {
  const key = keyOf(name);
  return key - (key % LINES);
}

/** Returns a number below 2^53 for a name: of a content hash its first digits, of other text a hash. */
function keyOf(name: string): number {
  if (isSha(name)) return parseInt(name.slice(0, 13), 16);
  // FNV-1a with 32 bits (http://www.isthe.com/chongo/tech/comp/fnv), and the same with another factor for 21 more.
  let [low, high] = [0x811c9dc5, 0x811c9dc5];
  for (let at = 0; at < name.length; at += 1) {
    const unit = name.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
