import { isSha } from '../base/hash';

/** A list of numbers in one array, which takes four bytes for each, or eight. */
class Numbers {
  length = 0;
  #values: Uint32Array | Float64Array;

  constructor(private readonly make: (length: number) => Uint32Array | Float64Array) {
    this.#values = make(256);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = this.make(Math.ceil(1.5 * this.length));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }
}

const words = (length: number): Uint32Array => new Uint32Array(length);
const doubles = (length: number): Float64Array => new Float64Array(length);

/** Where a line of a log stands: the number of its file, and its bytes. */
export interface LinePlace {
  readonly file: number;
  readonly from: number;
  readonly length: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/**
 * Where the lines of logs are, by their kinds and by the names in them. It holds numbers alone, some 130 bytes for a line with two
 * names. Names are told apart by 53 bits, so a line that is found may name another one, and its reader looks.
 */
export class LineIndex {
  readonly #files = new Numbers(words);
  readonly #froms = new Numbers(words);
  readonly #lengths = new Numbers(words);
  readonly #times = new Numbers(doubles);
  readonly #kinds = new Numbers(words);
  readonly #kindNames = new Map<string, number>();
  /** For each name of each line: the line, and one more than the place of the same name's entry before it. */
  readonly #lines = new Numbers(words);
  readonly #earlier = new Numbers(words);
  /** A table with open addressing: the key of a name, and one more than the place of its last entry. */
  #keys = new Float64Array(1024).fill(-1);
  #heads = new Uint32Array(1024);
  #held = 0;

  /** Adds a line of a kind that has these names. */
  add({ file, from, length, time }: LinePlace, kind: string, names: Iterable<string>): void {
    const line = this.#files.length;
    this.#files.push(file);
    this.#froms.push(from);
    this.#lengths.push(length);
    this.#times.push(time);
    let number = this.#kindNames.get(kind);
    if (number === undefined) this.#kindNames.set(kind, (number = this.#kindNames.size));
    this.#kinds.push(number);
    for (const name of new Set(names)) {
      // A table without a free slot would be searched for ever.
      if (this.#held >= this.#keys.length / 2) this.#enlarge();
      const slot = this.#slotOf(keyOf(name));
      this.#lines.push(line);
      this.#earlier.push(this.#heads[slot] ?? 0);
      this.#heads[slot] = this.#lines.length;
    }
  }

  placeOf(line: number): LinePlace {
    return {
      file: this.#files.at(line),
      from: this.#froms.at(line),
      length: this.#lengths.at(line),
      time: this.#times.at(line),
    };
  }

  /** Returns the lines that may have the name. */
  naming(name: string): number[] {
    const key = keyOf(name);
    const found: number[] = [];
    const slot = this.#find(key);
    if (this.#keys[slot] !== key) return found;
    for (let next = this.#heads[slot] ?? 0; next > 0; next = this.#earlier.at(next - 1))
      found.push(this.#lines.at(next - 1));
    return found.reverse();
  }

  /** Returns the lines of these kinds. */
  ofKinds(kinds: Iterable<string>): number[] {
    const wanted = new Set([...kinds].map((kind) => this.#kindNames.get(kind)));
    const found: number[] = [];
    for (let line = 0; line < this.#files.length; line += 1)
      if (wanted.has(this.#kinds.at(line))) found.push(line);
    return found;
  }

  /** Returns the lines at or after a time (ms since the epoch). */
  since(time: number): number[] {
    const found: number[] = [];
    for (let line = 0; line < this.#files.length; line += 1)
      if (this.#times.at(line) >= time) found.push(line);
    return found;
  }

  /** Returns the slot of a key, or the free one that it would get. */
  #find(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = Math.imul(key % 0x1_0000_0000, 0x9e3779b1) >>> 0;
    for (; ; slot += 1) {
      const there = this.#keys[(slot &= mask)];
      if (there === key || there === -1) return slot;
    }
  }

  #slotOf(key: number): number {
    const slot = this.#find(key);
    if (this.#keys[slot] === -1) {
      this.#keys[slot] = key;
      this.#held += 1;
    }
    return slot;
  }

  #enlarge(): void {
    const [keys, heads] = [this.#keys, this.#heads];
    this.#keys = new Float64Array(2 * keys.length).fill(-1);
    this.#heads = new Uint32Array(2 * keys.length);
    for (const [at, key] of keys.entries()) {
      if (key === -1) continue;
      const slot = this.#find(key);
      this.#keys[slot] = key;
      this.#heads[slot] = heads[at] ?? 0;
    }
  }
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
