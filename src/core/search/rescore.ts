import { FIELD_END } from './term-stream';

/** How many of the best documents are looked at again. */
export const RESCORED = 30;
/** A passage, in terms: two or three sentences. */
const WINDOW = 30;
/** What the best passage adds. Measured on long documents: between one and three hundredths of nDCG@10. */
const PASSAGE_WEIGHT = 0.6;
/** What a title adds of which the query names everything: finds the note that the caller knows by name. */
const TITLE_WEIGHT = 1;

/** What a term of the query is worth; terms that count as one share an object. */
interface Value {
  readonly idf: number;
}

/** The terms of a query by their numbers. */
export type Worth = ReadonlyMap<number, Value>;

/**
 * What a document gains from a second look at its terms in order: a share of the score of its best passage,
 * so that a long note with the answer in one place is not buried by its length, and a bonus for the part of
 * its title that the query names.
 * @param terms all terms of the document, its title first, fields ended by FIELD_END
 * @param idf of any term, for the words of the title that the query does not name
 */
export function secondLook(
  terms: readonly number[],
  worth: Worth,
  k1: number,
  idf: (term: number) => number,
): number {
  return PASSAGE_WEIGHT * bestPassage(terms, worth, k1) + TITLE_WEIGHT * titleScore(terms, worth, idf);
}

/** The highest BM25 score of any WINDOW terms in sequence, without regard to length. */
function bestPassage(terms: readonly number[], worth: Worth, k1: number): number {
  const inside: { readonly at: number; readonly value: Value }[] = [];
  const counts = new Map<Value, number>();
  let first = 0;
  let sum = 0;
  let best = 0;
  const change = (value: Value, by: 1 | -1) => {
    const count = counts.get(value) ?? 0;
    counts.set(value, count + by);
    sum += value.idf * (saturated(count + by, k1) - saturated(count, k1));
  };
  terms.forEach((term, at) => {
    const value = worth.get(term);
    if (value === undefined) return;
    inside.push({ at, value });
    change(value, 1);
    for (let oldest = inside[first]; oldest && oldest.at <= at - WINDOW; oldest = inside[++first]) {
      change(oldest.value, -1);
    }
    best = Math.max(best, sum);
  });
  return best;
}

function saturated(count: number, k1: number): number {
  return (count * (k1 + 1)) / (count + k1);
}

/** The worth of the title's terms that the query names, scaled by their share of the whole title. */
function titleScore(terms: readonly number[], worth: Worth, idf: (term: number) => number): number {
  let named = 0;
  let all = 0;
  for (const term of new Set(terms.slice(0, terms.indexOf(FIELD_END)))) {
    const value = worth.get(term)?.idf ?? 0;
    named += value;
    all += value > 0 ? value : idf(term);
  }
  return all === 0 ? 0 : (named * named) / all;
}
