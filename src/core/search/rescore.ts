import { PASSAGE_SATURATIONS, WEIGHT_TO_SCORE, worthOf } from './scoring';
import { FIELD_END, LONG_TERM, longTerm, type TermStream } from './term-stream';

/** How many of the best documents are looked at again. */
export const RESCORED = 30;
/** A passage, in terms: two or three sentences. */
const WINDOW = 30;
/** What the best passage adds. Measured on long documents: between one and three hundredths of nDCG@10. */
const PASSAGE_WEIGHT = 0.6;
/** What a title adds of which the query names everything: finds the note that the caller knows by name. */
const TITLE_WEIGHT = 1;
/** A longer document is looked at so far, in terms: some twenty pages. */
const MAX_TERMS = 1 << 13;
/** Of a longer title only so many distinct terms count. */
const MAX_TITLE = 64;

/** Marks of units: 0 for none of the query, else its group, or that only a term of two units ends so. */
const MAX_MARKED = 254;
const LONG_END = 255;

/** Places of a passage, a power of two not below WINDOW. */
const RING = 32;

/** What a document adds to its score, whose stream stands in `units` from `from` up to `end`. */
type Bonus = (units: TermStream, from: number, end: number) => number;

/** A term of a query, or several that count as one. */
export interface Weighed {
  /** Numbers of its terms. */
  readonly ids: readonly number[];
  readonly weight: number;
}

/**
 * A second look at the best documents, at their terms in order: a share of the score of the best passage, so that a long note
 * with the answer in one place is not buried by its length, and a bonus for the part of the title that the query names.
 */
export class SecondLook {
  /** By unit of a stream, what it means for the query; all zero between queries. */
  readonly #marks = new Uint8Array(1 << 16);
  /** Groups of terms that take two units. */
  readonly #longMarks = new Map<number, number>();
  readonly #weights = new Int32Array(MAX_MARKED + 1);
  readonly #counts = new Uint8Array(MAX_MARKED + 1);
  readonly #positions = new Float64Array(RING);
  readonly #groups = new Uint8Array(RING);
  readonly #weightOf: (term: number) => number;

  /** @param weightOf of any term, for the words of a title that the query does not name */
  constructor(weightOf: (term: number) => number) {
    this.#weightOf = weightOf;
  }

  /**
   * Calls `visit` with a function that tells bonuses, which may be called only there. Of a query of very many groups, the
   * first ones count.
   */
  with<R>(query: readonly Weighed[], visit: (bonus: Bonus) => R): R {
    const groups = query.slice(0, MAX_MARKED);
    groups.forEach(({ ids, weight }, at) => {
      this.#weights[at + 1] = weight;
      for (const id of ids) this.#mark(id, at + 1);
    });
    try {
      return visit((units, from, end) => {
        const passage = this.#passage(units, from, end);
        return Math.round(PASSAGE_WEIGHT * passage + TITLE_WEIGHT * this.#title(units, from, end));
      });
    } finally {
      for (const { ids } of groups) for (const id of ids) this.#marks[id % LONG_TERM] = 0;
      this.#longMarks.clear();
    }
  }

  #mark(id: number, group: number): void {
    const unit = id % LONG_TERM;
    if (id < LONG_TERM) this.#marks[unit] = group;
    else this.#longMarks.set(id, group);
    if (this.#marks[unit] === 0) this.#marks[unit] = LONG_END;
  }

  /** The group of the term that ends at a place of a stream, where a marked unit stands; 0 for none. */
  #groupAt(units: TermStream, at: number, from: number): number {
    const unit = units[at] ?? 0;
    const before = at === from ? 0 : (units[at - 1] ?? 0);
    if (before >= LONG_TERM) return this.#longMarks.get(longTerm(before, unit)) ?? 0;
    const mark = this.#marks[unit] ?? 0;
    return mark === LONG_END ? 0 : mark;
  }

  /** The highest score of any WINDOW terms in sequence, without regard to length. */
  #passage(units: TermStream, from: number, to: number): number {
    const end = to - from > MAX_TERMS ? endOfTerms(units, from, to) : to;
    const [positions, groups] = [this.#positions, this.#groups];
    let first = 0;
    let next = 0;
    let sum = 0;
    let best = 0;
    let position = 0;
    let last = from;
    for (let at = nextMarked(units, from, end, this.#marks); at < end;) {
      const group = this.#groupAt(units, at, from);
      if (group > 0) {
        position += termsBetween(units, last, at);
        last = at;
        while (first < next && (positions[first & (RING - 1)] ?? 0) <= position - WINDOW) {
          sum += this.#change(groups[first & (RING - 1)] ?? 0, -1);
          first += 1;
        }
        sum += this.#change(group, 1);
        positions[next & (RING - 1)] = position;
        groups[next & (RING - 1)] = group;
        next += 1;
        if (sum > best) best = sum;
      }
      at = nextMarked(units, at + 1, end, this.#marks);
    }
    for (; first < next; first += 1) this.#counts[groups[first & (RING - 1)] ?? 0] = 0;
    return best;
  }

  /** Counts one more of a group, or one fewer; what that adds to the score. */
  #change(group: number, by: 1 | -1): number {
    const before = this.#counts[group] ?? 0;
    const weight = this.#weights[group] ?? 0;
    this.#counts[group] = before + by;
    return (
      worthOf(PASSAGE_SATURATIONS[before + by] ?? 0, weight) -
      worthOf(PASSAGE_SATURATIONS[before] ?? 0, weight)
    );
  }

  /** The worth of the title's terms that the query names, scaled by their share of the whole title. */
  #title(units: TermStream, from: number, end: number): number {
    if (!this.#isNamed(units, from, end)) return 0;
    let named = 0;
    let all = 0;
    const seen: number[] = [];
    for (let at = from; at < end && seen.length < MAX_TITLE; at += 1) {
      const unit = units[at] ?? 0;
      if (unit === FIELD_END) break;
      const term = unit < LONG_TERM ? unit : longTerm(unit, units[(at += 1)] ?? 0);
      if (seen.includes(term)) continue;
      seen.push(term);
      const group = this.#marks[units[at] ?? 0] === 0 ? 0 : this.#groupAt(units, at, from);
      if (group > 0) named += this.#weights[group] ?? 0;
      all += group > 0 ? (this.#weights[group] ?? 0) : this.#weightOf(term);
    }
    return named === 0 ? 0 : (WEIGHT_TO_SCORE * named * named) / all;
  }

  /** True when the title may hold a term of the query. Most do not, and a weight takes a logarithm. */
  #isNamed(units: TermStream, from: number, end: number): boolean {
    for (let at = from; at < end; at += 1) {
      const unit = units[at] ?? 0;
      if (unit === FIELD_END && (at === from || (units[at - 1] ?? 0) < LONG_TERM)) return false;
      if (this.#marks[unit] !== 0) return true;
    }
    return false;
  }
}

/** The next place from `at` on where a marked unit stands, or `end`. Nearly all of the work on a query is done here. */
function nextMarked(units: TermStream, at: number, end: number, marks: Uint8Array): number {
  while (at < end && marks[units[at] ?? 0] === 0) at += 1;
  return at;
}

/** How many terms further the term at `to` is than the one at `from`; when that is more than a passage, not exactly. */
function termsBetween(units: TermStream, from: number, to: number): number {
  let terms = to - from;
  if (terms > 2 * WINDOW) return WINDOW;
  for (let at = from; at < to; at += 1) if ((units[at] ?? 0) >= LONG_TERM) terms -= 1;
  return terms;
}

/** Where MAX_TERMS terms end. */
function endOfTerms(units: TermStream, from: number, to: number): number {
  let terms = 0;
  for (let at = from; at < to; at += 1) {
    if ((units[at] ?? 0) < LONG_TERM) terms += 1;
    if (terms === MAX_TERMS) return at + 1;
  }
  return to;
}
