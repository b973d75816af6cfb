import { APART, MAX_SPAN, ShapeWalk, type TermShape } from './compounds';
import { docOf, type Postings } from './postings';
import type { PhrasePlan, PhraseTerm } from './query-phrases';
import {
  listMarked,
  LONG_TERM,
  longTermsIn,
  type Streams,
  termEnding,
  type TokenStream,
  unitsOf,
} from './streams';

/** A document is looked at in pieces of so many units, so that the lists of what is found have a fixed size. */
const PIECE = 4096;
/** What is remembered while a document is gone through, in places of its text: a power of two above MAX_SPAN. */
const REMEMBERED = 64;
const NEWEST = REMEMBERED - 1;
/** Where so many units end that nobody needs to know how many terms they are. */
const FAR = 2 * REMEMBERED;

/** The places of a phrase from which a term leads `step` places on, a bit for each. */
interface Step {
  readonly step: number;
  readonly from: Uint32Array;
}

/**
 * A phrase, made ready to be looked for in many documents. Text and phrase have places, one for each word and part of a word,
 * and a term leads from one place to another: a whole as far as its parts. The phrase stands where one run of terms leads from
 * place to place in both. Every beginning of the phrase that fits so far is one bit (Baeza-Yates and Gonnet, A New Approach to
 * Text Searching, 1992), so the work is one step a term for every 32 places, whatever nearly fits.
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
  readonly #fours = new Uint32Array(PIECE / 4 + 1);
  /** By place of the text, the places of the phrase that are reached there; of use when `#at` says that it is this one. */
  readonly #reached: Uint32Array;
  readonly #at = new Int32Array(REMEMBERED);

  constructor({ terms, apart, last }: PhrasePlan) {
    this.#terms = terms;
    this.#apart = apart;
    this.#last = last;
    this.#words = (last >>> 5) + 1;
    this.#reached = new Uint32Array(REMEMBERED * this.#words);
    for (const { fillers, from, to } of terms) {
      for (const filler of fillers) {
        this.#marks[filler % LONG_TERM] = 1;
        const steps = this.#steps.get(filler) ?? [];
        this.#steps.set(filler, steps);
        this.#addStep(steps, from, to - from);
      }
    }
    const overGap: Step[] = [];
    for (const place of apart) this.#addStep(overGap, place, 1);
    this.#overGap = overGap;
  }

  /** True for a phrase that a document holds when it holds its word. */
  get isOneTerm(): boolean {
    return this.#terms.length === 1;
  }

  /** True when a document may hold the phrase, of whose terms it has those that `has` tells of. */
  mayOccur(has: (term: number) => boolean): boolean {
    const open = new Uint8Array(this.#last + 1);
    open[0] = 1;
    let gap = 0;
    for (const { fillers, from, to } of this.#terms) {
      for (let place = this.#apart[gap]; place !== undefined && place < from; place = this.#apart[(gap += 1)])
        open[place + 1] = open[place] ?? 0;
      if (open[from] === 1 && open[to] === 0 && fillers.some(has)) open[to] = 1;
    }
    return open[this.#last] === 1;
  }

  /** True when the terms of a document hold the phrase. */
  occursIn(units: TokenStream, shape: TermShape): boolean {
    const walk = new ShapeWalk(shape);
    this.#at.fill(-1);
    // The place of the text that is reached at the unit `done`.
    let place = 0;
    let done = 0;
    for (let from = 0; from < units.length; from += PIECE) {
      const to = Math.min(units.length, from + PIECE);
      const hits = listMarked(this.#marks, units, from, to, this.#places, this.#fours);
      for (let hit = 0; hit < hits; hit += 1) {
        const at = this.#places[hit] ?? 0;
        const term = termEnding(units, at);
        const steps = this.#steps.get(term);
        if (steps === undefined) continue;
        const begin = at + 1 - unitsOf(term);
        while (walk.at < begin || (walk.at === begin && walk.kind === APART)) {
          if (walk.kind === APART) {
            place += placesIn(units, done, walk.at);
            done = walk.at;
            this.#lead(this.#overGap, place, place + 1, false);
            place += 1;
          } else {
            // A whole takes no place of its own.
            place += placesIn(units, done, walk.at + 1) - 1;
            done = walk.at + 1;
          }
          walk.next();
        }
        place += placesIn(units, done, begin);
        done = at + 1;
        if (walk.at !== at) {
          if (this.#lead(steps, place, place + 1, true)) return true;
          place += 1;
          continue;
        }
        const span = walk.kind;
        walk.next();
        if (span <= MAX_SPAN && this.#lead(steps, place - span, place, true)) return true;
      }
    }
    return false;
  }

  /** Leads on from one place of the text to another; true when the phrase ends there. */
  #lead(steps: readonly Step[], from: number, to: number, mayBegin: boolean): boolean {
    const words = this.#words;
    const source = (from & NEWEST) * words;
    const isKnown = this.#at[from & NEWEST] === from;
    const target = (to & NEWEST) * words;
    const reached = this.#reached;
    for (const { step, from: places } of steps) {
      const over = step >>> 5;
      const bits = step & 31;
      let carry = 0;
      for (let word = 0; word < words - over; word += 1) {
        const begun = mayBegin && word === 0 ? 1 : 0;
        const open = ((isKnown ? (reached[source + word] ?? 0) : 0) | begun) & (places[word] ?? 0);
        if (open === 0 && carry === 0) continue;
        if (this.#at[to & NEWEST] !== to) {
          reached.fill(0, target, target + words);
          this.#at[to & NEWEST] = to;
        }
        const cell = target + word + over;
        reached[cell] = (reached[cell] ?? 0) | (open << bits) | carry;
        carry = bits === 0 ? 0 : open >>> (32 - bits);
      }
    }
    if (this.#at[to & NEWEST] !== to) return false;
    return (((reached[target + (this.#last >>> 5)] ?? 0) >>> (this.#last & 31)) & 1) === 1;
  }

  #addStep(steps: Step[], from: number, step: number): void {
    let known = steps.find((each) => each.step === step);
    if (known === undefined) steps.push((known = { step, from: new Uint32Array(this.#words) }));
    known.from[from >>> 5] = (known.from[from >>> 5] ?? 0) | (1 << (from & 31));
  }
}

/** How many places terms between two units take that are all parts; at least FAR where they are many. */
function placesIn(units: TokenStream, from: number, to: number): number {
  return to - from > FAR ? FAR : to - from - longTermsIn(units, from, to);
}

/** Of two terms that more documents hold it is taken for granted that they stand side by side somewhere … */
const MAX_LOOKS = 1000;
/** … and of those that documents of more units together hold, which would take longer to look through than a search. */
const MAX_UNITS = 1 << 18;

/** Where phrases are looked for. */
interface Searched {
  readonly postings: Postings;
  readonly streams: Streams;
  readonly shapes: Streams;
}

/** Tells of a document whether it holds every phrase. */
export function phraseTest(
  wanted: readonly PhrasePlan[],
  { postings, streams, shapes }: Searched,
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
 * True when one term stands right behind another in a document, or so much text has both that this can be supposed. To look at
 * some of it only would make the answer depend on the order in which documents came.
 */
export function standTogether(first: number, second: number, searched: Searched): boolean {
  const { postings } = searched;
  const [rare, other] = postings.count(first) < postings.count(second) ? [first, second] : [second, first];
  if (postings.count(rare) > MAX_LOOKS) return true;
  const cells = postings.cells(rare);
  const from = postings.from(rare);
  const docs: number[] = [];
  let units = 0;
  for (let at = from; at < from + postings.count(rare); at += 1) {
    const doc = docOf(cells[at] ?? 0);
    if (!postings.has(other, doc)) continue;
    docs.push(doc);
    units += searched.streams.size(doc);
  }
  if (units > MAX_UNITS) return true;
  const terms = [first, second].map((term, at) => ({ fillers: [term], from: at, to: at + 1 }));
  return docs.some(phraseTest([{ terms, apart: [], last: terms.length }], searched));
}
