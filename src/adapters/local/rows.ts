import { keepBest, type Steps, Tally } from '../../core/base/steps';
import { compareText } from '../../core/base/text';
import { DIMENSIONS } from '../../core/embeddings/pieces';
import type { NearRow } from '../../core/embeddings/store';
import type { VectorFilter } from '../../core/ports/ports';
import type { VaultPath } from '../../core/vocabulary/paths';
import type { SegmentRow } from './segment';
import { MAX_DISTANCE, SKETCH_WORDS, sketchDistance, writeSketch } from './sketch';

/** The rows whose numbers share one array. It grows by arrays, so that no row is ever copied. */
const CHUNK_ROWS = 1024;
/** A search of at most this many candidates compares every one of them. */
const EXACT_ROWS = 20_000;
/** The candidates with the nearest sketches that are compared: at least this many, and this many for each result. */
const MIN_RESCORED = 2_000;
const RESCORED_FACTOR = 10;
/** The rows that one step filters, compares by sketch, or compares; the last is the unit of the others in time. */
const FILTERED_PER_STEP = 2_048;
const SKETCHES_PER_STEP = 4_096;
const COMPARED_PER_STEP = 256;
/** A sketch takes this many times as long to make as to compare. */
const SKETCH_COST = 64;

interface Chunk {
  readonly numbers: Int16Array;
  readonly scales: Float32Array;
  /** The sketches of the rows, made when a search first needs one. */
  sketches: Uint32Array | null;
  /** 1 for a row whose sketch is made. */
  readonly hasSketch: Uint8Array;
}

interface Scored {
  readonly slot: number;
  readonly score: number;
}

/**
 * The rows of one maker in memory. A row never moves: a replaced or removed one stays until no reader is left that began
 * before, so each reader sees the rows as they were when it began.
 */
export class Rows {
  readonly #chunks: Chunk[] = [];
  readonly #slots = new Map<VaultPath, number>();
  readonly #paths: VaultPath[] = [];
  readonly #times: number[] = [];
  /** The number of the segment that stores the row. */
  readonly #homes: number[] = [];
  /** The revision at which the row of a slot was replaced or removed; Infinity while it is there. */
  readonly #died: number[] = [];
  /** Slots whose rows are dead. */
  readonly #free: number[] = [];
  #revision = 0;
  #readers = 0;
  #candidates = new Int32Array(0);
  #distances = new Uint16Array(0);
  readonly #histogram = new Uint32Array(MAX_DISTANCE + 1);
  readonly #sketch = new Uint32Array(SKETCH_WORDS);

  get size(): number {
    return this.#slots.size;
  }

  has(path: VaultPath): boolean {
    return this.#slots.has(path);
  }

  /** Returns the number of the segment that stores the row of a path. */
  homeOf(path: VaultPath): number | undefined {
    const slot = this.#slots.get(path);
    return slot === undefined ? undefined : this.#homes[slot];
  }

  /** Returns the time of the row of a path (epoch milliseconds). */
  timeOf(path: VaultPath): number | undefined {
    const slot = this.#slots.get(path);
    return slot === undefined ? undefined : this.#times[slot];
  }

  /** Adds or replaces a row. */
  put({ path, updatedAt, numbers, scale }: SegmentRow, home: number): void {
    this.remove(path);
    const slot = this.#freeSlot();
    this.#slots.set(path, slot);
    this.#paths[slot] = path;
    this.#times[slot] = updatedAt;
    this.#homes[slot] = home;
    this.#died[slot] = Infinity;
    const { chunk, at } = this.#find(slot);
    chunk.numbers.set(numbers, at * DIMENSIONS);
    chunk.scales[at] = scale;
    chunk.hasSketch[at] = 0;
  }

  /** Changes the time of a row. */
  touch(path: VaultPath, updatedAt: number): void {
    const slot = this.#slots.get(path);
    if (slot !== undefined) this.#times[slot] = updatedAt;
  }

  /** Changes the number of the segment that stores a row. */
  settle(path: VaultPath, home: number): void {
    const slot = this.#slots.get(path);
    if (slot !== undefined) this.#homes[slot] = home;
  }

  remove(path: VaultPath): void {
    const slot = this.#slots.get(path);
    if (slot === undefined) return;
    this.#slots.delete(path);
    this.#revision += 1;
    this.#died[slot] = this.#revision;
    this.#free.push(slot);
  }

  /** Returns the rows that one of these segments stores, in steps. No row may change meanwhile. */
  *storedIn(homes: ReadonlySet<number>): Steps<SegmentRow[]> {
    const found: SegmentRow[] = [];
    const tally = new Tally(FILTERED_PER_STEP);
    for (const [slot, path] of this.#paths.entries()) {
      if (this.#died[slot] === Infinity && homes.has(this.#homes[slot] ?? 0)) {
        const { chunk, at } = this.#find(slot);
        const numbers = chunk.numbers.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);
        found.push({ path, updatedAt: this.#times[slot] ?? 0, numbers, scale: chunk.scales[at] ?? 0 });
      }
      if (tally.isFull()) yield;
    }
    return found;
  }

  /** Runs the steps of a reader: until they end, no row that was there at their beginning is overwritten. */
  async read<T>(steps: Steps<T>, run: (steps: Steps<T>) => Promise<T>): Promise<T> {
    this.#readers += 1;
    try {
      return await run(steps);
    } finally {
      this.#readers -= 1;
    }
  }

  /** Returns all paths with the times of their rows, in steps; for `read`. */
  *known(): Steps<Map<VaultPath, Date>> {
    const found = new Map<VaultPath, Date>();
    const [end, revision] = [this.#paths.length, this.#revision];
    const tally = new Tally(FILTERED_PER_STEP);
    for (let slot = 0; slot < end; slot += 1) {
      const path = this.#paths[slot];
      if (path !== undefined && (this.#died[slot] ?? 0) > revision)
        found.set(path, new Date(this.#times[slot] ?? 0));
      if (tally.isFull()) yield;
    }
    return found;
  }

  /**
   * Returns the rows nearest to a vector of length 1 that pass the filter, nearest first, ties by path, in steps; for
   * `read`. Only one search may run at a time. Up to 20,000 rows that pass are all compared; of more, those whose sketches are
   * near.
   */
  *nearest(unit: Float32Array, limit: number, filter: VectorFilter): Steps<NearRow[]> {
    let count = yield* this.#filter(filter);
    if (count > EXACT_ROWS) {
      count = yield* this.#nearestSketches(unit, count, Math.max(MIN_RESCORED, RESCORED_FACTOR * limit));
    }
    // Numbers of 64 bits need no conversion before each multiplication.
    const query = Float64Array.from(unit);
    const best: Scored[] = [];
    const compare = (a: Scored, b: Scored): number =>
      b.score - a.score || compareText(this.#paths[a.slot] ?? '', this.#paths[b.slot] ?? '');
    const tally = new Tally(COMPARED_PER_STEP);
    let least = -Infinity;
    for (let index = 0; index < count; index += 1) {
      const slot = this.#candidates[index] ?? 0;
      const { chunk, at } = this.#find(slot);
      const score = dot(chunk.numbers, at * DIMENSIONS, query) * (chunk.scales[at] ?? 0);
      if (score >= least) {
        keepBest(best, { slot, score }, limit, compare);
        if (best.length === limit) least = best[limit - 1]?.score ?? least;
      }
      if (tally.isFull()) yield;
    }
    return best.flatMap(({ slot, score }) => {
      const path = this.#paths[slot];
      return path === undefined ? [] : { path, cosine: score };
    });
  }

  /** Makes the sketches that a search of all rows needs, in steps. */
  *makeSketches(): Steps<void> {
    if (this.size <= EXACT_ROWS) return;
    const tally = new Tally(SKETCHES_PER_STEP);
    for (let slot = 0; slot < this.#paths.length; slot += 1) {
      const { chunk, at } = this.#find(slot);
      const isMade = chunk.hasSketch[at] === 1;
      sketchesOf(chunk, at);
      if (tally.isFull(isMade ? 1 : SKETCH_COST)) yield;
    }
  }

  /** Collects the slots of the rows that pass the filter, and returns their number. */
  *#filter(filter: VectorFilter): Steps<number> {
    const [end, revision] = [this.#paths.length, this.#revision];
    const passes = yield* matcher(filter);
    if (this.#candidates.length < end) {
      // Room for a few more rows, so that the arrays are not made at every search of a growing table.
      this.#candidates = new Int32Array(end + CHUNK_ROWS);
      this.#distances = new Uint16Array(end + CHUNK_ROWS);
    }
    let count = 0;
    const tally = new Tally(FILTERED_PER_STEP);
    for (let slot = 0; slot < end; slot += 1) {
      const path = this.#paths[slot];
      if (path !== undefined && (this.#died[slot] ?? 0) > revision && passes(path)) {
        this.#candidates[count] = slot;
        count += 1;
      }
      if (tally.isFull()) yield;
    }
    return count;
  }

  /**
   * Keeps the candidates whose sketches are nearest to that of the vector, and returns their number: at least `wanted`, and all
   * with the same distance as the last of them, so that equal rows are treated alike.
   */
  *#nearestSketches(unit: Float32Array, count: number, wanted: number): Steps<number> {
    const distances = this.#distances;
    this.#histogram.fill(0);
    writeSketch(unit, 0, this.#sketch, 0);
    const tally = new Tally(SKETCHES_PER_STEP);
    for (let index = 0; index < count; index += 1) {
      const { chunk, at } = this.#find(this.#candidates[index] ?? 0);
      const isMade = chunk.hasSketch[at] === 1;
      const distance = sketchDistance(sketchesOf(chunk, at), at * SKETCH_WORDS, this.#sketch);
      distances[index] = distance;
      this.#histogram[distance] = (this.#histogram[distance] ?? 0) + 1;
      if (tally.isFull(isMade ? 1 : SKETCH_COST)) yield;
    }
    let [furthest, below] = [-1, 0];
    while (below < wanted && furthest < MAX_DISTANCE) {
      furthest += 1;
      below += this.#histogram[furthest] ?? 0;
    }
    let kept = 0;
    for (let index = 0; index < count; index += 1) {
      if ((distances[index] ?? 0) <= furthest) {
        this.#candidates[kept] = this.#candidates[index] ?? 0;
        kept += 1;
      }
      if (tally.isFull()) yield;
    }
    return kept;
  }

  #freeSlot(): number {
    const used = this.#readers === 0 ? this.#free.pop() : undefined;
    if (used !== undefined) return used;
    const slot = this.#paths.length;
    if (slot === this.#chunks.length * CHUNK_ROWS) {
      this.#chunks.push({
        numbers: new Int16Array(CHUNK_ROWS * DIMENSIONS),
        scales: new Float32Array(CHUNK_ROWS),
        sketches: null,
        hasSketch: new Uint8Array(CHUNK_ROWS),
      });
    }
    return slot;
  }

  #find(slot: number): { readonly chunk: Chunk; readonly at: number } {
    const chunk = this.#chunks[Math.floor(slot / CHUNK_ROWS)];
    if (chunk === undefined) throw new RangeError('A slot lies in a chunk.');
    return { chunk, at: slot % CHUNK_ROWS };
  }
}

/** Returns the sketches of a chunk, of which that of the row at `at` is made. */
function sketchesOf(chunk: Chunk, at: number): Uint32Array {
  const sketches = (chunk.sketches ??= new Uint32Array(CHUNK_ROWS * SKETCH_WORDS));
  if (chunk.hasSketch[at] !== 1) {
    writeSketch(chunk.numbers, at * DIMENSIONS, sketches, at * SKETCH_WORDS);
    chunk.hasSketch[at] = 1;
  }
  return sketches;
}

/** Returns the dot product. Four sums at a time need not wait for each other. */
function dot(numbers: Int16Array, from: number, query: Float64Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < DIMENSIONS; at += 4) {
    a += (numbers[from + at] ?? 0) * (query[at] ?? 0);
    b += (numbers[from + at + 1] ?? 0) * (query[at + 1] ?? 0);
    c += (numbers[from + at + 2] ?? 0) * (query[at + 2] ?? 0);
    d += (numbers[from + at + 3] ?? 0) * (query[at + 3] ?? 0);
  }
  return a + b + (c + d);
}

/** Returns the filter as a predicate, in steps: its lists may be long. */
function* matcher({ prefixes, hall, only, except }: VectorFilter): Steps<(path: VaultPath) => boolean> {
  const allowed = only && (yield* setOf(only));
  const excluded = except && (yield* setOf(except));
  return (path) =>
    (allowed === undefined || allowed.has(path)) &&
    excluded?.has(path) !== true &&
    (prefixes === undefined || prefixes.some((prefix) => path.startsWith(prefix))) &&
    (hall === undefined || path.split('/')[2] === hall);
}

function* setOf(paths: readonly VaultPath[]): Steps<ReadonlySet<VaultPath>> {
  const found = new Set<VaultPath>();
  const tally = new Tally(FILTERED_PER_STEP);
  for (const path of paths) {
    found.add(path);
    if (tally.isFull()) yield;
  }
  return found;
}
