import { type Steps, Tally } from '../base/steps';
import { compareText } from '../base/text';
import type { VaultPath } from '../vocabulary/paths';

/** The size of a sketch: a text with at most this many distinct pairs of words is compared exactly. */
const SKETCH_SIZE = 128;
/** The hashes by which notes find each other: two notes that are near-equal share one of them almost surely. */
const KEYS = 8;
/** The notes that one note is compared with at most by each key; a key of more notes is boilerplate. */
const MAX_COMPARED = 64;
/** The notes at most that one note names. */
const MAX_NAMED = 10;
/** The share of pairs of words that near-equal texts have in common: about one word in ten may differ. */
const NEAR = 0.6;
/** The pairs of words that are held at once: more are sorted, and all but the smallest are dropped. */
const MAX_PAIRS = 4096;
/** The words that one step reads. */
const WORDS_PER_STEP = 4096;
/** A text with fewer words than this has no sketch: two short headings are soon alike. */
const MIN_WORDS = 6;

/** A word; a very long one is several, so that each step is short. */
const WORD = /[\p{L}\p{N}]{1,1000}/gu;

/** The smallest hashes of the pairs of neighbouring words in a text, ascending: a bottom-k sketch. */
export type Sketch = readonly number[];

/**
 * Computes the sketch of a text in steps: case, punctuation and white space do not count. Empty for a very short text. Every text
 * takes linear time and memory for `MAX_PAIRS` pairs, so that it needs no thread.
 */
export function* sketchSteps(text: string): Steps<Sketch> {
  let pairs = new Set<number>();
  /** No pair from this hash on is among the smallest. */
  let limit = Infinity;
  const tally = new Tally(WORDS_PER_STEP);
  let [before, words] = [0, 0];
  for (const [word] of text.matchAll(WORD)) {
    const hash = hashOf(word.toLowerCase());
    const pair = mixed(before, hash);
    if (words > 0 && pair < limit) pairs.add(pair);
    if (pairs.size === MAX_PAIRS) {
      const kept = smallest(pairs);
      [pairs, limit] = [new Set(kept), kept.at(-1) ?? Infinity];
    }
    before = hash;
    words += 1;
    if (tally.isFull()) yield;
  }
  return words < MIN_WORDS ? [] : smallest(pairs);
}

function smallest(hashes: ReadonlySet<number>): number[] {
  return [...hashes].sort((a, b) => a - b).slice(0, SKETCH_SIZE);
}

/** Hashes a word by FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Mixes the hashes of two words in their order, so that the result is spread evenly. */
function mixed(first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ second;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns true for the sketches of two texts that share most of their pairs of words. */
export function areNear(one: Sketch, other: Sketch): boolean {
  if (one.length === 0 || other.length === 0) return false;
  // Only the smallest hashes of both together are a fair sample when a sketch is cut.
  const size = Math.min(SKETCH_SIZE, Math.max(one.length, other.length));
  let [a, b, seen, shared] = [0, 0, 0, 0];
  const isCut = one.length === SKETCH_SIZE || other.length === SKETCH_SIZE;
  while ((a < one.length || b < other.length) && (!isCut || seen < size)) {
    const [left = Infinity, right = Infinity] = [one[a], other[b]];
    if (left === right) shared += 1;
    if (left <= right) a += 1;
    if (right <= left) b += 1;
    seen += 1;
  }
  return shared >= NEAR * seen;
}

/** A note; `content_key` is equal in notes that say the same. */
interface Keyed {
  readonly path: VaultPath;
  readonly content_key: string;
}

/** A note with what near-equal notes have in common with it. */
interface Sketched {
  readonly note: Keyed;
  readonly sketch: Sketch;
  readonly others: Set<VaultPath>;
}

/** The near-equal notes among some, which may come and go. */
export class AlikeNotes {
  /** The last reading of new notes; the next one follows it. */
  reading: Promise<void> = Promise.resolve();
  readonly #alike = new Map<VaultPath, Sketched>();
  /** The paths of notes by each of their keys. */
  readonly #places = new Map<string | number, Set<VaultPath>>();

  /** The paths of all notes. */
  get paths(): VaultPath[] {
    return [...this.#alike.keys()];
  }

  /** Returns true for the very note that was added last at its path. */
  has(note: Keyed): boolean {
    return this.#alike.get(note.path)?.note === note;
  }

  /** Adds a note, or replaces the one at its path. */
  add(note: Keyed, sketch: Sketch): void {
    this.remove(note.path);
    const others = new Set<VaultPath>();
    const added = { note, sketch, others };
    const compared = new Set<VaultPath>();
    for (const key of keysOf(added)) {
      const there = this.#places.get(key) ?? new Set();
      let left = MAX_COMPARED;
      for (const path of there) {
        if ((left -= 1) < 0) break;
        if (compared.has(path)) continue;
        compared.add(path);
        const other = this.#alike.get(path);
        if (other === undefined || !areAlike(added, other)) continue;
        others.add(path);
        other.others.add(note.path);
      }
      this.#places.set(key, there.add(note.path));
    }
    this.#alike.set(note.path, added);
  }

  /** Removes the note at a path, if there is one. */
  remove(path: VaultPath): void {
    const known = this.#alike.get(path);
    if (known === undefined) return;
    this.#alike.delete(path);
    for (const other of known.others) this.#alike.get(other)?.others.delete(path);
    for (const key of keysOf(known)) {
      const there = this.#places.get(key);
      there?.delete(path);
      if (there?.size === 0) this.#places.delete(key);
    }
  }

  /** Returns the paths of the near-equal notes, sorted, at most ten. */
  of(path: VaultPath): VaultPath[] {
    return [...(this.#alike.get(path)?.others ?? [])].sort(compareText).slice(0, MAX_NAMED);
  }
}

function keysOf({ note: { content_key: key }, sketch }: Sketched): (string | number)[] {
  return [key, ...sketch.slice(0, KEYS)];
}

function areAlike(one: Sketched, other: Sketched): boolean {
  return one.note.content_key === other.note.content_key || areNear(one.sketch, other.sketch);
}
