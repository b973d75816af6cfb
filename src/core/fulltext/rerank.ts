import { PASSAGE_SATURATIONS, WEIGHT_TO_SCORE, worthOf } from './scoring';
import {
  endOfTerms,
  FIELD_END,
  listMarked,
  LONG_TERM,
  longTerm,
  longTermsIn,
  TermPacker,
  type TokenStream,
} from './streams';

/** How the terms of a query stand in a document. */
const NOWHERE = 0;
/** One after the other somewhere in a field. */
const INSIDE = 1;
/** Beside other words in the first field, the title. */
const TITLED = 2;
/** As a whole field but the last one: a title, an alias, a heading. */
const WHOLE = 3;

/** The terms of a query in their order, looked for in streams at the places of one of them. */
interface Wording {
  /** The terms as a stream has them. */
  readonly units: TokenStream;
  /** How many units stand before the last one of the term that is looked for. */
  readonly before: number;
}

/** Made once: its room is larger than any query. */
const packer = new TermPacker();

/** @param anchor the place among the terms of the one that is looked for, best a rare one */
function wordingOf(terms: readonly number[], anchor: number): Wording {
  for (const term of terms) packer.add(term);
  const before = terms.slice(0, anchor + 1).reduce((size, term) => size + (term < LONG_TERM ? 1 : 2), -1);
  return { units: packer.take(), before };
}

/**
 * How the wording stands at one place of a stream, which reaches from `from` up to `end`.
 * @param at where the last unit of the term stands that is looked for
 */
function wordingAt(
  { units: wanted, before }: Wording,
  units: TokenStream,
  at: number,
  from: number,
  end: number,
): typeof NOWHERE | typeof INSIDE | typeof TITLED | typeof WHOLE {
  const begin = at - before;
  const stop = begin + wanted.length;
  if (begin < from || stop > end) return NOWHERE;
  for (let n = 0; n < wanted.length; n += 1) if (units[begin + n] !== wanted[n]) return NOWHERE;
  // Then what seems to be the first term is the second half of another.
  if (begin > from && (units[begin - 1] ?? 0) >= LONG_TERM) return NOWHERE;
  // The last field is the text.
  const isEnd = stop + 1 < end && units[stop] === FIELD_END;
  if (isEnd && (begin === from || endsField(units, from, begin - 1))) return WHOLE;
  return isInTitle(units, from, begin) ? TITLED : INSIDE;
}

/** True when no field has ended before a place. */
function isInTitle(units: TokenStream, from: number, place: number): boolean {
  for (let at = from; at < place; at += 1) if (endsField(units, from, at)) return false;
  return true;
}

/** True when a field ends there; what looks like its end may be the second half of a term. */
function endsField(units: TokenStream, from: number, at: number): boolean {
  return units[at] === FIELD_END && (at === from || (units[at - 1] ?? 0) < LONG_TERM);
}

/** How many of the best documents are looked at again. */
export const RESCORED = 20;
/** A passage, in terms: two or three sentences. */
const WINDOW = 30;
/** What the best passage adds. Measured on long documents: between one and three hundredths of nDCG@10. */
export const PASSAGE_WEIGHT = 0.6;
/** What a title adds of which the query names everything: finds the note that the caller knows by name. */
const TITLE_WEIGHT = 1.25;
/**
 * What it adds, measured in the weights of all terms of the query, that they stand in a document word for word, of which the
 * square of the share beyond a pair counts: many documents hold the same pair, some the same three words, and hardly two a
 * sentence …
 */
const WORDING_WEIGHT = 2.5;
/**
 * … and that they are a whole title, alias or heading, or stand in the title beside other words. With what the title adds, a
 * title twice as long as the query stays behind an alias that is the query. All stand on a plateau.
 */
const WHOLE_WEIGHT = 1;
const TITLED_WEIGHT = 0.3;
/** A longer document is looked at so far, in terms: some twenty pages. */
const MAX_TERMS = 1 << 13;
/** Of a longer title only so many distinct terms count. */
const MAX_TITLE = 64;

/** Marks of units: 0 for none of the query, else its group, or that it may only be the second unit of a term of the query. */
const MAX_MARKED = 254;
const SECOND = 255;

/** Places of a passage, a power of two not below WINDOW. */
const RING = 32;
const IN_RING = RING - 1;
/** Two terms that are so many units apart are never in one passage. */
const FAR = 2 * WINDOW;
/** Groups of which `seen` tells. */
export const MAX_SEEN = 31;

/** A term of a query, or several that count as one. */
export interface WeightedQuery {
  /** Numbers of its terms. */
  readonly ids: readonly number[];
  readonly weight: number;
}

/**
 * A second look at the best documents, at their terms in order: a share of the score of the best passage, so that a long note
 * with the answer in one place is not buried by its length; a bonus for the part of the title that the query names; and one
 * for a document that has the query word for word, so that whoever copies a heading or a sentence finds where it stands.
 *
 * Streams are told by `units` in which they reach from `from` up to `end`.
 */
export class Reranker {
  /**
   * By unit of a stream, what it means for the query; all zero between queries. Whoever takes two units is known by the
   * second.
   */
  readonly #marks = new Uint8Array(1 << 16);
  /** Groups of terms that take two units. */
  readonly #longMarks = new Map<number, number>();
  readonly #weights = new Int32Array(MAX_MARKED + 1);
  /** By group and number of occurrences in a passage, what one more is worth. */
  readonly #gains = new Int32Array((MAX_MARKED + 1) * RING);
  readonly #counts = new Uint8Array(MAX_MARKED + 1);
  /** Where units with marks stand. */
  readonly #places = new Uint32Array(2 * MAX_TERMS + 1);
  readonly #fours = new Uint32Array(MAX_TERMS / 2 + 1);
  readonly #positions = new Int32Array(RING);
  readonly #groups = new Uint8Array(RING);
  readonly #weightOf: (term: number) => number;
  #wording: Wording | null = null;
  /** The group of the term at which the wording is looked for. */
  #anchor = 0;
  /** How much a wording of so many terms tells, 0 to 1: the square of the share that is more than a pair. */
  #beyondPair = 0;
  #total = 0;
  #seen = 0;
  #isOneTerm = false;

  /** @param weightOf of any term, for the words of a title that the query does not name */
  constructor(weightOf: (term: number) => number) {
    this.#weightOf = weightOf;
  }

  /**
   * Calls `visit`, during which this may be asked about documents. Of a query of very many groups, the first ones count.
   * @param sequence the terms of the whole query as they stand in it, or none
   */
  with<R>(query: readonly WeightedQuery[], sequence: readonly number[], visit: (look: this) => R): R {
    const groups = query.length > MAX_MARKED ? query.slice(0, MAX_MARKED) : query;
    this.#total = 0;
    this.#isOneTerm = groups.length === 1 && groups[0]?.ids.length === 1 && sequence.length <= 1;
    for (const [at, { ids, weight }] of groups.entries()) {
      this.#weights[at + 1] = weight;
      this.#total += weight;
      if (!this.#isOneTerm) fillGains(this.#gains, (at + 1) * RING, weight);
      for (const id of ids) this.#mark(id, at + 1);
    }
    this.#expect(sequence);
    try {
      return visit(this);
    } finally {
      for (const { ids } of groups) for (const id of ids) this.#marks[id % LONG_TERM] = 0;
      // Even of an empty one it takes longer than the rest of this.
      if (this.#longMarks.size > 0) this.#longMarks.clear();
    }
  }

  /** The most that a document gets for its wording. */
  get mostForWording(): number {
    return this.#wording === null ? 0 : this.#forWording(WHOLE);
  }

  /**
   * Which of the first MAX_SEEN groups the document has that `text` was last asked about, a bit for each from the lowest; null
   * when it was too long to tell.
   */
  get seen(): number | null {
    return this.#seen < 0 ? null : this.#seen;
  }

  /** What a document gets for its title: the worth of the terms in it that the query names, scaled by their share of it. */
  title(units: TokenStream, from: number, end: number): number {
    if (!this.#isNamed(units, from, end)) return 0;
    let named = 0;
    let all = 0;
    const known: number[] = [];
    for (let at = from; at < end && known.length < MAX_TITLE; at += 1) {
      const unit = units[at] ?? 0;
      if (unit === FIELD_END) break;
      const term = unit < LONG_TERM ? unit : longTerm(unit, units[(at += 1)] ?? 0);
      if (known.includes(term)) continue;
      known.push(term);
      const group = this.#groupOf(term);
      if (group > 0) named += this.#weights[group] ?? 0;
      all += group > 0 ? (this.#weights[group] ?? 0) : this.#weightOf(term);
    }
    return named === 0 ? 0 : Math.round((TITLE_WEIGHT * WEIGHT_TO_SCORE * named * named) / all);
  }

  /**
   * True for a query of a single term, for which passages do not count: how often it stands in a document the score tells
   * already, and whether it does so in one place made no difference beyond chance on the known items of three languages. To go
   * through whole texts took half of the time of such a query.
   */
  get isOneTerm(): boolean {
    return this.#isOneTerm;
  }

  /** What it gets for its best passage, any WINDOW terms in sequence without regard to length, and for its wording. */
  text(units: TokenStream, from: number, end: number): number {
    if (this.#isOneTerm) {
      this.#seen = 1;
      return this.#wording === null ? 0 : this.#forWording(this.#inNames(this.#wording, units, from, end));
    }
    const [marks, gains, counts] = [this.#marks, this.#gains, this.#counts];
    const [places, positions, groups] = [this.#places, this.#positions, this.#groups];
    const wording = this.#wording;
    const stop = end - from <= MAX_TERMS ? end : endOfTerms(units, from, end, MAX_TERMS);
    let found: number = NOWHERE;
    let first = 0;
    let next = 0;
    let sum = 0;
    let best = 0;
    let seen = 0;
    let position = 0;
    let before = from - FAR;
    const hits = listMarked(marks, units, from, stop, places, this.#fours);
    for (let hit = 0; hit < hits; hit += 1) {
      const at = places[hit] ?? 0;
      const unit = units[at] ?? 0;
      const previous = at > from ? (units[at - 1] ?? 0) : 0;
      const group = previous < LONG_TERM ? (marks[unit] ?? 0) : this.#longGroup(previous, unit);
      if (group === 0 || group === SECOND) continue;
      // Only what is near has to be told to the term.
      position += at - before >= FAR ? FAR : at - before - longTermsIn(units, before + 1, at);
      before = at;
      while (first < next && (positions[first & IN_RING] ?? 0) <= position - WINDOW) {
        const old = groups[first & IN_RING] ?? 0;
        const left = (counts[old] ?? 0) - 1;
        counts[old] = left;
        sum -= gains[old * RING + left] ?? 0;
        first += 1;
      }
      const count = counts[group] ?? 0;
      counts[group] = count + 1;
      sum += gains[group * RING + count] ?? 0;
      positions[next & IN_RING] = position;
      groups[next & IN_RING] = group;
      next += 1;
      seen |= 1 << ((group - 1) & 31);
      if (sum > best) best = sum;
      if (wording !== null && group === this.#anchor && found !== WHOLE)
        found = Math.max(found, wordingAt(wording, units, at, from, end));
    }
    for (; first < next; first += 1) counts[groups[first & IN_RING] ?? 0] = 0;
    this.#seen = stop < end ? -1 : seen;
    return Math.round(PASSAGE_WEIGHT * best) + this.#forWording(found);
  }

  /** How the query stands in the fields before the text, at best. */
  #inNames(wording: Wording, units: TokenStream, from: number, end: number): number {
    const marks = this.#marks;
    let found: number = NOWHERE;
    let previous = LONG_TERM - 1;
    for (let at = from; at < end && found !== WHOLE; at += 1) {
      let unit = units[at] ?? 0;
      if (unit === FIELD_END && previous === FIELD_END) break;
      previous = unit;
      let group = marks[unit] ?? 0;
      if (unit >= LONG_TERM) {
        at += 1;
        unit = units[at] ?? 0;
        group = marks[unit] === 0 ? 0 : this.#longGroup(previous, unit);
      }
      if (group === this.#anchor) found = Math.max(found, wordingAt(wording, units, at, from, end));
    }
    return found;
  }

  #mark(id: number, group: number): void {
    if (id < LONG_TERM) {
      this.#marks[id] = group;
    } else {
      this.#longMarks.set(id, group);
      const second = id % LONG_TERM;
      if (this.#marks[second] === 0) this.#marks[second] = SECOND;
    }
  }

  #longGroup(first: number, second: number): number {
    return this.#longMarks.size === 0 ? 0 : (this.#longMarks.get(longTerm(first, second)) ?? 0);
  }

  /** The group of a term; 0 for none. */
  #groupOf(term: number): number {
    if (term >= LONG_TERM) return this.#longMarks.get(term) ?? 0;
    const mark = this.#marks[term] ?? 0;
    return mark === SECOND ? 0 : mark;
  }

  /** Looks for the whole query from now on, at the places of its rarest term. */
  #expect(sequence: readonly number[]): void {
    let anchor = -1;
    this.#anchor = 0;
    sequence.forEach((term, at) => {
      const group = this.#groupOf(term);
      if (group === 0) return;
      if (anchor >= 0 && (this.#weights[group] ?? 0) <= (this.#weights[this.#anchor] ?? 0)) return;
      anchor = at;
      this.#anchor = group;
    });
    this.#wording = anchor < 0 ? null : wordingOf(sequence, anchor);
    this.#beyondPair = Math.max(0, 1 - 2 / sequence.length) ** 2;
  }

  #forWording(found: number): number {
    if (found === NOWHERE) return 0;
    const named = found === WHOLE ? WHOLE_WEIGHT : found === TITLED ? TITLED_WEIGHT : 0;
    const weight = WORDING_WEIGHT * this.#beyondPair + named;
    return Math.round(weight * WEIGHT_TO_SCORE * this.#total);
  }

  /** True when the title may hold a term of the query. Most do not, and a weight takes a logarithm. */
  #isNamed(units: TokenStream, from: number, end: number): boolean {
    for (let at = from; at < end; at += 1) {
      const unit = units[at] ?? 0;
      if (unit === FIELD_END) return false;
      if (unit >= LONG_TERM) at += 1;
      if (this.#marks[units[at] ?? 0] !== 0) return true;
    }
    return false;
  }
}

function fillGains(gains: Int32Array, from: number, weight: number): void {
  let before = 0;
  for (let count = 1; count <= WINDOW; count += 1) {
    const worth = worthOf(PASSAGE_SATURATIONS[count] ?? 0, weight);
    gains[from + count - 1] = worth - before;
    before = worth;
  }
}
