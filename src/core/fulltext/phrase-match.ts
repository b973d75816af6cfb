import {
  GAP,
  listMarked,
  LONG_TERM,
  longTermsIn,
  MAX_SPAN,
  ShapeWalk,
  type Streams,
  termEnding,
  type TermShape,
  type TokenStream,
  unitsOf,
} from './streams';
import { docOf, type PostingRange, type Postings } from './postings';
import type { PhrasePlan, PhraseTerm } from './query-phrases';

/** The number of units that are searched at a time, which bounds the lists of hits. */
const PIECE = 4096;
/** The number of positions of the text that matching keeps: a power of two above MAX_SPAN. */
const RING = 64;
const IN_RING = RING - 1;
/** A distance in units from which the number of terms no longer matters. */
const FAR = 2 * RING;

/** The positions of a phrase from which a term leads `step` positions on, as a bit set. */
interface Step {
  readonly step: number;
  readonly from: Uint32Array;
}

/**
 * A phrase, prepared for matching in many documents. Text and phrase have positions, one for each word and part of a word; a
 * term leads from one position to another, a compound across its span. The phrase matches where one sequence of terms leads
 * through both. Each position of the phrase is one bit (Shift-And: Baeza-Yates and Gonnet, A New Approach to Text Searching,
 * 1992), so a term takes one step for every 32 positions, however many partial matches there are.
 */
export class Phrase {
  readonly #terms: readonly PhraseTerm[];
  readonly #apart: readonly number[];
  readonly #last: number;
  readonly #words: number;
  readonly #marks = new Uint8Array(1 << 16);
  readonly #steps = new Map<number, Step[]>();
  readonly #overGap: readonly Step[];
  readonly #places = new Uint32Array(PIECE + 1);
  /** By position of the text, the set of positions of the phrase reached there; valid if `#at` holds this position. */
  readonly #reached: Uint32Array;
  readonly #at = new Int32Array(RING);

  constructor({ terms, gaps, last }: PhrasePlan) {
    this.#terms = terms;
    this.#apart = gaps;
    this.#last = last;
    this.#words = (last >>> 5) + 1;
    this.#reached = new Uint32Array(RING * this.#words);
    for (const { matches, from, to } of terms) {
      for (const match of matches) {
        this.#marks[match % LONG_TERM] = 1;
        const steps = this.#steps.get(match) ?? [];
        this.#steps.set(match, steps);
        this.#addStep(steps, from, to - from);
      }
    }
    const overGap: Step[] = [];
    for (const place of gaps) this.#addStep(overGap, place, 1);
    this.#overGap = overGap;
  }

  /** True if a document with the word of this phrase needs no match. */
  get isOneTerm(): boolean {
    return this.#terms.length === 1;
  }

  /** Returns true if a document with the terms that `has` accepts may hold the phrase. */
  mayOccur(has: (term: number) => boolean): boolean {
    const open = new Uint8Array(this.#last + 1);
    open[0] = 1;
    let gap = 0;
    for (const { matches, from, to } of this.#terms) {
      for (let place = this.#apart[gap]; place !== undefined && place < from; place = this.#apart[(gap += 1)])
        open[place + 1] = open[place] ?? 0;
      if (open[from] === 1 && open[to] === 0 && matches.some(has)) open[to] = 1;
    }
    return open[this.#last] === 1;
  }

  /** Returns true if the stream of a document holds the phrase. */
  occursIn(units: TokenStream, shape: TermShape): boolean {
    const walk = new ShapeWalk(shape);
    this.#at.fill(-1);
    // The position of the text at the unit `done`.
    let place = 0;
    let done = 0;
    for (let from = 0; from < units.length; from += PIECE) {
      const to = Math.min(units.length, from + PIECE);
      const hits = listMarked(this.#marks, units, from, to, this.#places);
      for (let hit = 0; hit < hits; hit += 1) {
        const at = this.#places[hit] ?? 0;
        const term = termEnding(units, at);
        const steps = this.#steps.get(term);
        if (steps === undefined) continue;
        const begin = at + 1 - unitsOf(term);
        while (walk.at < begin || (walk.at === begin && walk.kind === GAP)) {
          if (walk.kind === GAP) {
            place += positionsIn(units, done, walk.at);
            done = walk.at;
            this.#advance(this.#overGap, place, place + 1, false);
            place += 1;
          } else {
            // A compound has no position of its own.
            place += positionsIn(units, done, walk.at + 1) - 1;
            done = walk.at + 1;
          }
          walk.next();
        }
        place += positionsIn(units, done, begin);
        done = at + 1;
        if (walk.at !== at) {
          if (this.#advance(steps, place, place + 1, true)) return true;
          place += 1;
          continue;
        }
        const span = walk.kind;
        walk.next();
        if (span <= MAX_SPAN && this.#advance(steps, place - span, place, true)) return true;
      }
    }
    return false;
  }

  /** Advances the matches from one position of the text to another; returns true if the phrase ends there. */
  #advance(steps: readonly Step[], from: number, to: number, mayBegin: boolean): boolean {
    const words = this.#words;
    const source = (from & IN_RING) * words;
    const isKnown = this.#at[from & IN_RING] === from;
    const target = (to & IN_RING) * words;
    const reached = this.#reached;
    for (const { step, from: places } of steps) {
      const over = step >>> 5;
      const bits = step & 31;
      let carry = 0;
      for (let word = 0; word < words - over; word += 1) {
        const begun = mayBegin && word === 0 ? 1 : 0;
        const open = ((isKnown ? (reached[source + word] ?? 0) : 0) | begun) & (places[word] ?? 0);
        if (open === 0 && carry === 0) continue;
        if (this.#at[to & IN_RING] !== to) {
          reached.fill(0, target, target + words);
          this.#at[to & IN_RING] = to;
        }
        const cell = target + word + over;
        reached[cell] = (reached[cell] ?? 0) | (open << bits) | carry;
        carry = bits === 0 ? 0 : open >>> (32 - bits);
      }
    }
    if (this.#at[to & IN_RING] !== to) return false;
    return (((reached[target + (this.#last >>> 5)] ?? 0) >>> (this.#last & 31)) & 1) === 1;
  }

  #addStep(steps: Step[], from: number, step: number): void {
    let known = steps.find((each) => each.step === step);
    if (known === undefined) steps.push((known = { step, from: new Uint32Array(this.#words) }));
    known.from[from >>> 5] = (known.from[from >>> 5] ?? 0) | (1 << (from & 31));
  }
}

/** Returns the number of positions between two units that hold only parts; at least FAR if it is large. */
function positionsIn(units: TokenStream, from: number, to: number): number {
  return to - from > FAR ? FAR : to - from - longTermsIn(units, from, to);
}

/** If more documents than this hold the rarer term, two terms are assumed to be adjacent somewhere. */
const MAX_SEARCHED_DOCUMENTS = 1000;
/** Adjacency is also assumed if the documents with both hold more units than this: the search would take longer than a query. */
const MAX_SEARCHED_UNITS = 1 << 18;

interface PhraseSources {
  readonly postings: Postings;
  readonly streams: Streams;
  readonly shapes: Streams;
}

/** Returns a test whether a document holds every phrase. */
export function phraseTest(
  wanted: readonly PhrasePlan[],
  { postings, streams, shapes }: PhraseSources,
): (doc: number) => boolean {
  const phrases = wanted.map((plan) => new Phrase(plan));
  const sequences = phrases.filter(({ isOneTerm }) => !isOneTerm);
  return (doc) => {
    if (!phrases.every((phrase) => phrase.mayOccur((term) => postings.has(term, doc)))) return false;
    if (sequences.length === 0) return true;
    const [units, shape] = [streams.of(doc), shapes.of(doc)];
    return sequences.every((phrase) => phrase.occursIn(units, shape));
  };
}

/**
 * Returns true if the second term follows the first one directly in a document, or if so much text holds both that this is
 * assumed. Searching only some of it would make the answer depend on the order in which documents came.
 * @param rangeOf returns the postings of a term in the documents that count
 */
export function areAdjacent(
  first: number,
  second: number,
  searched: PhraseSources,
  rangeOf: (term: number) => PostingRange,
): boolean {
  const [one, two] = [rangeOf(first), rangeOf(second)];
  const isFirst = one.to - one.from < two.to - two.from;
  const { cells, from, to } = isFirst ? one : two;
  if (to - from > MAX_SEARCHED_DOCUMENTS) return true;
  const docs: number[] = [];
  let units = 0;
  for (let at = from; at < to; at += 1) {
    const doc = docOf(cells[at] ?? 0);
    if (!searched.postings.has(isFirst ? second : first, doc)) continue;
    docs.push(doc);
    units += searched.streams.size(doc);
  }
  if (units > MAX_SEARCHED_UNITS) return true;
  const terms = [first, second].map((term, at) => ({ matches: [term], from: at, to: at + 1 }));
  return docs.some(phraseTest([{ terms, gaps: [], last: terms.length }], searched));
}
