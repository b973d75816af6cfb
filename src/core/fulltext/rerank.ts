import { PASSAGE_SATURATIONS, WEIGHT_TO_SCORE, worthOf } from './scoring';
import {
  endOfTerms,
  endsField,
  FIELD_END,
  listMarked,
  LONG_TERM,
  longTerm,
  longTermsIn,
  TermPacker,
  type TokenStream,
} from './streams';

/** The terms of a query occur nowhere one after the other in a document. */
const NO_MATCH = 0;
/** They occur so within a field. */
const IN_FIELD = 1;
/** They occur so within the first field, the title, beside other words. */
const IN_TITLE = 2;
/** They are a whole field other than the last one: a title, an alias, a heading. */
const WHOLE_FIELD = 3;

/** The terms of a query in order, which are searched in streams at each occurrence of one of them. */
interface Wording {
  /** The terms as in a stream. */
  readonly units: TokenStream;
  /** The number of units before the last one of the anchor, which is the term that is searched. */
  readonly before: number;
}

/** One packer for all queries, because its buffer is larger than any query. */
const packer = new TermPacker();

/** @param anchor the index of the term to search, preferably a rare one */
function wordingOf(terms: readonly number[], anchor: number): Wording {
  for (const term of terms) packer.add(term);
  const before = terms.slice(0, anchor + 1).reduce((size, term) => size + (term < LONG_TERM ? 1 : 2), -1);
  return { units: packer.take(), before };
}

/**
 * Returns where the wording occurs at one offset of a stream between `from` and `end`.
 * @param at the last unit of the anchor
 */
function wordingAt(
  { units: wanted, before }: Wording,
  units: TokenStream,
  at: number,
  from: number,
  end: number,
): typeof NO_MATCH | typeof IN_FIELD | typeof IN_TITLE | typeof WHOLE_FIELD {
  const begin = at - before;
  const stop = begin + wanted.length;
  if (begin < from || stop > end) return NO_MATCH;
  for (let n = 0; n < wanted.length; n += 1) if (units[begin + n] !== wanted[n]) return NO_MATCH;
  // The first unit of the match is the second unit of another term.
  if (begin > from && (units[begin - 1] ?? 0) >= LONG_TERM) return NO_MATCH;
  // The last field is the text.
  const isEnd = stop + 1 < end && units[stop] === FIELD_END;
  if (isEnd && (begin === from || endsField(units, from, begin - 1))) return WHOLE_FIELD;
  return isInTitle(units, from, begin) ? IN_TITLE : IN_FIELD;
}

/** Returns true if no field ends before an offset. */
function isInTitle(units: TokenStream, from: number, place: number): boolean {
  for (let at = from; at < place; at += 1) if (endsField(units, from, at)) return false;
  return true;
}

/** The number of the best documents that are reranked. */
export const MAX_RERANKED = 20;
/** The length of a passage (terms): two or three sentences. */
const WINDOW = 30;
/** The weight of the best passage. On collections of long documents it gained between 0.01 and 0.03 nDCG@10. */
export const PASSAGE_WEIGHT = 0.6;
/** The weight of a title, scaled by the share of its words that are in the query: it finds a note whose name the caller knows. */
const TITLE_WEIGHT = 1.25;
/**
 * The weight of a match word for word, in units of the sum of the weights of all query terms. It is scaled by the square of
 * the share of the query beyond a pair: many documents hold the same pair of words, some the same three, and hardly two a
 * sentence.
 */
const WORDING_WEIGHT = 2.5;
/**
 * The additional weights of such a match that is a whole title, alias or heading, and of one within the title. Together with
 * the title's weight, a title twice as long as the query ranks below an alias equal to it. All these values are on a plateau.
 */
const WHOLE_WEIGHT = 1;
const IN_TITLE_WEIGHT = 0.3;
/** The number of terms of a document that are read: some twenty pages. */
const MAX_TERMS = 1 << 13;
/** The maximum number of distinct terms of a title that count. */
const MAX_TITLE = 64;

/** Marks of units: 0 for none; a group from 1 to MAX_MARKED; SECOND for the second unit of some long term only. */
const MAX_MARKED = 254;
const SECOND = 255;

/** The size of the ring buffer of a passage: a power of two of at least WINDOW. */
const RING = 32;
const IN_RING = RING - 1;
/** A distance (units) at which two terms are never in one passage. */
const FAR = 2 * WINDOW;
/** The number of groups that `seen` covers. */
export const MAX_SEEN = 31;

/** A term of a query, or several that count as one. */
export interface WeightedQuery {
  readonly ids: readonly number[];
  readonly weight: number;
}

/**
 * Reranks the best documents by their terms in order. It adds a share of the score of the best passage, so that a long note
 * with the answer in one place is not buried by its length; a bonus for the share of the title that the query names; and a
 * bonus for a document that holds the query word for word, so that a copied heading or sentence finds its source.
 *
 * Streams are given as `units` between `from` and `end`, without the properties.
 */
export class Reranker {
  /** By unit of a stream, its mark; all zero between queries. A long term is marked at its second unit. */
  readonly #marks = new Uint8Array(1 << 16);
  /** The groups of long terms, which take two units. */
  readonly #longMarks = new Map<number, number>();
  readonly #weights = new Int32Array(MAX_MARKED + 1);
  /** By group and number of occurrences in a passage, the gain of one more. */
  readonly #gains = new Int32Array((MAX_MARKED + 1) * RING);
  readonly #counts = new Uint8Array(MAX_MARKED + 1);
  /** The offsets of units with marks. */
  readonly #places = new Uint32Array(2 * MAX_TERMS + 1);
  readonly #positions = new Int32Array(RING);
  readonly #groups = new Uint8Array(RING);
  readonly #weightOf: (term: number) => number;
  #wording: Wording | null = null;
  /** The group of the term at which the wording is searched. */
  #anchor = 0;
  /** The square of the share of the wording beyond a pair, 0 to 1. */
  #beyondPair = 0;
  #total = 0;
  #seen = 0;
  #isOneTerm = false;

  /** @param weightOf returns the weight of any term, for the words of a title that the query does not name */
  constructor(weightOf: (term: number) => number) {
    this.#weightOf = weightOf;
  }

  /**
   * Calls `visit`, which may call the other methods for documents. Of a query with very many groups only the first ones
   * count.
   * @param query.sequence the terms of the whole query in order, or none
   * @param query.isOneTerm true if all groups are of one term of the query
   */
  withQuery<R>(
    query: readonly WeightedQuery[],
    { sequence, isOneTerm }: { readonly sequence: readonly number[]; readonly isOneTerm: boolean },
    visit: (reranker: this) => R,
  ): R {
    const groups = query.length > MAX_MARKED ? query.slice(0, MAX_MARKED) : query;
    this.#total = 0;
    this.#isOneTerm = isOneTerm;
    for (const [at, { ids, weight }] of groups.entries()) {
      this.#weights[at + 1] = weight;
      this.#total += weight;
      if (!this.#isOneTerm) fillGains(this.#gains, (at + 1) * RING, weight);
      for (const id of ids) this.#mark(id, at + 1);
    }
    this.#prepareWording(sequence);
    try {
      return visit(this);
    } finally {
      for (const { ids } of groups) for (const id of ids) this.#marks[id % LONG_TERM] = 0;
      // Clearing even an empty map takes longer than the rest.
      if (this.#longMarks.size > 0) this.#longMarks.clear();
    }
  }

  /** The maximum bonus for the wording. */
  get maxWordingBonus(): number {
    return this.#wording === null ? 0 : this.#wordingBonus(WHOLE_FIELD);
  }

  /**
   * The set of the first MAX_SEEN groups that occur in the last document of `text`, as bits from the lowest on; null if the
   * document was too long to tell.
   */
  get seen(): number | null {
    return this.#seen < 0 ? null : this.#seen;
  }

  /**
   * Returns the bonus for the title: the weights of its terms in the query, scaled by their share of the weights of all its
   * terms.
   */
  titleBonus(units: TokenStream, from: number, end: number): number {
    if (!this.#mayMatchTitle(units, from, end)) return 0;
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
   * True for a query of a single term, for which passages do not count: the score already reflects its frequency, and whether
   * the occurrences were close together made no difference beyond chance on known-item queries in three languages. Reading
   * whole texts took half of the time of such a query.
   */
  get isOneTerm(): boolean {
    return this.#isOneTerm;
  }

  /**
   * Returns the bonus for the best passage, of WINDOW consecutive terms and without regard to length, and for the wording.
   */
  textBonus(units: TokenStream, from: number, end: number): number {
    if (this.#isOneTerm) return this.#nameBonus(units, from, end);
    const [marks, gains, counts] = [this.#marks, this.#gains, this.#counts];
    const [places, positions, groups] = [this.#places, this.#positions, this.#groups];
    const wording = this.#wording;
    const stop = end - from <= MAX_TERMS ? end : endOfTerms(units, from, end, MAX_TERMS);
    let found: number = NO_MATCH;
    let first = 0;
    let next = 0;
    let sum = 0;
    let best = 0;
    let seen = 0;
    let position = 0;
    let before = from - FAR;
    const hits = listMarked(marks, units, from, stop, places);
    for (let hit = 0; hit < hits; hit += 1) {
      const at = places[hit] ?? 0;
      const group = this.#groupAt(units, from, at);
      if (group === 0 || group === SECOND) continue;
      // The exact distance in terms matters only nearby.
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
      if (wording !== null && group === this.#anchor && found !== WHOLE_FIELD)
        found = Math.max(found, wordingAt(wording, units, at, from, end));
    }
    for (; first < next; first += 1) counts[groups[first & IN_RING] ?? 0] = 0;
    this.#seen = stop < end ? -1 : seen;
    return Math.round(PASSAGE_WEIGHT * best) + this.#wordingBonus(found);
  }

  /** Returns the bonus for the wording in the fields before the text, which is all that a query of a single term gets. */
  #nameBonus(units: TokenStream, from: number, end: number): number {
    const [marks, wording] = [this.#marks, this.#wording];
    this.#seen = -1;
    if (wording === null) return 0;
    let found: number = NO_MATCH;
    let previous = LONG_TERM - 1;
    for (let at = from; at < end && found !== WHOLE_FIELD; at += 1) {
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
    return this.#wordingBonus(found);
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

  /** Returns the mark of the term whose last unit is at an offset. */
  #groupAt(units: TokenStream, from: number, at: number): number {
    const unit = units[at] ?? 0;
    const previous = at > from ? (units[at - 1] ?? 0) : 0;
    return previous < LONG_TERM ? (this.#marks[unit] ?? 0) : this.#longGroup(previous, unit);
  }

  #longGroup(first: number, second: number): number {
    return this.#longMarks.size === 0 ? 0 : (this.#longMarks.get(longTerm(first, second)) ?? 0);
  }

  /** Returns the group of a term; 0 for none. */
  #groupOf(term: number): number {
    if (term >= LONG_TERM) return this.#longMarks.get(term) ?? 0;
    const mark = this.#marks[term] ?? 0;
    return mark === SECOND ? 0 : mark;
  }

  /** Prepares the wording of a query; the anchor is its rarest term. */
  #prepareWording(sequence: readonly number[]): void {
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

  #wordingBonus(found: number): number {
    if (found === NO_MATCH) return 0;
    const named = found === WHOLE_FIELD ? WHOLE_WEIGHT : found === IN_TITLE ? IN_TITLE_WEIGHT : 0;
    const weight = WORDING_WEIGHT * this.#beyondPair + named;
    return Math.round(weight * WEIGHT_TO_SCORE * this.#total);
  }

  /** Returns true if the title may hold a term of the query. Most do not, and a weight takes a logarithm. */
  #mayMatchTitle(units: TokenStream, from: number, end: number): boolean {
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
